"""Checks what a pack of each kind has (interface.md, "Evidence package"), and certificates of erasure."""

import re

from keys import check_signatures
from proof import is_whole
from record import check_lists, objects
from rows import application_of
from strict_json import same
from times import instant

SUBJECT = ("access-report.json", "portable/sessions.json")
SUBJECT_FILES = (
    *SUBJECT,
    "access-report.pdf",
    "portable/sessions.csv",
    "processing-log.json",
    "erasures-and-holds.json",
)
AUDITOR_FILES = (
    "anchors.jsonl",
    "audit-log.jsonl",
    "members.csv",
    "retention-and-holds.json",
    "authenticators.json",
    "verification-keys.json",
)
APPLICATION_FILES = (
    "application.json",
    "policy-rules.json",
    "sessions.csv",
    "review-cases.jsonl",
    "review-events.jsonl",
    "batches.jsonl",
)
MOST_LISTED = 1_000


def expected(kind, scope, paths):
    if kind == "subject":
        return SUBJECT_FILES
    if kind == "auditor":
        ids = scope.get("applicationIds") if isinstance(scope.get("applicationIds"), list) else []
        return (*AUDITOR_FILES, *(f"applications/{each}/{file}" for each in ids for file in APPLICATION_FILES))
    folders = (re.match(r"applications/[^/]+/sessions/[^/]+/", path) for path in paths)
    return [f"{found[0]}evidence.json" for found in folders if found]


def check_contents(manifest, paths, documents, last_entry, report):
    """Compares members with the manifest and with each other; `documents` are those of `SUBJECT`."""
    if not isinstance(manifest, dict):
        return
    scope = manifest["scope"] if isinstance(manifest.get("scope"), dict) else {}
    check_lists(manifest, ("omitted",), report)
    left = [each for each in objects(manifest, "omitted") if isinstance(each.get("path"), str)]
    omitted = {each["path"] for each in left}
    # What was left out for its path stands beside the member that has it.
    absent = {each["path"] for each in left if each.get("reason") != "path_taken"}
    if absent & set(paths):
        report.failed("manifest", "It lists a file that it says was left out.")
    if manifest.get("packType") not in ("auditor", "bulk", "subject"):
        report.failed("manifest", "Expected a package of a known kind.")
    ids = scope.get("applicationIds")
    for each in {application_of(path) for path in paths} if isinstance(ids, list) else ():
        if each is not None and each not in ids:
            report.failed("manifest", f"{each} is no application of the scope.")
    for path in expected(manifest.get("packType"), scope, paths):
        if path not in paths and path not in omitted:
            report.on(path).failed("manifest", "It is missing, and not named as left out.")
    if manifest.get("packType") == "auditor":
        check_order(scope, list(paths), report)
        named = scope["auditLog"] if isinstance(scope.get("auditLog"), dict) else {}
        last = last_entry if isinstance(last_entry, dict) else {"position": 0.0, "hash": None}
        if any(not same(named.get(name), last.get(name)) for name in ("position", "hash")):
            report.failed("manifest", "The audit log does not end where the manifest says.")
    if manifest.get("packType") == "subject" and all(path in paths for path in SUBJECT):
        check_subject(manifest, scope, *(documents.get(path) for path in SUBJECT), report)


def check_order(scope, paths, report):
    """Checks that lists stand behind those that name what they list."""
    for each in scope.get("applicationIds") if isinstance(scope.get("applicationIds"), list) else []:
        lists = (*(f"applications/{each}/{file}" for file in APPLICATION_FILES), "anchors.jsonl")
        places = [paths.index(path) for path in lists if path in paths]
        if places != sorted(places):
            report.failed("manifest", "Its files stand in another order.")


def check_subject(manifest, scope, told, given, report):
    if not isinstance(told, dict) or not isinstance(given, dict):
        report.failed("manifest", "Report and sessions are no objects.")
        return
    of = [manifest.get("tenantId"), scope.get("dataSubjectId")]
    if any(not same([each.get("tenantId"), each.get("dataSubjectId")], of) for each in (told, given)):
        report.failed("manifest", "Of another person or organization than the manifest.")
    listed, sessions = told.get("sessions"), given.get("sessions")
    counted = [count(each) for each in objects(given, "sessions")]
    named = [[each.get("sessionId"), each.get("stepCount")] for each in objects(told, "sessions")]
    lists = isinstance(listed, list) and isinstance(sessions, list)
    whole = lists and len(named) == len(listed) and len(counted) == len(sessions)
    if not whole or told.get("sessionCount") != len(counted) or not same(named, counted[:MOST_LISTED]):
        report.failed("manifest", "The report does not count the sessions and steps that are there.")


def count(session):
    of, steps = session.get("session"), session.get("steps")
    name = of.get("sessionId") if isinstance(of, dict) else None
    return [name, float(len(steps)) if isinstance(steps, list) else []]


def check_erasure(document, report):
    """Checks a certificate of erasure: its signature, and that what it says is whole and possible."""
    check_signatures(document, report)
    names = ("organizationName", "tenantId", "erasureRequestId", "dataSubjectId")
    named = all(isinstance(document.get(name), str) and document[name] for name in names)
    if (document.get("certificateVersion"), document.get("method")) != ("1.0", "crypto-shredding") or not named:
        report.failed("form", "Not a certificate of version 1.0 that names whose data was erased.")
    ids, left, counts = document.get("applicationIds"), document.get("retained"), document.get("counts")
    if not are_texts(ids) or len(set(ids)) != len(ids):
        report.failed("form", "Expected its applications, each once.")
    if not isinstance(counts, dict) or not all(is_whole(each) for each in counts.values()):
        report.failed("form", "Expected whole numbers of what was erased.")
    if not are_texts(left) or not left:
        report.failed("form", "Expected what remains.")
    requested, completed = (time_at(document, name) for name in ("requestedAt", "completedAt"))
    if requested is None or completed is None or completed < requested:
        report.failed("form", "It was completed before it was requested, or never.")


def are_texts(value):
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def time_at(document, name):
    text = document.get(name)
    plain = isinstance(text, str) and re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", text, re.A)
    return instant(text) if plain else None
