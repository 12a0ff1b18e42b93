"""Checks documents: evidence, proofs, certificates, ledgers, audit logs and lists of batches (interface.md)."""

from cases import CaseLines, check_case_proof, check_cases, check_place
from contents import check_erasure
from keys import check_signatures, hash_of, log_hash
from known import NAMED, check_known_source, is_other_leaf
from proof import ZEROS, check_known_entries, check_ledger, commitment_of, is_whole, leaf_hash, tree_root
from record import check_leaf, check_lists, check_record, has_objects, has_texts, objects
from report import Report, has
from strict_json import NoCanonicalForm, canonical, name_of, same
from tails import check_tails
from times import instant, session_times

SOURCES = {"otlp": "record", "submission": "submitted"}
LISTS = (
    ("anchor-ledger", ("anchorVersion",)),
    ("audit-log", ("position", "action", "previousHash", "hash")),
    ("batches", ("batchId", "merkleRoot", "leaves")),
    ("review-cases", ("reviewCaseId", "checkpoint", "integrity")),
)


def kind_of(document):
    """The kind of a parsed document; None for one that is not checked."""
    if isinstance(document, list):
        fits = lambda item, names: isinstance(item, dict) and all(name in item for name in names)
        kinds = (kind for kind, names in LISTS if document and all(fits(item, names) for item in document))
        return next(kinds, None)
    if not isinstance(document, dict):
        return None
    if "evidenceVersion" in document:
        return "evidence"
    types = {"session-anchor": "session-certificate", "erasure": "erasure-certificate"}
    certificate = document.get("certificateType")
    if isinstance(certificate, str) and certificate in types:
        return types[certificate]
    if "inclusionPath" in document:
        return "proof"
    return "anchor-ledger" if "anchorVersion" in document or isinstance(document.get("anchors"), list) else None


def check_document(document, keys, known, covered):
    """Findings of a document of a known kind; `covered`: a pack's signature speaks for it."""
    kind = kind_of(document)
    own = known_of(document, known) if kind == "evidence" and known is not None else known
    report = Report("document", keys, own)
    if own is not known:
        report.noted("witness", "The id of its session is known as that of another, since removed.")
    if kind in ("audit-log", "batches", "review-cases"):
        lists = {"audit-log": AuditLog(known), "batches": Batches(known), "review-cases": CaseLines(keys, known)}
        check = lists[kind]
        for item in document:
            check.add(item)
        check.end()
        if not covered and not has(check.found, "failed"):
            report.unchecked("issuer", "Nothing signed covers it.")
        if kind != "review-cases" and not covered:
            check_tails(getattr(check, "sealed", []), None, check if kind == "audit-log" else None, report)
        return check.found + report.found
    if kind == "evidence":
        check_evidence(document, report)
    elif kind == "proof":
        check_proof(document, report)
        if not covered:
            report_unsigned(document, report)
    elif kind == "session-certificate":
        check_certificate(document, report)
    elif kind == "erasure-certificate":
        check_erasure(document, report)
    else:
        if isinstance(document, dict):
            document = document["anchors"] if has_objects(document, "anchors") else [document]
        check_ledger(document, report, covered)
    return report.found


def known_of(document, known):
    """What is known, as far as it can be of the session that a document tells."""
    members = [document.get(name) for name in ("application", "session", "integrity")]
    application, session, seal = (each if isinstance(each, dict) else {} for each in members)
    of = (application.get("applicationId"), session.get("sessionId"))
    return known.without_removed(*of, session.get("startedAt"), seal)


