"""Rows that several members of a pack show: what is shown twice must be the same (interface.md, "Evidence package")."""

import hashlib
import json
import re

from keys import sha256
from proof import entry_of, is_whole
from record import objects
from report import Report
from strict_json import NoCanonicalForm, canonical, name_of, number_text, same
from times import SKEW, instant

# White space of ECMAScript.
SPACE = "[\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]"
FOLDERS = re.compile(r"applications/([^/]+)/(?:sessions/([^/]+)/)?[^/]+")
WITNESSED = (
    r"(?:anchors|audit-log)\.jsonl|authenticators\.json"
    r"|applications/[^/]+/(?:(?:batches|review-cases|review-events)\.jsonl|sessions\.csv)"
)
COLUMNS = (
    *("application_id", "session_id", "origin", "status", "started_at", "ended_at", "received_at", "completed_at"),
    *("data_subject_id", "step_count", "error_count", "policy_allow", "policy_deny", "policy_require_review"),
    *("quality_score", "open_flags", "review_state", "payload_status", "incomplete_at_source", "revision"),
    *("sealed_revision", "leaf_hash", "batch_id", "leaf_index"),
)
CSV_COLUMNS = (
    *("row_type", "application_id", "session_id", "step_id", "parent_step_id", "type", "name", "status"),
    *("started_at", "ended_at", "duration_ms", "model", "input_tokens", "output_tokens", "tool_name"),
    *("policy_effects", "review_case_ids", "payload_status", "incomplete_at_source"),
)


def member(value, name):
    found = value.get(name)
    return found if isinstance(found, dict) else {}


def name_parts(*values):
    """Ids as they are, others by a name."""
    return tuple(value if isinstance(value, str) else name_of(value) for value in values)


def application_of(path):
    found = FOLDERS.fullmatch(path)
    return found and found[1]


def readable(session_id, length):
    """The first UTF-16 units of an id, all but letters, digits and `._-` as `_`."""
    units = session_id.encode("utf-16-le", "surrogatepass")
    codes = [int.from_bytes(units[at : at + 2], "little") for at in range(0, len(units), 2)][:length]
    text = "".join(chr(code) if re.fullmatch(r"[A-Za-z0-9._-]", chr(code)) else "_" for code in codes)
    device = re.match(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)", text, re.I | re.A)
    return "_" + text if device else text


def is_name_of(session_id, folder):
    digest = hashlib.sha256(session_id.encode("utf-8", "replace")).hexdigest()
    return folder in (f"{readable(session_id, 80)}-{digest[:8]}", f"{readable(session_id, 16)}-{digest}")


def is_at_home(value, path, tenant):
    """Whether something is of the organization of its pack, and of the application and session of its folder."""
    _, application, folder = [None, *FOLDERS.fullmatch(path).groups()]
    session = value.get("session") if isinstance(value.get("session"), dict) else None
    named = member(value, "application").get("applicationId") if session else value.get("applicationId")
    owners = [named, session.get("applicationId")] if session else [named]
    if not same(value.get("tenantId"), tenant) or any(each != application for each in owners):
        return False
    name = session.get("sessionId") if session else None
    return not session or (isinstance(name, str) and is_name_of(name, folder or ""))


def cell_text(text):
    """A text as spreadsheets are given it."""
    return "'" + text if re.match(SPACE + r"*[=+\-@]", text) else text


def as_cell(value):
    return cell_text(value) if isinstance(value, str) else value


def row_of(cells):
    texts = []
    for cell in cells:
        if cell is None:
            texts.append("")
        elif isinstance(cell, str):
            texts.append('"' + cell_text(cell).replace('"', '""') + '"')
        else:
            texts.append(number_text(float(cell)))
    return ",".join(texts) + "\r\n"


