"""Checks review cases against their leaves (interface.md, "Leaves of a batch")."""

from decisions import check_decision
from keys import sha256
from known import check_known_cases, check_known_end, check_witness
from proof import check_anchor, check_inclusion, leaf_hash
from record import check_lists, has_texts, instant, objects
from report import Report
from strict_json import NoCanonicalForm, canonical, name_of, same
from times import case_times

HOUR = 3_600_000
UNTOLD = object()
AS_TOLD = (
    "tenantId applicationId sessionId reviewCaseId caseVersion state decision reasonCategory presentationDigest "
    "commentDigest responseDigest decidedBy closedAt decisionSignature"
).split()


def check_place(seal, merkle, report, content, times=None):
    """
    Checks a leaf's place in its tree, the anchor of the root, and both with what is known from before. `content`: whether what
    the leaf is of is shown, gone, or only named.
    """
    if not isinstance(merkle, dict):
        report.failed("inclusion", "A leaf without a proof.")
        return
    leaf = seal.get("leafHash")
    root = check_inclusion(merkle, leaf, report)
    if root is None:
        return
    anchor = seal.get("anchor")
    entry_hash = check_anchor(anchor, root, report, times)
    entry = None
    if entry_hash is None and report.authorities is not None:
        report.noted("stamp", "No entry is shown to cover its root.")
    if entry_hash is not None:
        entry = (name_of("ledger", anchor.get("ledger"), anchor.get("sequence")), entry_hash)
    check_witness({**seal, "batchId": merkle.get("batchId")}, leaf, root.hex(), entry, content, report)


def check_cases(document, of, report):
    """Checks the cases of an evidence document; `of` are the ids of its tenant, application and session."""
    cases = document.get("reviewCases")
    if not isinstance(cases, list) or not all(isinstance(case, dict) for case in cases):
        report.failed("form", "Expected the member reviewCases.")
        return
    ids = [repr(case.get("reviewCaseId")) for case in cases]
    if len(set(ids)) < len(ids):
        report.failed("form", "A case twice.")
    for case in cases:
        check_case(case, of, document.get("generatedAt"), report.on(f"review case {case.get('reviewCaseId')}"))
    told = {case["reviewCaseId"]: case for case in cases if isinstance(case.get("reviewCaseId"), str)}
    check_known_cases(of, document.get("generatedAt"), lambda case_id: is_shown_ended(told.get(case_id)), report)


def is_shown_ended(case):
    """Whether a case is shown as one that ended, with its leaf or without one."""
    return case is not None and case.get("state") != "open"


def check_case(case, of, told_at, report):
    integrity = case.get("integrity")
    if not isinstance(integrity, dict):
        report.failed("form", "Expected the member integrity.")
        return
    if not has_texts(case, ("tenantId", "applicationId", "sessionId", "reviewCaseId"), report):
        return
    check_lists(case, ("history", "followUps", "policyResults"), report)
    if any(case.get(name) != value for name, value in of.items()):
        report.failed("form", "It is of something else than what it was found in.")
    check_texts(case, report)
    check_decision(case, report)
    check_known_record(case, report)
    if integrity.get("leafInputStatus") != "present":
        check_unsealed(case, integrity, told_at, report)
        return
    if case.get("state") == "open":
        report.failed("record", "An open case has no leaf.")
    record = check_case_leaf(integrity, report)
    if record is not None:
        check_case_record(case, record, report)
    ids = {name: case.get(name) for name in ("applicationId", "sessionId", "reviewCaseId")}
    times = case_times(case if record is None else record)
    check_place({**integrity, **ids}, integrity.get("merkle"), report, "shown", times)


def check_case_leaf(seal, report):
    """The record of a case, where the leaf is its hash; else None."""
    record = seal.get("leafInput")
    try:
        computed = leaf_hash(canonical(record)).hex() if isinstance(record, dict) else None
    except NoCanonicalForm:
        computed = None
    if computed is None or computed != seal.get("leafHash"):
        report.failed("leaf", f"The record hashes to {computed}.")
        return None
    if (record.get("leafType"), record.get("recordVersion")) != ("review-case", "1.0"):
        report.failed("leaf", "The leaf is not that of a review case.")
        return None
    report.verified("leaf", f"The record hashes to {computed}.")
    return record


