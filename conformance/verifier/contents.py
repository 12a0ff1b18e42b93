"""Checks what a pack of each kind has (interface.md, "Evidence package"), and certificates of erasure."""

import re

from keys import check_signatures
from proof import is_whole
from record import check_lists, objects
from rows import application_of
from strict_json import same
from times import instant

SUBJECT = ("access-report.json", "portable/sessions.json")
APPLICATION_FILES = (
    "application.json",
    "policy-rules.json",
    "sessions.csv",
    "review-cases.jsonl",
    "review-events.jsonl",
    "batches.jsonl",
)
# Of each kind of package: files of the whole, of each application, of each session (the first always), and further ones.
LAYOUTS = {
    "auditor": (
        ("anchors.jsonl", "audit-log.jsonl", "members.csv")
        + ("retention-and-holds.json", "authenticators.json", "verification-keys.json"),
        APPLICATION_FILES,
        (),
        r"README\.txt|time-stamps/[1-9][0-9]*\.tsr",
    ),
    "bulk": (
        ("authenticators.json",),
        (),
        ("evidence.json", "session.csv", "time-stamp.tsr", "evidence-pack.pdf"),
        r"README\.txt",
    ),
    "subject": (
        (*SUBJECT, "access-report.pdf", "portable/sessions.csv", "processing-log.json", "erasures-and-holds.json"),
        (),
        (),
        r"README\.txt",
    ),
}
MOST_LISTED = 1_000


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
    ids = scope.get("applicationIds")
    if not are_texts(ids):
        report.failed("manifest", "Expected the applications of its scope.")
        ids = []
    kind = manifest.get("packType")
    if isinstance(kind, str) and kind in LAYOUTS:
        check_places(LAYOUTS[kind], ids, list(paths), omitted, report)
    else:
        report.failed("manifest", "Expected a package of a known kind.")
    if manifest.get("packType") == "auditor":
        named = scope["auditLog"] if isinstance(scope.get("auditLog"), dict) else {}
        last = last_entry if isinstance(last_entry, dict) else {"position": 0.0, "hash": None}
        if any(not same(named.get(name), last.get(name)) for name in ("position", "hash")):
            report.failed("manifest", "The audit log does not end where the manifest says.")
    if manifest.get("packType") == "subject" and all(path in paths for path in SUBJECT):
        check_subject(manifest, scope, *(documents.get(path) for path in SUBJECT), report)


def check_places(layout, ids, paths, omitted, report):
    """Checks that each file is one that a pack of its kind has, in its order, and that the pack has all that one has."""
    files, of_application, of_session, others = layout
    for each in {application_of(path) for path in paths}:
        if each is not None and each not in ids:
            report.failed("manifest", f"{each} is no application of the scope.")
    matches = (re.match(r"applications/[^/]+/sessions/[^/]+/", path) for path in paths)
    sessions = {found[0] for found in matches if found}
    applications = [[f"applications/{each}/{file}" for file in of_application] for each in ids]
    expected = {*files, *(path for lists in applications for path in lists)}
    expected |= {session + name for session in sessions for name in of_session[:1]}
    for path in expected:
        if path not in paths and path not in omitted:
            report.on(path).failed("manifest", "It is missing, and not named as left out.")
    usual = expected | {session + name for session in sessions for name in of_session}
    for path in paths:
        if path not in usual and not re.fullmatch(others, path):
            report.on(path).unchecked("manifest", "No pack of its kind has it.")
    # Lists stand behind those that name what they list.
    for lists in applications:
        places = [paths.index(path) for path in (*lists, "anchors.jsonl") if path in paths]
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