def csv_of(document):
    """The session and its steps as the CSV beside an evidence document."""
    session = document["session"]
    results, cases = objects(document, "policyResults"), objects(document, "reviewCases")

    def judged(step):
        effects = dict.fromkeys(each["effect"] for each in results if each.get("stepId", ()) == step)
        ids = [each["reviewCaseId"] for each in cases if each.get("stepId", ()) == step]
        return [";".join(effects), ";".join(ids)]

    of = [session["applicationId"], session["sessionId"]]
    agent = session["agent"]["name"] if session.get("agent") else None
    head = [*("session", *of, None, None, session["origin"], agent, session["status"])]
    head += [session[name] for name in ("startedAt", "endedAt", "durationMs")]
    head += [";".join(session["models"]), session["inputTokens"], session["outputTokens"], None, *judged(None)]
    head += [session["payloadStatus"], "true" if session.get("incompleteAtSource") is True else "false"]
    rows = [CSV_COLUMNS, head]
    for step in objects(document, "steps"):
        row = ["step", *of, *(step[name] for name in ("stepId", "parentStepId", "type", "name", "status"))]
        row += [step["startedAt"], step["endedAt"], instant(step["endedAt"]) - instant(step["startedAt"])]
        row += [step[name] for name in ("model", "inputTokens", "outputTokens", "toolName")]
        rows.append([*row, *judged(step["stepId"]), step["payloadStatus"], None])
    return "".join(map(row_of, rows))