def check_evidence(document, verification):
    session, integrity = document.get("session"), document.get("integrity")
    name = session.get("sessionId") if isinstance(session, dict) else None
    report = verification.on(f"session {name}")
    if document["evidenceVersion"] != "1.0":
        report.unchecked("form", "Another version of evidence.")
        return
    check_signatures(document, report)
    if not isinstance(session, dict) or not isinstance(integrity, dict):
        report.failed("form", "Expected session and integrity.")
        return
    check_lists(document, ("steps", "scores", "policyResults"), report)
    check_lists(integrity, ("earlier",), report)
    if not is_named(document, session, report):
        return
    check_form(session, integrity, report)
    record = check_leaf(integrity, report)
    if record is not None:
        check_record(document, record, report)
    application = document.get("application")
    of = {
        "applicationId": application.get("applicationId") if isinstance(application, dict) else None,
        "sessionId": session.get("sessionId"),
    }
    seals = objects(integrity, "earlier")
    if integrity.get("leafHash", "") is not None:
        seals = [integrity, *seals]
    for seal in seals:
        own = {name: value for name, value in seal.items() if name != "reviewCaseId"}
        shown = integrity.get("leafInputStatus") == "present"
        # Of an earlier revision evidence has the leaf alone.
        told = ("shown" if shown else "gone", session_times(document)) if seal is integrity else (NAMED, None)
        check_place({**own, **of}, seal.get("merkle"), report, *told)
    if report.known is not None:
        before = report.known.leaves.get(name_of(of["applicationId"], of["sessionId"]), {})
        shown = [seal.get("revision") for seal in seals]
        revision = session.get("revision")
        if any(each not in shown and isinstance(revision, float) and each <= revision for each in before):
            report.failed("witness", "A seal that is known is left out.")
        if any(isinstance(revision, float) and each > revision for each in before):
            report.noted("witness", "A seal of a later revision is known.")
    check_known_source(of, integrity, report)
    if integrity.get("leafHash", "") is None:
        report.unwitnessed("This revision is under no leaf.")
    elif integrity.get("leafInputStatus") != "present" and report.authorities is not None:
        report.noted("stamp", "Its content is gone: a stamp says nothing of what is told of it.")
    check_cases(document, {"tenantId": document.get("tenantId"), **of}, report)
    erasure = document.get("erasure")
    if isinstance(erasure, dict) and isinstance(erasure.get("erasedSubjects"), list) and erasure["erasedSubjects"]:
        report.noted("content", "Data of subjects was erased.")


def is_named(document, session, report):
    """Whether all ids are there by which what a document tells is compared with anything else."""
    application = document["application"] if isinstance(document.get("application"), dict) else {}
    named = [
        has_texts(document, ["tenantId"], report),
        has_texts(application, ["applicationId"], report),
        has_texts(session, ["applicationId", "sessionId"], report),
        *(has_texts(step, ["stepId"], report) for step in objects(document, "steps")),
    ]
    return all(named)


def check_form(session, integrity, report):
    if (integrity.get("canonicalization"), integrity.get("hashAlgorithm")) != ("RFC8785", "rfc9162-sha256"):
        report.failed("form", "Other algorithms.")
    revision, leaf = integrity.get("revision"), integrity.get("leafHash", "")
    if not isinstance(revision, float) or not 1 <= revision <= 2**53 - 1 or revision % 1:
        report.failed("form", "Expected a revision from 1.")
    if revision != session.get("revision"):
        report.failed("form", "The seal is of another revision.")
    earlier = [seal.get("revision") for seal in objects(integrity, "earlier")]
    older = all(isinstance(each, float) and isinstance(revision, float) and each < revision for each in earlier)
    if not older or len(set(map(str, earlier))) < len(earlier):
        report.failed("form", "Earlier seals are of other revisions before this one.")
    origin = session.get("origin")
    source = SOURCES.get(origin) if isinstance(origin, str) else None
    if source is None or (leaf is not None and integrity.get("leafSource") != source):
        report.failed("form", "Its leaf is not made of what its origin says.")
    places = [value if isinstance(value, dict) else {} for value in (session.get("sealed"), integrity.get("merkle"))]
    one, other = ([place.get("batchId"), place.get("leafIndex")] for place in places)
    if leaf is not None and not same(one, other):
        report.failed("form", "The session names another leaf than its proof.")


def check_proof(proof, verification):
    report = verification.on(f"session {proof.get('sessionId')}")
    if proof.get("hashAlgorithm") != "rfc9162-sha256":
        report.failed("form", "Another hash algorithm.")
    elif not has_texts(proof, ("applicationId", "sessionId"), report):
        return
    elif "reviewCaseId" in proof:
        check_case_proof(proof, report)
    elif not is_whole(proof.get("revision"), 1):
        report.failed("form", "Expected a revision from 1.")
    else:
        check_place(proof, proof, report, NAMED)


def report_unsigned(proof, report):
    """What a proof by itself leaves open; that of a case has its record, which says whose it is."""
    signed = report.has("verified", "commitment") and report.has("verified", "anchor")
    if report.has("verified", "inclusion") and not ("reviewCaseId" in proof and signed):
        report.unchecked("issuer", "Nothing signed says whose leaf it is.")


