"""Merkle trees (RFC 9162), commitments, the anchor ledger, and what is known from before."""

from keys import check_signature, hash_of, sha256
from stamps import check_stamp
from strict_json import NoCanonicalForm, canonical, name_of
from times import instant

BESIDE_ENTRY = ("entryHash", "nonce", "status", "timeStamp")
ZEROS = "0" * 64


def is_whole(value, least=0):
    return isinstance(value, float) and value.is_integer() and least <= value <= 2**53 - 1


def leaf_hash(data):
    return bytes.fromhex(sha256(b"\0", data))


def node_hash(left, right):
    return bytes.fromhex(sha256(b"\1", left, right))


def tree_root(leaves):
    """The root over leaves in their order (RFC 9162 2.1.1), split at the largest power of two."""
    if len(leaves) == 1:
        return leaves[0]
    half = 1 << (len(leaves) - 1).bit_length() - 1
    return node_hash(tree_root(leaves[:half]), tree_root(leaves[half:]))


def path_root(leaf, index, size, path):
    """The root that a path leads to (RFC 9162 2.1.3.2), else None."""
    if not 0 <= index < size:
        return None
    left, last, at = leaf, size - 1, index
    for sibling in path:
        if last == 0:
            return None
        if at % 2 or at == last:
            left = node_hash(sibling, left)
            while at and not at % 2:
                at, last = at // 2, last // 2
        else:
            left = node_hash(left, sibling)
        at, last = at // 2, last // 2
    return left if last == 0 else None


def commitment_of(root, nonce):
    return sha256(b"countersign-anchor-v1", root, nonce)


def check_inclusion(merkle, leaf, report):
    """The root that the leaf's path leads to, where it is the one named; else None."""
    leaf, root = hash_of(leaf), hash_of(merkle.get("merkleRoot"))
    path, index, size = merkle.get("inclusionPath"), merkle.get("leafIndex"), merkle.get("treeSize")
    siblings = [hash_of(each) for each in path] if isinstance(path, list) else [None]
    named = isinstance(merkle.get("batchId"), str) and merkle["batchId"]
    whole = named and is_whole(index) and is_whole(size)
    if leaf is None or root is None or None in siblings or not whole:
        report.failed("inclusion", "The inclusion proof is malformed.")
        return None
    if path_root(leaf, int(index), int(size), siblings) != root:
        report.failed("inclusion", "The path does not lead to the Merkle root.")
        return None
    report.verified("inclusion", "The leaf is under the Merkle root.")
    return root


def check_anchor(anchor, root, report, times=None):
    """Checks an anchor; the hash of an entry whose commitment is that of the root, else None."""
    if anchor is not None and not isinstance(anchor, dict):
        report.failed("anchor", "Expected its anchor as an object.")
        return None
    if anchor is None or anchor.get("status") in ("pending", "submitted"):
        report.noted("anchor", "Not anchored yet.")
        return None
    nonce = hash_of(anchor.get("nonce"))
    binds = nonce is not None and commitment_of(root, nonce) == anchor.get("commitment")
    if "nonce" in anchor and anchor["nonce"] is None:
        report.noted("commitment", "The nonce was destroyed.")
    elif binds:
        report.verified("commitment", "The commitment is that of root and nonce.")
    else:
        report.failed("commitment", "The commitment is not that of root and nonce.")
    entry_hash = check_entry(anchor, report, times)
    return entry_hash if binds else None


def entry_of(anchor):
    return {name: value for name, value in anchor.items() if name not in BESIDE_ENTRY}


def check_entry(anchor, report, times=None):
    """Checks hash and signature of an anchor's entry; the hash, None where it has none."""
    entry = entry_of(anchor)
    try:
        entry_hash = sha256(canonical(entry))
    except NoCanonicalForm:
        report.failed("anchor", "The entry has no canonical form.")
        return None
    none = "entryHash" not in anchor or (anchor["entryHash"] is None and anchor.get("ledger") != "local")
    if not none and anchor["entryHash"] != entry_hash:
        report.failed("anchor", "The entry has another hash than its entryHash.")
    check_stamp(anchor, entry_hash, instant(entry.get("anchoredAt")), report, times)
    if entry.get("ledger") != "local":
        report.unchecked("anchor", "Another ledger, which must be asked itself.")
        return entry_hash
    signed = canonical({name: value for name, value in entry.items() if name != "signature"})
    before = len(report.found)
    check_signature(signed, entry.get("keyId"), entry.get("signature"), report)
    if report.found[before]["result"] == "verified":
        report.verified("anchor", "A signed entry of the ledger.")
    return entry_hash


def check_ledger(entries, report, covered=False):
    """Checks that entries follow one another, each naming the hash of the one before."""
    if not entries:
        report.unchecked("chain", "The ledger is empty.")
        return
    previous, broken, known = None, False, []

    def order(entry):
        return entry["sequence"] if isinstance(entry.get("sequence"), float) else float("inf")

    for entry in sorted(entries, key=order):
        sequence = entry.get("sequence")
        each = report.on(f"ledger entry {sequence}")
        if not is_whole(sequence, 1):
            each.failed("chain", "Expected a sequence number from 1.")
            return
        entry_hash = check_entry(entry, each)
        if entry_hash is None:
            return
        if entry.get("ledger") == "local" and entry.get("status", "recorded") != "recorded":
            each.failed("anchor", "A signed checkpoint is recorded.")
        if entry.get("nonce") is not None:
            each.unchecked("commitment", "A nonce without a root.")
        before = entry.get("previousHash")
        if previous is None:
            if sequence > 1:
                each.noted("chain", "Earlier entries are not in this file.")
            elif before != ZEROS:
                broken = True
                each.failed("chain", "The first entry names 64 zeros.")
        elif sequence != previous[0] + 1 or before != previous[1]:
            broken = True
            each.failed("chain", "It does not follow the entry before it.")
        previous = (sequence, entry_hash)
        known.append((name_of("ledger", entry.get("ledger"), sequence), int(sequence), entry_hash))
    check_known_entries(known, report, covered)
    if not broken:
        report.verified("chain", f"{len(entries)} entries form one chain.")


def check_known_entries(entries, report, part=False):
    """Compares entries in order with those known from before; `part`: what they cover is compared by itself."""
    known = report.known
    if known is None:
        return
    last = None
    for place, number, entry_hash in entries:
        before = known.entries.get(place)
        if before not in (None, entry_hash):
            report.failed("witness", f"Entry {number} was rewritten: {before} is known.")
            return
        if before == entry_hash or entry_hash in known.hashes:
            last = number
    if last is None:
        (report.noted if part else report.unchecked)("witness", "None of its entries is known from before.")
        return
    report.verified("witness", f"Entries up to {last} are as known from before.")
    if last < entries[-1][1]:
        report.noted("witness", "Later entries are not witnessed.")
