"""What a reader holds of an issuer from before."""

import re
from copy import copy

from keys import sha256
from proof import entry_of
from record import has_objects, objects
from rows import member, name_parts
from strict_json import NoCanonicalForm, canonical, name_of
from times import SKEW, instant


NAMED = "named"
# How long a session is kept at least; only then is its id free for another.
LEAST_KEPT = 7 * 86_400_000


class Known:
    """Leaves, roots and entries of documents, and hashes, each of a root or an entry; ValueError for anything else."""

    def __init__(self, values):
        self.hashes, self.entries, self.roots, self.leaves, self.cases = set(), {}, {}, {}, {}
        # Batches, sessions and cases, by kind, application and id.
        self.things = set()
        # By when a case had ended, what a leaf is of by its hash, and source and statuses of a session's leaves.
        self.ends, self.owners, self.sources, self.statuses = {}, {}, {}, {}
        # Leaves of a case, by application and case, each with the session that it names.
        self.of_cases = {}
        # By when a leaf of a session had been sealed, by session, revision and leaf: an id that was free again has two of one.
        self.sealed_by = {}
        # The last entry of the audit log, and of each ledger by its name.
        self.last = {}
        flat = []
        for value in values:
            if isinstance(value, dict) and has_objects(value, "anchors"):
                value = value["anchors"]
            flat.extend(value if isinstance(value, list) else [value])
        if not flat:
            raise ValueError("nothing is known")
        for value in flat:
            self.add(value)

    def add(self, value):
        if isinstance(value, str) and re.fullmatch(r"[0-9a-f]{64}", value):
            self.hashes.add(value)
        elif not isinstance(value, dict):
            raise ValueError("nothing that can be known")
        elif isinstance(value.get("integrity"), dict) and "reviewCaseId" in value:
            self.add_case(value)
        elif isinstance(value.get("integrity"), dict):
            of = {
                "sessionId": member(value, "session").get("sessionId"),
                "applicationId": member(value, "application").get("applicationId"),
            }
            for seal in [value["integrity"], *objects(value["integrity"], "earlier")]:
                self.add_seal({**seal, **member(seal, "merkle"), **of})
            for case in objects(value, "reviewCases"):
                self.add_case(case)
            self.add_source(of, value["integrity"])
        elif isinstance(value.get("proof"), dict):
            self.add_seal(value["proof"])
        elif "inclusionPath" in value:
            self.add_seal(value)
        elif "anchorVersion" in value:
            self.add_entry(value)
        elif isinstance(value.get("position"), float) and isinstance(value.get("hash"), str):
            self.put(("audit-log",), value["position"], value["hash"])
        elif has_objects(value, "leaves"):
            self.add_root(value)
            for leaf in value["leaves"]:
                named = {**leaf, "applicationId": value.get("applicationId")}
                self.add_leaf(named, value.get("sealedAt"), value.get("sealedAt"))
        else:
            raise ValueError("nothing that can be known")

    def add_seal(self, seal):
        self.add_leaf(seal, member(seal, "leafInput").get("closedAt"), member(seal, "anchor").get("anchoredAt"))
        self.add_root(seal)
        self.add_entry(seal.get("anchor"))

    def add_case(self, case):
        integrity = member(case, "integrity")
        of = {name: case.get(name) for name in ("reviewCaseId", "sessionId", "applicationId")}
        self.add_seal({**integrity, **member(integrity, "merkle"), **of})

    def add_leaf(self, seal, ended_by, sealed_by):
        """Holds a leaf; when the case that it is of had ended, and when it had been sealed, at the latest."""
        if seal.get("leafType") == "audit-log" and isinstance(seal.get("hash"), str):
            self.put(("audit-log",), seal.get("position"), seal["hash"])
        if isinstance(seal.get("reviewCaseId"), str) and isinstance(seal.get("leafHash"), str):
            of = name_of(seal.get("applicationId"), seal.get("sessionId"))
            self.cases.setdefault(of, {})[seal["reviewCaseId"]] = seal["leafHash"]
            name, at = (of, seal["reviewCaseId"]), instant(ended_by)
            self.owners[seal["leafHash"]] = name
            end = name_of(seal.get("applicationId"), seal["reviewCaseId"])
            self.of_cases.setdefault(end, {})[name_of(seal.get("sessionId"))] = (seal.get("sessionId"), seal["leafHash"])
            before = self.ends.get(end)
            self.ends[end] = before if at is None else at if before is None else min(at, before)
            self.things.add(("case", *name_parts(seal.get("applicationId"), seal["reviewCaseId"])))
        if isinstance(seal.get("revision"), float) and isinstance(seal.get("leafHash"), str):
            of = name_of(seal.get("applicationId"), seal.get("sessionId"))
            self.leaves.setdefault(of, {})[seal["revision"]] = seal["leafHash"]
            own, at = (of, seal["revision"], seal["leafHash"]), instant(sealed_by)
            known = self.sealed_by.get(own)
            self.sealed_by[own] = at if known is None else known if at is None else max(at, known)
            self.things.add(("session", *name_parts(seal.get("applicationId"), seal.get("sessionId"))))
            # The leaf of a submission names no application.
            self.owners[seal["leafHash"]] = name_of(seal.get("sessionId"))

    def add_source(self, of, integrity):
        revision, source = integrity.get("revision"), integrity.get("leafSource")
        if isinstance(revision, float) and isinstance(source, str):
            session = name_of(of["applicationId"], of["sessionId"])
            self.sources[session] = source
            self.statuses.setdefault(session, {})[revision] = integrity.get("leafInputStatus")

    def add_root(self, seal):
        if isinstance(seal.get("merkleRoot"), str):
            self.hashes.add(seal["merkleRoot"])
            self.things.add(("batch", *name_parts(seal.get("applicationId"), seal.get("batchId"))))
            self.roots[name_of(seal.get("applicationId"), seal.get("batchId"))] = seal["merkleRoot"]

    def is_of_another(self, session, revision, at):
        """Whether the known leaf of a revision is of a session that had been removed before this time, by its age."""
        if not isinstance(revision, float):
            return False
        leaf, at = self.leaves.get(session, {}).get(revision), instant(at)
        sealed_by = self.sealed_by.get((session, revision, leaf))
        return None not in (sealed_by, at) and at >= sealed_by + LEAST_KEPT

    def later_leaf_of(self, session, revision, at):
        """The known leaf of a revision where it is of a session after one that was sealed at this time, and removed."""
        if not isinstance(revision, float):
            return None
        leaf, at = self.leaves.get(session, {}).get(revision), instant(at)
        sealed_by = self.sealed_by.get((session, revision, leaf))
        return leaf if None not in (sealed_by, at) and sealed_by >= at + LEAST_KEPT else None

    def leaf_of(self, session, revision, leaf):
        """The leaf that is known of a revision: this one where it is among those of the id."""
        if not isinstance(revision, float):
            return None
        return leaf if (session, revision, leaf) in self.sealed_by else self.leaves.get(session, {}).get(revision)

    def without_removed(self, application, session_id, started_at, seal):
        """
        What is known without that of sessions of the same id which had been removed before this one began; itself where there
        is none, and where the leaf of this one (`seal`) was known before it began.
        """
        session, at, leaf = name_of(application, session_id), instant(started_at), seal.get("leafHash")
        revision = seal.get("revision")
        if isinstance(leaf, str) and leaf in self.owners:
            own = self.sealed_by.get((session, revision, leaf)) if isinstance(revision, float) else None
            if None in (own, at) or at >= own + LEAST_KEPT:
                return self
        seals = self.leaves.get(session, {})
        left = {revision: leaf for revision, leaf in seals.items() if not self.is_of_another(session, revision, started_at)}
        ended, cases = self.cases.get(session, {}), {}
        for case, leaf in ended.items():
            end = self.ends.get(name_of(application, case))
            if None in (end, at) or at < end + LEAST_KEPT:
                cases[case] = leaf
        if len(left) == len(seals) and len(cases) == len(ended):
            return self
        rest = copy(self)
        rest.leaves, rest.cases = {session: left}, {session: cases}
        if not left:
            rest.sources, rest.statuses = {}, {}
        return rest

    def put(self, kind, number, entry_hash):
        """Holds the hash of an entry of the audit log or of a ledger at its place."""
        self.entries[name_of(*kind, number)] = entry_hash
        if isinstance(number, float):
            self.last[name_of(*kind)] = max(number, self.last.get(name_of(*kind), 0))

    def add_entry(self, anchor):
        if isinstance(anchor, dict) and isinstance(anchor.get("signature"), str):
            try:
                self.put(("ledger", anchor.get("ledger")), anchor.get("sequence"), sha256(canonical(entry_of(anchor))))
            except NoCanonicalForm:
                pass