def check_certificate(document, verification):
    proof = document.get("proof")
    if document.get("certificateVersion") != "1.0":
        verification.unchecked("form", "A version that is not known here.")
    check_signatures(document, verification)
    if isinstance(proof, dict):
        check_proof(proof, verification)
    else:
        verification.failed("form", "Expected the member proof.")


class Heads(dict):
    """Heads of the audit log by position, and how far the log was read: batches come before it."""

    reached = 0


class AuditLog:
    """Checks entries of the audit log one by one, with the heads that batches commit to."""

    def __init__(self, known, heads=None):
        self.heads, self.compared, self.seen = Heads() if heads is None else heads, 0, None
        # The last entry that a batch commits to or that is known, and the times of those after it.
        self.bound, self.times = 0, []
        self.report, self.last, self.broken, self.entries = Report("audit log", None, known), None, False, []
        self.found = self.report.found

    def fail(self, detail):
        self.broken = True
        self.report.failed("chain", detail)

    def add(self, entry):
        self.seen = entry
        if self.broken:
            return
        if not isinstance(entry, dict):
            return self.fail("Expected an entry.")
        position, previous, named = (entry.get(name) for name in ("position", "previousHash", "hash"))
        if not is_whole(position, 1):
            return self.fail("Expected a position from 1.")
        if hash_of(previous) is None or hash_of(named) is None:
            return self.fail("Expected previousHash and hash.")
        if self.last and (position != self.last[0] + 1 or previous != self.last[1]):
            return self.fail("It does not follow the entry before it.")
        if not self.last and (position == 1) != (previous == ZEROS):
            return self.fail("The first entry, and no other, has 64 zeros before it.")
        text = {name: value for name, value in entry.items() if name not in ("position", "previousHash", "hash")}
        if log_hash(hash_of(previous), text) != named:
            return self.fail("It hashes to something else.")
        self.heads.reached = position
        if self.heads.get(position, named) != named:
            return self.fail("A batch commits to another entry.")
        self.compared += position in self.heads
        self.last = (position, named)
        known = self.report.known
        is_known = known and (name_of("audit-log", position) in known.entries or named in known.hashes)
        if is_known:
            self.entries.append((name_of("audit-log", position), int(position), named))
        if is_known or position in self.heads:
            self.bound, self.times = position, []
        else:
            self.times.append(instant(entry.get("at")))

    def end(self):
        if self.broken:
            return
        if self.last is None:
            self.report.noted("chain", "The audit log is empty.")
            return
        self.report.verified("chain", f"One chain up to {self.last[1]}.")
        if self.compared:
            self.report.verified("batch", f"Batches commit to {self.compared} of its entries.")
        if self.entries:
            check_known_entries(self.entries, self.report)


def is_of_a_kind(leaf):
    """Whether a leaf is told as that of a session, of a case or of an entry of the audit log."""
    if leaf.get("leafType") == "audit-log":
        return True
    if not isinstance(leaf.get("sessionId"), str):
        return False
    if leaf.get("leafType") == "review-case":
        return isinstance(leaf.get("reviewCaseId"), str)
    return leaf.get("leafType") is None and leaf.get("reviewCaseId") is None and is_whole(leaf.get("revision"), 1)