def check_unsealed(case, integrity, told_at, report):
    names = ("leafInput", "leafHash", "merkle", "anchor")
    has_none = all(name in integrity and integrity[name] is None for name in names)
    if integrity.get("leafInputStatus") != "not_sealed" or not has_none:
        report.failed("leaf", "Neither sealed nor plainly not sealed.")
        return
    if case.get("state") == "open":
        return
    # A case that moves to another session has another record from then on.
    moves = [step.get("at") for step in objects(case, "history") if step.get("step") == "session_moved"]
    told, since = instant(told_at), [instant(at) for at in (case.get("closedAt"), *moves)]
    waiting = told_at is UNTOLD or (told is not None and None not in since and told - max(since) <= HOUR)
    if waiting:
        report.noted("leaf", "Its end waits for a batch.")
    else:
        report.unchecked("leaf", "Its end is under no leaf.")
    report.unwitnessed("Its end is under no leaf.", waiting)


def check_known_record(case, report):
    """Checks that a case ended as each of its known leaves says, whatever session that names."""
    if report.known is None or not is_shown_ended(case):
        return
    for session, leaf in report.known.of_cases.get(name_of(case.get("applicationId"), case["reviewCaseId"]), {}).values():
        try:
            told = leaf_hash(canonical({**record_of(case), "sessionId": session})).hex()
        except NoCanonicalForm:
            told = None
        if told != leaf:
            report.failed("witness", "It ended otherwise, by a leaf of it that is known.")


def record_of(case):
    """The record that a case has by what it tells."""
    checkpoint = case.get("checkpoint")
    told = {name: case.get(name) for name in AS_TOLD}
    told.update(leafType="review-case", recordVersion="1.0", openedAt=case.get("createdAt"))
    told["checkpointId"] = checkpoint.get("checkpointId") if isinstance(checkpoint, dict) else None
    return told


def check_case_record(case, record, report):
    before, told = len(report.found), record_of(case)
    for name in {*told, *record}:
        if name not in record or not same(record[name], told.get(name)):
            report.failed("record", f"{name} is not as it was sealed.")
    check_history(case, report)
    if len(report.found) == before:
        report.verified("record", "The case tells what was sealed.")


def check_history(case, report):
    """The recorded steps begin with the opening, and have the end, as the record says."""
    steps, state = objects(case, "history"), case.get("state")
    ends = [step for step in steps if state in ("decided", "cancelled", "expired") and step.get("step") == state]
    begun = bool(steps) and steps[0].get("step") == "created" and same(steps[0].get("at"), case.get("createdAt"))
    end = ends[0] if ends else {}
    ended = same(end.get("at"), case.get("closedAt")) and same(end.get("caseVersion"), case.get("caseVersion"))
    reviewer = case.get("decidedBy")
    by = state != "decided" or (isinstance(reviewer, str) and end.get("actor") == f"member:{reviewer}")
    if not (begun and ends and ended and by):
        report.failed("record", "Its history does not begin and end as it was sealed.")
    assignment = case.get("assignment")
    assigned = assignment.get("reviewerId") if isinstance(assignment, dict) else None
    if state == "decided" and not same(assigned, reviewer):
        report.failed("record", "Another than its reviewer decided it.")