def check_witness(seal, leaf, root, entry, content, report):
    """
    Compares a seal with what is known; `entry` is the place and hash of one that covers the root, else None. `content`: whether
    what the leaf is of is shown, gone, or only named.
    """
    known = report.known
    if known is None:
        return
    of = name_of(seal.get("applicationId"), seal.get("sessionId"))
    is_case = "reviewCaseId" in seal
    name = seal.get("reviewCaseId")
    of_case = known.cases.get(of, {}).get(name) if isinstance(name, str) else None
    compared = [
        (of_case if is_case else known.leaf_of(of, seal.get("revision"), leaf), leaf),
        (known.roots.get(name_of(seal.get("applicationId"), seal.get("batchId"))), root),
        (known.entries.get(entry[0]) if entry else None, entry[1] if entry else None),
    ]
    own = (of, seal["reviewCaseId"]) if is_case else name_of(seal.get("sessionId"))
    if any(before is not None and before != now for before, now in compared):
        report.failed("witness", "It was rewritten: leaf, root or entry are known as others.")
    elif known.owners.get(leaf, own) != own:
        report.failed("witness", "Its leaf is known as that of something else.")
    elif all(before is None for before, _ in compared) and not {root, entry[1] if entry else None} & known.hashes:
        report.unchecked("witness", "Nothing that is known from before covers it.")
    elif content == "gone" or (content == NAMED and compared[0][0] is None):
        report.noted("witness", "Nothing shows that its leaf is of what is told.")
    else:
        report.verified("witness", "It is known from before.")