class Batches:
    """Checks Merkle batches one by one: roots of their leaves, commitments of their roots, heads of the audit log."""

    def __init__(self, known, heads=None):
        self.heads, self.cases = Heads() if heads is None else heads, {}
        self.report, self.sealed = Report("batches", None, known), []
        # Known leaves: those listed, and those of later sessions by an id that is listed.
        self.shown, self.awaited = set(), set()
        self.found = self.report.found

    def add(self, batch):
        leaves = objects(batch, "leaves") if isinstance(batch, dict) else []
        hashes = [hash_of(leaf.get("leafHash")) for leaf in leaves]
        if not hashes or None in hashes:
            return self.report.failed("batch", "Expected leaves with their hashes.")
        root, nonce, commitment = hash_of(batch.get("merkleRoot")), hash_of(batch.get("nonce")), batch.get("commitment")
        if root is None or nonce is None or not isinstance(commitment, str):
            return self.report.failed("batch", "Expected merkleRoot, nonce and commitment.")
        if not all(is_of_a_kind(leaf) for leaf in leaves):
            return self.report.failed("batch", "A leaf does not say what it is of.")
        if tree_root(hashes) != root or not is_whole(batch.get("treeSize")) or batch["treeSize"] != len(hashes):
            return self.report.failed("batch", "Its leaves lead to another root.")
        if commitment_of(root, nonce) != commitment:
            return self.report.failed("batch", "Its commitment is not that of root and nonce.")
        for leaf in leaves:
            of = repr((leaf.get("reviewCaseId"), leaf.get("sessionId")))
            if leaf.get("leafType") == "review-case" and self.cases.setdefault(of, leaf["leafHash"]) != leaf["leafHash"]:
                return self.report.failed("batch", "It has another leaf of a case than a batch before.")
        if any(not self.is_head(leaf, batch) for leaf in leaves if leaf.get("leafType") == "audit-log"):
            return self.report.failed("batch", "Its leaf is not that of the audit log.")
        known = self.report.known
        place = name_of(batch.get("applicationId"), batch.get("batchId"))
        if known and known.roots.get(place, root.hex()) != root.hex():
            return self.report.failed("witness", "Known is another root of it.")
        application, others = batch.get("applicationId"), []
        if known:
            others = [leaf for leaf in leaves if is_other_leaf(application, leaf, known)]
        if any(not self.is_again(leaf, batch) and not self.is_former(leaf, batch) for leaf in others):
            return self.report.failed("witness", "Its leaf is known as another.")
        if others:
            self.report.noted("witness", "The id of a session is known as that of another, since removed.")
        if known:
            self.shown.update(leaf["leafHash"] for leaf in leaves if leaf["leafHash"] in known.owners)
        sequence, heads = batch.get("anchorSequence"), [leaf for leaf in leaves if leaf.get("leafType") == "audit-log"]
        sealed = {name: batch.get(name) for name in ("applicationId", "batchId")}
        sealed.update(sealedAt=instant(batch.get("sealedAt")), commitment=commitment)
        sealed["sequence"] = sequence if isinstance(sequence, float) else None
        sealed["known"] = bool(known) and (known.roots.get(place) == root.hex() or root.hex() in known.hashes)
        sealed["head"] = max((leaf["position"] for leaf in heads), default=0)
        self.sealed.append(sealed)
        return None

    def is_again(self, leaf, batch):
        """Whether a leaf is of a session whose id is known as that of another, which had been removed by then."""
        known, session = self.report.known, name_of(batch.get("applicationId"), leaf.get("sessionId"))
        fresh = not isinstance(leaf.get("reviewCaseId"), str) and leaf["leafHash"] not in known.owners
        return fresh and known.is_of_another(session, leaf.get("revision"), batch.get("sealedAt"))

    def is_former(self, leaf, batch):
        """Whether a leaf is of a session whose id is known as that of a later one; that must be listed too."""
        known, session = self.report.known, name_of(batch.get("applicationId"), leaf.get("sessionId"))
        if isinstance(leaf.get("reviewCaseId"), str) or leaf["leafHash"] in known.owners:
            return False
        later = known.later_leaf_of(session, leaf.get("revision"), batch.get("sealedAt"))
        if later is not None:
            self.awaited.add(later)
        return later is not None

    def is_head(self, leaf, batch):
        """Whether a leaf is that of one entry of the audit log, which no other batch contradicts."""
        position, head, tenant = leaf.get("position"), leaf.get("hash"), batch.get("tenantId")
        if not isinstance(position, float) or not isinstance(head, str) or not isinstance(tenant, str):
            return False
        if 0 < position <= self.heads.reached:
            return False
        record = {"tenantId": tenant, "position": position, "hash": head}
        record.update(leafType="audit-log", recordVersion="1.0")
        try:
            if leaf_hash(canonical(record)).hex() != leaf.get("leafHash"):
                return False
        except NoCanonicalForm:
            return False
        return (ZEROS if position == 0 else self.heads.setdefault(position, head)) == head

    def end(self):
        if not self.awaited <= self.shown:
            self.report.failed("witness", "Its leaf is known as another.")
        if not has(self.found, "failed"):
            self.report.verified("batch", "All batches fit together.")
