"""What a reader holds of an issuer from before."""

import re

from keys import sha256
from proof import entry_of
from record import has_objects, objects
from rows import member
from strict_json import NoCanonicalForm, canonical, name_of


class Known:
    """Leaves, roots and entries of documents, and hashes, each of a root or an entry; ValueError for anything else."""

    def __init__(self, values):
        self.hashes, self.entries, self.roots, self.leaves, self.cases = set(), {}, {}, {}, {}
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
        elif isinstance(value.get("proof"), dict):
            self.add_seal(value["proof"])
        elif "inclusionPath" in value:
            self.add_seal(value)
        elif "anchorVersion" in value:
            self.add_entry(value)
        elif isinstance(value.get("position"), float) and isinstance(value.get("hash"), str):
            self.entries[name_of("audit-log", value["position"])] = value["hash"]
        elif has_objects(value, "leaves"):
            self.add_root(value)
            for leaf in value["leaves"]:
                self.add_leaf({**leaf, "applicationId": value.get("applicationId")})
        else:
            raise ValueError("nothing that can be known")

    def add_seal(self, seal):
        self.add_leaf(seal)
        self.add_root(seal)
        self.add_entry(seal.get("anchor"))

    def add_case(self, case):
        integrity = member(case, "integrity")
        of = {name: case.get(name) for name in ("reviewCaseId", "sessionId", "applicationId")}
        self.add_seal({**integrity, **member(integrity, "merkle"), **of})

    def add_leaf(self, seal):
        if isinstance(seal.get("reviewCaseId"), str) and isinstance(seal.get("leafHash"), str):
            of = name_of(seal.get("applicationId"), seal.get("sessionId"))
            self.cases.setdefault(of, {})[seal["reviewCaseId"]] = seal["leafHash"]
        if isinstance(seal.get("revision"), float) and isinstance(seal.get("leafHash"), str):
            of = name_of(seal.get("applicationId"), seal.get("sessionId"))
            self.leaves.setdefault(of, {})[seal["revision"]] = seal["leafHash"]

    def add_root(self, seal):
        if isinstance(seal.get("merkleRoot"), str):
            self.hashes.add(seal["merkleRoot"])
            self.roots[name_of(seal.get("applicationId"), seal.get("batchId"))] = seal["merkleRoot"]

    def add_entry(self, anchor):
        if isinstance(anchor, dict) and isinstance(anchor.get("signature"), str):
            try:
                place = name_of("ledger", anchor.get("ledger"), anchor.get("sequence"))
                self.entries[place] = sha256(canonical(entry_of(anchor)))
            except NoCanonicalForm:
                pass


def check_witness(seal, leaf, root, entry, report):
    """Compares a seal with what is known; `entry` is the place and hash of one that covers the root, else None."""
    known = report.known
    if known is None:
        return
    of = name_of(seal.get("applicationId"), seal.get("sessionId"))
    is_case = "reviewCaseId" in seal
    named = (known.cases if is_case else known.leaves).get(of, {})
    name = seal.get("reviewCaseId" if is_case else "revision")
    compared = [
        (named.get(name) if isinstance(name, str if is_case else float) else None, leaf),
        (known.roots.get(name_of(seal.get("applicationId"), seal.get("batchId"))), root),
        (known.entries.get(entry[0]) if entry else None, entry[1] if entry else None),
    ]
    if any(before is not None and before != now for before, now in compared):
        report.failed("witness", "It was rewritten: leaf, root or entry are known as others.")
    elif any(before is not None for before, _ in compared) or {root, entry[1] if entry else None} & known.hashes:
        report.verified("witness", "It is known from before.")
    else:
        report.unchecked("witness", "Nothing that is known from before covers it.")
