"""Checks a pack: its container, its seal, every file against the manifest, and every document in it."""

import base64
import hashlib
import json
import re
from datetime import datetime

import keys as keys_of
from cases import CaseLines
from contents import SUBJECT, check_contents
from container import SEAL, Archive, NotAPack
from decisions import Reviewers
from documents import AuditLog, Batches, Heads, check_document, kind_of
from record import objects
from report import Report, has
from rows import CaseEvents, SharedRows, application_of, check_sessions, is_at_home
from strict_json import BadForm, NoCanonicalForm, NotJson, Number, TooDeep, canonical, decode, parse
from tails import check_tails
from times import instant

ALONE = r"(?:^|/)(?:sessions|processing-log|policy-rules|erasures-and-holds|retention-and-holds)\.json$"
APPLICATION_LISTS = ("batches.jsonl", "review-cases.jsonl", "review-events.jsonl")
AUTHENTICATORS = "authenticators.json"
LARGEST = 256 * 2**20


def check_pack(data, trusted, known):
    """Findings of a pack. `trusted`: the issuer's published keys, None to take the pack's own."""
    report = Report("archive", trusted, known)
    try:
        check_archive(Archive(data), trusted, known, report)
    except NotAPack as error:
        return [{"result": "failed", "check": "file", "about": "archive", "detail": str(error)}]
    return report.found


def check_archive(archive, trusted, known, report):
    members = {member.path: member for member in archive.members}
    if tuple(member.path for member in archive.members[-3:]) != SEAL:
        report.failed("file", "Expected manifest, signature and key as the last files.")
        return
    manifest_bytes, signature, key = (archive.read(members[name]) for name in SEAL)
    own = own_key(key)
    if own is None:
        report.on("public-key.json").failed("file", "It is no key in the issuer's form.")
        return
    (key_id,) = own
    about_key = report.on("public-key.json")
    if trusted is None:
        about_key.unchecked("issuer", "The key came with the pack.")
    elif key_id in trusted:
        about_key.verified("signature", "The key is among those given.")
    else:
        about_key.failed("signature", "Another issuer sealed this pack.")
    before = archive.before(members["manifest.json"])
    manifest = read_manifest(manifest_bytes)
    intact = isinstance(manifest, dict) and manifest.get("before") == before
    contents = {path: archive.read(member) for path, member in members.items() if path not in SEAL}
    usable = dict(trusted if trusted is not None else own)
    seal = Report("manifest.json", usable, known, report.found)
    check_manifest(manifest, manifest_bytes, signature, key_id, contents, before, seal)
    created = manifest.get("createdAt") if isinstance(manifest, dict) else None
    if not isinstance(created, str) or dos_time(created) != archive.time:
        report.failed("file", "Its files have another time than its manifest.")
    if intact:
        told_at = manifest.get("createdAt")
        check_members(contents, trusted, usable, (known, told_at), manifest, report)


def loose(data):
    try:
        return parse(decode(data))
    except (NotJson, BadForm):
        return None


def not_json(constant):
    raise ValueError(f"{constant} is no JSON")


def in_any_spelling(data):
    """A manifest as it can be understood, else None: in another spelling it is wrong, and still names what it names."""
    try:
        return json.loads(data.decode(), parse_int=Number, parse_float=Number, parse_constant=not_json)
    except (ValueError, RecursionError):
        return None


def read_manifest(data):
    """A manifest in any spelling; None for JSON without a canonical form, which no manifest is."""
    value = in_any_spelling(data)
    try:
        canonical(value)
    except NoCanonicalForm:
        return None
    return value


def own_key(data):
    """The pack's key in the one form of a JWK that its issuer writes, else None."""
    jwk = loose(data)
    found = keys_of.read_keys(jwk) if isinstance(jwk, dict) else None
    if not found or len(found) != 1:
        return None
    (key_id,) = found
    form = {"kty": "OKP", "crv": "Ed25519", "kid": key_id, "use": "sig", "alg": "EdDSA", "x": jwk["x"]}
    return found if canonical(form) == data else None