class SharedRows:
    """Collects the rows of one pack; `told_at` is when it was made."""

    def __init__(self, told_at):
        self.report, self.rows, self.listed, self.unsealed = Report("pack"), {}, set(), {}
        # Leaves that cases and sessions of lists have, the last sealed revision of a session, leaves that nothing has.
        self.owned, self.revisions, self.strange = set(), {}, set()
        # What is known of it by this name is here; leaves of cases without a seal; times of commitments in the ledger.
        self.here, self.withheld, self.anchored_at = set(), [], {}
        self.sessions, self.latest, self.told_at = set(), (None, None), instant(told_at)

    def take(self, check, place, shown):
        place = json.dumps(place)
        row = self.rows.setdefault(place, {})
        for name, value in shown.items():
            if isinstance(value, (str, float)) and row.setdefault(name, value) != value:
                self.report.on(place).failed(check, f"{name} is not the same wherever it is shown.")

    def list(self, check, place, shown):
        name = json.dumps(place)
        if name in self.rows:
            self.take(check, place, shown)
        self.listed.add(name)

    def anchor(self, anchor):
        if not isinstance(anchor.get("signature"), str):
            return
        try:
            entry_hash = sha256(canonical(entry_of(anchor)))
        except NoCanonicalForm:
            return
        shown = {name: anchor.get(name) for name in ("ledger", "previousHash", "timeStamp")}
        self.take("anchor", ["entry", anchor.get("sequence")], {**shown, "hash": entry_hash})

    def seal(self, of, seal):
        if not isinstance(seal.get("merkle"), dict):
            return
        merkle, anchor = seal["merkle"], member(seal, "anchor")
        batch = [of.get("applicationId"), as_cell(merkle.get("batchId"))]
        tree = {name: merkle.get(name) for name in ("merkleRoot", "treeSize")}
        tree.update({name: anchor.get(name) for name in ("nonce", "commitment", "sequence")})
        self.take("batch", ["batch", *batch], tree)
        leaf = {"sessionId": as_cell(of.get("sessionId")), "reviewCaseId": of.get("reviewCaseId")}
        leaf.update(leafHash=seal.get("leafHash"), revision=seal.get("revision"))
        self.take("batch", ["leaf", *batch, merkle.get("leafIndex")], leaf)
        self.anchor(anchor)

    def evidence(self, path, document):
        self.latest = (path, document)
        session, integrity = member(document, "session"), member(document, "integrity")
        of = {name: session.get(name) for name in ("applicationId", "sessionId")}
        name = repr(of)
        if name in self.sessions:
            self.report.failed("form", "It has a session twice.")
        self.sessions.add(name)
        for seal in [integrity, *objects(integrity, "earlier")]:
            self.seal(of, seal)
        for case in objects(document, "reviewCases"):
            self.seal(case, member(case, "integrity"))

    def session_csv(self, path, data):
        evidence, document = self.latest
        try:
            beside = path[: -len("session.csv")] + "evidence.json"
            fits = evidence == beside and csv_of(document).encode() == data
        except (KeyError, TypeError, AttributeError, UnicodeEncodeError, NoCanonicalForm):
            fits = False
        if not fits:
            self.report.on(path).failed("record", "It is not the session of the evidence before it.")

    def review(self, case):
        self.seal(case, member(case, "integrity"))
        self.owned.add(json.dumps([case.get("applicationId"), member(case, "integrity").get("leafHash")]))
        self.here.add(("case", *name_parts(case.get("applicationId"), case.get("reviewCaseId"))))
        if member(case, "integrity").get("leafInputStatus") != "present":
            self.unsealed[repr(case.get("reviewCaseId"))] = case.get("sessionId")

    def indexed(self, application, batch, index, leaf):
        self.owned.add(json.dumps([application, leaf["leafHash"]]))
        self.revisions[json.dumps([application, leaf["sessionId"]])] = leaf["revision"]
        self.here.add(("session", *name_parts(application, leaf["sessionId"])))
        self.take("batch", ["batch", application, batch], {})
        self.take("batch", ["leaf", application, batch, index], leaf)

    def batch(self, batch):
        self.here.add(("batch", *name_parts(batch.get("applicationId"), batch.get("batchId"))))
        name = [batch.get("applicationId"), as_cell(batch.get("batchId"))]
        if json.dumps(["batch", *name]) in self.listed:
            self.report.on(str(name)).failed("batch", "It is listed twice.")
        tree = {each: batch.get(each) for each in ("merkleRoot", "treeSize", "nonce", "commitment")}
        sequence = batch.get("anchorSequence")
        self.list("batch", ["batch", *name], {**tree, "sequence": 0.0 if sequence is None else sequence})
        for at, leaf in enumerate(objects(batch, "leaves")):
            place = ["leaf", *name, float(at)]
            shown = {each: leaf.get(each) for each in ("leafHash", "revision", "reviewCaseId")}
            if json.dumps(place) in self.rows:
                self.list("batch", place, {**shown, "sessionId": as_cell(leaf.get("sessionId"))})
            if self.is_strange(leaf, batch.get("applicationId")):
                self.strange.add(repr(batch.get("applicationId")))
            of = self.unsealed.get(repr(leaf.get("reviewCaseId")), leaf)
            if leaf.get("leafType") == "review-case" and of == leaf.get("sessionId"):
                self.withheld.append({each: batch.get(each) for each in ("sealedAt", "commitment")})

    def is_strange(self, leaf, application):
        """Whether a leaf is of nothing that is in a list: of no case, and of no session or of its last revision."""
        if leaf.get("leafType") == "audit-log" or json.dumps([application, leaf.get("leafHash")]) in self.owned:
            return False
        last = self.revisions.get(json.dumps([application, as_cell(leaf.get("sessionId"))]), 0)
        revision = leaf.get("revision")
        return leaf.get("leafType") == "review-case" or not (is_whole(revision, 1) and revision < last)

    def note_strange(self, known, authorities):
        checks = ["witness"] * (known is not None) + ["stamp"] * (authorities is not None)
        for each in self.strange:
            for check in checks or ["batch"]:
                self.report.on(each).noted(check, "Leaves are of sessions or cases that the pack does not have.")

    def is_before(self, batch):
        """Whether a batch was sealed before the pack was made: by its own time, or by that of its entry."""
        anchored = self.anchored_at.get(repr(batch.get("commitment")), [])
        times = [instant(batch.get("sealedAt")), min(anchored) if anchored and None not in anchored else None]
        return self.told_at is not None and any(at is not None and at <= self.told_at - SKEW for at in times)

    def note_omitted(self, known, authorities, paths, omitted):
        """Notes each list that could show what is witnessed, and that is said to be left out."""
        checks = ["witness"] * (known is not None) + ["stamp"] * (authorities is not None)
        for path in omitted:
            for check in checks if path not in paths and re.fullmatch(WITNESSED, path) else []:
                self.report.on(path).noted(check, "It was left out.")

    def note_absent(self, known, paths):
        """Notes what is known of an application of the pack, and not there."""
        for kind, application, name in known.things if known else ():
            path = f"applications/{application}/batches.jsonl"
            if path in paths and (kind, application, as_cell(name) if kind == "session" else name) not in self.here:
                self.report.on(path).noted("witness", "Something that is known is not here.")

    def entry(self, entry):
        self.anchor(entry)
        self.anchored_at.setdefault(repr(entry.get("commitment")), []).append(instant(entry.get("anchoredAt")))
        self.listed.add(json.dumps(["entry", entry.get("sequence")]))

    def end(self, paths, known, authorities, omitted=()):
        """What differs, or is named and in no list behind it."""
        if any(self.is_before(batch) for batch in self.withheld):
            self.report.failed("record", "A case is told to have no seal yet, and a batch has its leaf.")
        self.note_strange(known, authorities)
        self.note_absent(known, {*paths, *omitted})
        self.note_omitted(known, authorities, paths, omitted)
        for name, shown in self.rows.items():
            kind, of = json.loads(name)[:2]
            following = self.rows.get(json.dumps(["entry", of + 1])) if kind == "entry" and isinstance(of, float) else None
            if following and following.get("previousHash") != shown.get("hash"):
                self.report.failed("anchor", "An entry names the hash of another before it.")
            path = "anchors.jsonl" if kind == "entry" else f"applications/{of}/batches.jsonl"
            if path in paths and name not in self.listed:
                self.report.failed("anchor" if kind == "entry" else "batch", f"{name} is not in {path} behind it.")
        return self.report.found