def check_texts(case, report):
    """What was shown and written, by its digests; all of it is there, or an erasure took all of it."""
    nonces = case.get("nonces") if isinstance(case.get("nonces"), dict) else {}
    presentation = case.get("presentation")
    if "presentation" in case and presentation is None:
        left = [case.get("reviewerComment"), case.get("response"), nonces.get("comment"), nonces.get("response")]
        if any(each is not None for each in left) or objects(case, "followUps") or objects(case, "policyResults"):
            report.failed("content", "What was shown is missing, and other texts are not.")
        else:
            report.noted("content", "Its texts were erased.")
        return
    digest = case.get("presentationDigest")
    if digest is not None and not is_digest(presentation, digest):
        report.failed("content", "What was shown is not what its digest is of.")
    for name, text in (("comment", case.get("reviewerComment")), ("response", case.get("response"))):
        nonce, digest = nonces.get(name), case.get(f"{name}Digest")
        none = text is None and nonce is None and digest is None
        if not none and not (text is not None and isinstance(nonce, str) and is_digest([nonce, text], digest)):
            report.failed("content", f"Its {name} is not what its digest is of.")
    answered = [
        {"question": each.get("question"), "answer": each.get("answer")}
        for each in objects(case, "followUps")
        if each.get("answer", ()) is not None
    ]
    asked = presentation.get("followUps") if isinstance(presentation, dict) else None
    if not same(answered, [] if asked is None else asked):
        report.failed("content", "Its answered questions are not those that were shown.")


def is_digest(value, digest):
    try:
        return sha256(canonical(value)) == digest
    except NoCanonicalForm:
        return False


def check_case_proof(proof, report):
    """Checks the proof of a case, which has its record."""
    record = check_case_leaf(proof, report)
    if record is not None:
        for name in ("reviewCaseId", "sessionId", "applicationId"):
            if not same(record.get(name), proof.get(name)):
                report.failed("record", f"{name} is not as it was sealed.")
        report.verified("record", "What became of the case is sealed.")
    check_place(proof, proof, report, "shown", case_times(record or {}))


class CaseLines:
    """Checks review cases one by one, as a pack lists them; told is what does not hold, and one sum."""

    def __init__(self, keys, known, told_at=UNTOLD):
        self.report, self.told_at, self.seen = Report("review cases", keys, known), told_at, set()
        self.found, self.sealed, self.witnessed, self.stamped, self.unstamped = [], 0, 0, 0, 0
        self.signed, self.renamed, self.recorded, self.older = 0, 0, 0, 0

    def add(self, case):
        each = Report("review case", self.report.keys, self.report.known)
        if not isinstance(case, dict):
            each.failed("form", "Expected a review case.")
        else:
            if repr(case.get("reviewCaseId")) in self.seen:
                each.failed("form", "It is told twice.")
            self.seen.add(repr(case.get("reviewCaseId")))
            check_case(case, {}, self.told_at, each)
            if not is_shown_ended(case):
                timeless = self.told_at is UNTOLD
                check_known_end(case.get("applicationId"), case.get("reviewCaseId"), instant(self.told_at), each, timeless)
        self.sealed += each.has("verified", "leaf")
        self.witnessed += each.has("verified", "witness")
        self.signed += each.has("verified", "decision")
        self.older += each.has("noted", "witness")
        signed = each.has("verified", "decision")
        self.renamed += signed and each.has("noted", "decision")
        self.recorded += not signed and each.has("noted", "decision")
        self.stamped += each.has("verified", "stamp")
        self.unstamped += each.has("noted", "stamp")
        self.found += [one for one in each.found if one["result"] in ("failed", "unchecked")]

    def end(self):
        if not self.found and self.seen:
            self.report.verified("leaf", f"{self.sealed} of {len(self.seen)} cases are sealed.")
        if not self.found and self.signed:
            self.report.verified("decision", f"{self.signed} decisions are signed by their reviewers.")
        if not self.found and self.recorded:
            self.report.noted("decision", f"{self.recorded} decisions are recorded by the service.")
        if not self.found and self.renamed:
            self.report.noted("decision", f"{self.renamed} were signed while their session had another name.")
        if not self.found and self.older:
            self.report.noted("witness", f"{self.older} cases are told as before their end.")
        if not self.found and self.witnessed:
            self.report.verified("witness", "What is known from before covers cases of it.")
        if not self.found and self.report.authorities is not None and self.unstamped:
            self.report.noted("stamp", f"{self.unstamped} cases are under no stamped entry.")
        elif not self.found and self.stamped:
            self.report.verified("stamp", "Trusted authorities stamped the entries over them.")
        self.found += self.report.found