def dos_time(text):
    match = re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)\.\d{3}Z", text, re.A)
    try:
        at = datetime(*map(int, match.groups())) if match else None
    except ValueError:
        at = None
    if at is None:
        return None
    at = max(at, datetime(1980, 1, 1))
    return (at.hour << 11 | at.minute << 5 | at.second >> 1, (at.year - 1980) << 9 | at.month << 5 | at.day)


def check_manifest(manifest, data, signature, key_id, contents, before, report):
    keys_of.check_signature(data, key_id, signature.decode("utf-8", "replace"), report)
    files = manifest.get("files") if isinstance(manifest, dict) else None
    listed = isinstance(files, list) and all(isinstance(each, dict) for each in files)
    if not listed or manifest.get("manifestVersion") != "1.0":
        report.failed("manifest", "Expected a manifest of version 1.0.")
        return
    try:
        is_canonical = canonical(manifest) == data
    except NoCanonicalForm:
        is_canonical = False
    if not is_canonical:
        report.failed("manifest", "It is not in canonical JSON.")
    found = {path: (float(len(content)), hashlib.sha256(content).hexdigest()) for path, content in contents.items()}
    for each in files:
        path = each.get("path")
        if not isinstance(path, str) or found.pop(path, None) != (each.get("bytes"), each.get("sha256")):
            report.on(str(path)).failed("file", "Missing, listed twice or changed.")
    for path in found:
        report.on(path).failed("file", "It was added.")
    if manifest.get("before") != before:
        report.on("archive").failed("file", "It was packed anew.")
    if not has(report.found, "failed", "file"):
        report.verified("file", "All files are as the manifest lists them.")
    for each in objects(manifest, "omitted"):
        report.on(str(each.get("path"))).noted("file", "The issuer left it out.")


def check_members(contents, trusted, usable, compared, manifest, report):
    known, told_at = compared
    keys = dict(usable)
    for path, content in contents.items():
        if trusted is None and path == "verification-keys.json":
            keys.update(keys_of.read_keys(loose(content)) or {})
    batches, anchors, heads, documents, log = [], None, Heads(), {}, None
    begin = len(report.found)
    rows, events, tenant = SharedRows(told_at), {}, manifest.get("tenantId")
    check_stamp_files(contents, report)
    reviewers = Reviewers(in_any_spelling(contents[AUTHENTICATORS])) if AUTHENTICATORS in contents else None
    Report.reviewers = reviewers
    for path, content in contents.items():
        application = application_of(path)
        name = path.removeprefix(f"applications/{application}/")
        if name == "audit-log.jsonl" if application is None else name in APPLICATION_LISTS:
            own = events.setdefault(application, CaseEvents(told_at))
            if name == "review-events.jsonl":
                check, takes = own, []
            elif name == "audit-log.jsonl":
                check, takes = AuditLog(known, heads), [reviewers.take] if reviewers else []
                log = check
            elif name == "batches.jsonl":
                check, takes = Batches(known, heads), [rows.batch]
                batches.append(check)
            else:
                check, takes = CaseLines(keys, known, told_at), [rows.review, own.expect]
            at_home = application is None or check in (own, log) or (lambda item: is_at_home(item, path, tenant))
            report.found.extend(check_lines(content, check, takes, at_home))
        elif application is not None and name == "sessions.csv":
            report.found.extend(check_sessions(content, application, rows))
        elif application is not None and re.search(r"/sessions/[^/]+/session\.csv$", path):
            rows.session_csv(path, content)
        elif path == "anchors.jsonl" or is_document(path):
            if len(content) > LARGEST:
                report.on(path).unchecked("form", "It is too large to be looked into.")
                continue
            found, document = check_bytes(content, path.endswith(".jsonl"), keys, known, True)
            report.found.extend(found)
            if kind_of(document) == "evidence":
                rows.evidence(path, document)
                if application is not None and not is_at_home(document, path, tenant):
                    report.on(path).failed("form", "It is of another session than its folder.")
            elif re.search(r"(?:^|/)evidence\.json$", path):
                report.on(path).failed("form", "It is no evidence document.")
            if path == "anchors.jsonl":
                anchors = document if isinstance(document, list) else anchors
                entries = document if isinstance(document, list) else [document]
                for entry in entries:
                    if isinstance(entry, dict):
                        rows.entry(entry)
                if entries and kind_of(entries) != "anchor-ledger":
                    report.on(path).failed("form", "Expected entries of the ledger, and nothing else.")
            documents[path] = document
    if not has([each for each in report.found[begin:] if each["check"] != "stamp"], "failed"):
        report.found.extend(rows.end(contents, known, Report.authorities, omitted_by(manifest)))
    if batches or log is not None:
        sealed = [each for check in batches for each in check.sealed]
        check_tails(sealed, anchors if isinstance(anchors, list) else [], log, report, instant(told_at))
    Report.reviewers = None
    if reviewers is not None:
        if log is not None:
            reviewers.end(instant(told_at))
        report.found.extend(reviewers.found)
    check_contents(manifest, contents, documents, log and log.seen, report.on("pack"))