def sequence_of(value):
    return value if is_whole(value, 1 - 2**53) else 0


class CaseEvents:
    """Compares the lines of review cases with their histories, which come first."""

    def __init__(self, told_at):
        self.report, self.told_at, self.expected, self.current = Report("review events"), instant(told_at), {}, None
        self.found = self.report.found

    def expect(self, case):
        lines = [self.line_of(step) for step in objects(case, "history")]
        self.expected[repr(case.get("reviewCaseId"))] = (len(lines), lines)

    def line_of(self, event):
        return [event.get(name) for name in ("eventSequence", "caseVersion", "step", "at", "actor")]

    def add(self, event):
        if not isinstance(event, dict):
            self.report.failed("form", "Expected a step of a review case.")
            return
        name = repr(event.get("reviewCaseId"))
        if self.current is None or self.current[0] != name:
            self.finish()
            self.current = (name, [])
        self.current[1].append(self.line_of(event))

    def end(self):
        self.finish()
        if any(count > 0 for count, _ in self.expected.values()):
            self.report.unchecked("record", "Cases have no lines.")

    def finish(self):
        if self.current is None:
            return
        name, lines = self.current
        self.current = None
        history = self.expected.pop(name, None)
        if history and not same(lines[: history[0]], history[1]):
            self.report.failed("record", "Its lines are not the steps of its history.")
        known = history[0] if history else 0
        if not all(self.is_next(lines[at], lines[at - 1] if at else [0]) for at in range(known, len(lines))):
            detail = "A further line of it is older than the pack, or tells a step twice." if history else "It has lines, and is told twice or in no list of cases."
            self.report.failed("record", detail)

    def is_next(self, line, last):
        """Whether a line is of a step that came while the pack was made, after the one of another line."""
        at = instant(line[3])
        is_late = at is not None and self.told_at is not None and at > self.told_at - SKEW
        return sequence_of(line[0]) > sequence_of(last[0]) and is_late


def check_sessions(data, application, rows):
    """Checks an application's index of sessions, and takes the seals that it names."""
    report = Report("sessions")
    try:
        lines = list(cells_of(data.decode()))
    except ValueError:
        report.failed("form", "It is no CSV in UTF-8 as its issuer writes it.")
        return report.found
    if not lines or tuple(lines[0]) != COLUMNS:
        report.failed("form", "It has other columns.")
    seen = set()
    for line in lines[1:]:
        row = dict(zip(COLUMNS, line))
        if len(line) != len(COLUMNS) or row["application_id"] != application:
            report.failed("form", "It has a row that is none of its application.")
            continue
        if row["session_id"] in seen:
            report.failed("form", "It has a session twice.")
        seen.add(row["session_id"])
        seal = [row[name] for name in ("batch_id", "leaf_hash", "leaf_index", "sealed_revision")]
        if all(cell is None for cell in seal):
            continue
        if any(cell is None or not re.fullmatch(r"0|[1-9][0-9]*", cell) for cell in seal[2:]):
            report.failed("form", "It has a seal without a place.")
            continue
        leaf = {"leafHash": seal[1], "revision": float(seal[3]), "sessionId": row["session_id"]}
        rows.indexed(application, seal[0], float(seal[2]), leaf)
    return report.found


def cells_of(text):
    """The rows of a CSV: texts quoted, numbers as they are, nothing for None. ValueError for another form."""
    row, at = [], 0
    cell = re.compile(r'(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|\r\n)')
    while at < len(text):
        found = cell.match(text, at)
        if not found:
            raise ValueError("no cell")
        row.append(found[1].replace('""', '"') if found[1] is not None else found[2] or None)
        at = found.end()
        if found[3] != ",":
            yield row
            row = []
    if row:
        raise ValueError("no end")