def check_known_source(of, integrity, report):
    """Checks that a session's leaf is made of what it is known to be made of, and was no more or less readable."""
    if report.known is None:
        return
    session, revision = name_of(of["applicationId"], of["sessionId"]), integrity.get("revision")
    source, now = report.known.sources.get(session), integrity.get("leafSource")
    if None not in (source, now) and source != now:
        report.failed("witness", "Its session is known as made of something else.")
    before = report.known.statuses.get(session, {}).get(revision if isinstance(revision, float) else None)
    # What was redacted was so before it was stored; erased can be what was present.
    if (before, integrity.get("leafInputStatus")) in (("redacted", "present"), ("present", "redacted")):
        report.failed("witness", "Its leaf is known as read otherwise.")


def check_known_cases(of, told_at, is_told, report):
    """Checks that each case that is known to have ended by then is told to; `is_told`: whether one is."""
    if report.known is None:
        return
    for case_id in report.known.cases.get(name_of(of["applicationId"], of["sessionId"]), {}):
        if not is_told(case_id):
            check_known_end(of["applicationId"], case_id, instant(told_at), report)


def check_known_end(application, case_id, at, report, timeless=False):
    """Tells of the end of a case that is not told where it is known; `at`: when it was told, `timeless`: nothing says it."""
    end = name_of(application, case_id)
    if report.known is None or end not in report.known.ends:
        return
    ended_by = report.known.ends[end]
    older = timeless or (None not in (at, ended_by) and at < ended_by + SKEW)
    tell = report.noted if older else report.failed
    tell("witness", f"It leaves out the end of {case_id}, which is known.")


def is_other_leaf(application, leaf, known):
    """Whether a leaf of a batch is known as that of something else, or another one as its own."""
    if leaf.get("leafType") == "audit-log" or not isinstance(leaf.get("leafHash"), str):
        return False
    session, case, revision = name_of(application, leaf.get("sessionId")), leaf.get("reviewCaseId"), leaf.get("revision")
    if isinstance(case, str):
        own, before = (session, case), known.cases.get(session, {}).get(case)
    else:
        own = name_of(leaf.get("sessionId"))
        before = known.leaf_of(session, revision, leaf["leafHash"])
    return (before or leaf["leafHash"]) != leaf["leafHash"] or known.owners.get(leaf["leafHash"], own) != own