def omitted_by(manifest):
    """Paths that a manifest names as left out, as far as it does."""
    listed = manifest.get("omitted")
    items = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    return {each["path"] for each in items if isinstance(each.get("path"), str)}


def check_stamp_files(contents, report):
    """Compares members that are time stamps with the JSON in front of them that shows them."""
    evidence, ledger = ("", b""), {}
    for path, content in contents.items():
        if path.endswith("/evidence.json"):
            evidence = (path[: -len("evidence.json")] + "time-stamp.tsr", content)
        elif path == "anchors.jsonl":
            lines = re.finditer(rb'"sequence":([0-9]+),[^\n]*', content)
            ledger = {f"time-stamps/{line[1].decode()}.tsr": line[0] for line in lines}
        elif path.endswith(".tsr"):
            shown = evidence[1] if path == evidence[0] else ledger.get(path, b"")
            if b'"timeStamp":"' + base64.b64encode(content) + b'"' in shown:
                report.on(path).verified("file", "It is the stamp of its entry.")
            else:
                report.on(path).failed("file", "No entry in front of it is shown with this stamp.")


def is_document(path):
    return path.endswith(".json") and (path in SUBJECT or not re.search(ALONE, path))


def check_lines(content, check, takes, at_home):
    """Checks a list of JSON lines, and that each is in the form that its issuer writes."""
    report = Report("lines")
    strangers = Report("lines")
    try:
        for line in decode(content).split("\n"):
            if not line:
                continue
            value = parse(line)
            check.add(value)
            for take in takes if isinstance(value, dict) else []:
                take(value)
            if isinstance(value, dict) and at_home is not True and not at_home(value):
                strangers.failed("form", "It has an item of another organization or application.")
    except (NotJson, BadForm) as error:
        report.failed("form", str(error))
        return report.found
    check.end()
    return check.found + strangers.found


def check_bytes(data, lines, keys, known, covered):
    """Findings of a document's bytes, and the document; neither where they are none that is checked."""
    report = Report("document")
    try:
        text = decode(data)
        try:
            document = parse_lines(text) if lines else parse(text)
        except NotJson:
            return [], None
    except BadForm as error:
        report.failed("form", str(error))
        return report.found, error.value
    return (check_document(document, keys, known, covered), document) if kind_of(document) else ([], document)


def parse_lines(text):
    """The values of lines; raises as `parse` does, BadForm with all of them."""
    values, wrong = [], None
    for line in text.split("\n"):
        if line.strip():
            try:
                values.append(parse(line))
            except TooDeep:
                raise
            except BadForm as error:
                values.append(error.value)
                wrong = wrong or error
    if wrong:
        raise BadForm(str(wrong), values)
    return values
