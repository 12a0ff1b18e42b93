"""Checks reviewers' own signatures of decisions (interface.md, "Signed decisions"): WebAuthn assertions of a statement."""

import hashlib
import json
import re

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature

from keys import hash_of, is_signed, is_usable, log_hash, url_bytes
from record import objects
from report import Report
from strict_json import NoCanonicalForm, canonical, same
from times import SKEW, instant

OF_KEY = ("kty", "crv", "x", "y", "n", "e")
LONGEST_STATEMENT = 600_000
TEXTS = ("credentialId", "authenticatorData", "clientDataJSON", "signature")
IDS = ("tenantId", "applicationId", "sessionId", "reviewCaseId")
DIGESTS = ("presentationDigest", "commentDigest", "responseDigest")
STATEMENT = {
    *("statementVersion", "statementType", "checkpointId", "resumeTokenDigest", "caseVersion"),
    *("askedDigest", "decision", "memberId", "issuedAt", "nonce"),
    *IDS,
    *DIGESTS,
}


class Reviewers:
    """Keys of reviewers' authenticators, as `authenticators.json` of a pack has them, and the log's entries of them."""

    def __init__(self, document):
        self.report, self.keys, self.entries = Report("authenticators.json"), {}, {}
        self.last, self.subjects = (0, None), set()
        self.found = self.report.found
        listed = document.get("authenticators") if isinstance(document, dict) else None
        if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
            self.report.failed("decision", "Expected a list of authenticators.")
            listed = []
        for key in listed:
            if not isinstance(key.get("kid"), str) or key["kid"] in self.keys:
                self.report.failed("decision", "Expected each by its kid, once.")
            else:
                self.keys[key["kid"]] = key
            self.check_entries(key)

    def check_entries(self, key):
        told = objects(key, "entries")
        for entry in told:
            position, before = entry.get("position"), hash_of(entry.get("previousHash"))
            text = {name: value for name, value in entry.items() if name not in ("position", "previousHash", "hash")}
            whole = isinstance(position, float) and before is not None
            if not whole or log_hash(before, text) != entry.get("hash", ()):
                self.report.failed("decision", "An entry of the log about an authenticator was changed.")
            elif position in self.entries:
                self.report.failed("decision", "An entry is told twice.")
            else:
                self.entries[position] = entry
                self.subjects.update({entry.get("subject")} if isinstance(entry.get("subject"), str) else ())
        enrolled, revoked = (
            [each for each in told if each.get("action") == f"authenticator.{action}"] for action in ("enrolled", "revoked")
        )
        fits = len(enrolled) == 1 and enrolled[0].get("at") == key.get("from", ()) and is_of(enrolled[0], key)
        if not fits or not is_key(enrolled[0]["detail"].get("publicKey"), key):
            self.report.failed("decision", "The log does not tell that it was enrolled so.")
        until = key.get("until", ())
        if not (until is None and not revoked):
            # Whatever order they are told in: a key ends with the first of the log.
            first = min(revoked, key=place_of, default={})
            if not revoked or first.get("at") != until or not all(is_of(each, key) for each in revoked):
                self.report.failed("decision", "The log does not tell that it was revoked so.")

    def take(self, entry):
        """Compares an entry of the audit log with what is told of it."""
        if isinstance(entry, dict) and isinstance(entry.get("position"), float):
            position = entry["position"]
            self.last = (position, entry.get("hash"))
            if position in self.entries and self.entries[position]["hash"] == entry.get("hash"):
                del self.entries[position]
            elif self.must_tell(entry):
                self.report.failed("decision", f"It does not tell entry {position} of the log, of a key.")

    def must_tell(self, entry):
        """Whether an entry of the log is of a key that signs, or of one that is told: each is of one use alone."""
        if entry.get("action") not in ("authenticator.enrolled", "authenticator.revoked"):
            return False
        detail = entry["detail"] if isinstance(entry.get("detail"), dict) else {}
        kid, subject = detail.get("credentialId"), entry.get("subject")
        told = (isinstance(kid, str) and kid in self.keys) or (isinstance(subject, str) and subject in self.subjects)
        return told or detail.get("use") != "sign_in"

    def end(self, told_at):
        """`told_at`: when the pack was made, ms."""
        last, head = self.last
        for position, entry in self.entries.items():
            at = instant(entry.get("at"))
            # A key may be enrolled while the pack is made, whose log ends before.
            late = position > last and None not in (at, told_at) and at > told_at - SKEW
            follows = position != last + 1 or not isinstance(head, str) or entry.get("previousHash") == head
            tell = self.report.noted if late and follows else self.report.failed
            tell("decision", f"The log does not tell this entry {position}.")

# A time that is signed, in the one form that it is written in.
WRITTEN = r"\d{4}-\d\d-\d\dT\d\d:\d\d:[0-5]\d\.\d{3}Z"


def place_of(entry):
    return entry["position"] if isinstance(entry.get("position"), float) else float("inf")


def is_of(entry, key):
    detail = entry.get("detail")
    return isinstance(detail, dict) and all(
        detail.get(name, ()) == key.get(of, ()) for name, of in (("credentialId", "kid"), ("memberId", "memberId"))
    )


def is_key(text, key):
    try:
        told = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return False
    return isinstance(told, dict) and same_key(told, key)


def same_key(one, other):
    return all(same(one.get(name), other.get(name)) for name in OF_KEY)


def check_decision(case, report):
    signature, decided = case.get("decisionSignature"), case.get("state") == "decided"
    if signature is None:
        if decided:
            report.noted("decision", "Recorded by the service, and not signed.")
        return
    if not decided or not isinstance(signature, dict) or not isinstance(signature.get("statement"), dict):
        report.failed("decision", "It has a signature that is none of a decision.")
        return
    fault = fault_of_key(case, signature, report.reviewers) or fault_of_signature(case, signature, report.reviewers)
    if fault:
        report.failed("decision", fault)
    else:
        if signature["statement"].get("sessionId", ()) != case.get("sessionId"):
            report.noted("decision", "It was signed while its session had another name.")
        report.verified("decision", f"Signed by {case.get('decidedBy')} with {signature['credentialId']}.")


def fault_of_key(case, signature, reviewers):
    closed, issued = instant(case.get("closedAt")), instant(signature["statement"].get("issuedAt"))
    if closed is None or issued is None or abs(closed - issued) > LONGEST_STATEMENT:
        return "Its statement was issued at another time."
    if reviewers is None:
        return None
    kid, public = signature.get("credentialId"), signature.get("publicKey")
    key = reviewers.keys.get(kid) if isinstance(kid, str) else None
    if key is None or not isinstance(public, dict) or not same_key(public, key):
        return "Its key is none of the authenticators."
    if key.get("memberId", ()) != case.get("decidedBy"):
        return "Its key is another member's."
    start, end = instant(key.get("from")), instant(key.get("until"))
    if start is None or start > closed:
        return "Its key was enrolled after it."
    if key.get("until", ()) is not None and (end is None or end <= closed):
        return "Its key had been revoked."
    return None


def fault_of_signature(case, signature, reviewers):
    statement = signature["statement"]
    if not all(isinstance(signature.get(name), str) and signature[name] for name in TEXTS):
        return "Its signature is not whole."
    fault = fault_of_statement(case, statement)
    if fault:
        return fault
    client, data, signed = (url_bytes(signature[name]) for name in ("clientDataJSON", "authenticatorData", "signature"))
    if client is None or data is None or signed is None:
        return "Expected base64url."
    try:
        told = json.loads(client.decode("utf-8"), parse_constant=refuse)
        challenge = hashlib.sha256(canonical(statement)).digest()
    except (ValueError, RecursionError, NoCanonicalForm):
        return "Its client data is no JSON."
    if not isinstance(told, dict) or told.get("type") != "webauthn.get":
        return "Its client data is none of an assertion."
    given = told.get("challenge")
    if not isinstance(given, str) or url_bytes(given) != challenge:
        return "It signed another statement."
    if told.get("crossOrigin") not in (None, False) or "topOrigin" in told:
        return "It was signed in a frame."
    rp_id = rp_of(told.get("origin"), data[:32])
    if rp_id is None:
        return "It was signed on no page of a relying party."
    key = reviewers.keys[signature["credentialId"]] if reviewers else None
    if key is not None and key.get("rpId") != rp_id:
        return "It was signed for another relying party than its key."
    return fault_of_data(data) or (
        None
        if is_signed_by(signature.get("publicKey"), data + hashlib.sha256(client).digest(), signed)
        else "The key did not sign it."
    )


def refuse(literal):
    raise ValueError(literal)


def fault_of_statement(case, statement):
    checkpoint, version = case.get("checkpoint"), case.get("caseVersion")
    expected = {name: case.get(name) for name in (*IDS, *DIGESTS, "decision")}
    # A session whose spans have not named it goes by the id of its trace.
    former = statement.get("sessionId")
    if isinstance(former, str) and re.fullmatch(r"[0-9a-f]{32}", former) and has_moved(case):
        expected["sessionId"] = statement.get("sessionId", ())
    expected["checkpointId"] = checkpoint.get("checkpointId") if isinstance(checkpoint, dict) else None
    expected["caseVersion"] = version - 1 if isinstance(version, float) else None
    expected["memberId"] = case.get("decidedBy")
    expected["statementVersion"], expected["statementType"] = "1.0", "review-decision"
    if case.get("presentation", ()) is not None:
        expected["askedDigest"] = asked_in(case)
    if set(statement) != STATEMENT:
        return "Its statement has other members."
    for name, value in expected.items():
        if not same(statement[name], value):
            return f"Its statement has another {name}."
    texts = [statement["nonce"], statement["memberId"], *(statement[name] for name in IDS)]
    digests = [statement["askedDigest"], statement["resumeTokenDigest"]]
    fine = all(isinstance(each, str) and each for each in texts)
    fine = fine and all(each is None or isinstance(each, str) and each for each in digests)
    issued = statement["issuedAt"]
    fine = fine and isinstance(issued, str) and re.fullmatch(WRITTEN, issued, re.A) and instant(issued) is not None
    return None if fine else "Its statement is not whole."


def has_moved(case):
    """Whether a case went to another session after its decision: its spans named that one late."""
    steps = [step.get("step") for step in objects(case, "history")]
    return "session_moved" in steps[steps.index("decided") :] if "decided" in steps else False


def asked_in(case):
    """Digest of what the application itself asked; None where a policy alone opened the case."""
    steps, shown = objects(case, "history"), case.get("presentation")
    adopted = any(step.get("step") == "adopted" for step in steps)
    if steps and steps[0].get("actor") == "system" and not adopted:
        return None
    shown = shown if isinstance(shown, dict) else {}
    asked = shown.get("application") if adopted else {name: shown[name] for name in shown if name != "followUps"}
    try:
        return hashlib.sha256(canonical(asked)).hexdigest() if isinstance(asked, dict) else ()
    except NoCanonicalForm:
        return ()


def rp_of(origin, digest):
    """The relying party of this digest that the origin's host may speak for, else None."""
    form = r"(?:https://([a-z0-9.-]+)|http://((?:[a-z0-9-]+\.)*localhost))(?::[0-9]+)?"
    match = re.fullmatch(form, origin) if isinstance(origin, str) else None
    labels = (match[1] or match[2]).split(".") if match else []
    names = (".".join(labels[at:]) for at in range(len(labels)))
    return next((name for name in names if hashlib.sha256(name.encode()).digest() == digest), None)


def fault_of_data(data):
    flags = data[32] if len(data) > 32 else 0
    whole = len(data) > 37 if flags & 128 else len(data) == 37
    if not whole or flags & 64 or (flags & 16 and not flags & 8):
        return "Its authenticator data is none of an assertion."
    return None if flags & 1 and flags & 4 else "The reviewer was not there, or not verified."


def is_signed_by(jwk, text, signature):
    read = read_key(jwk)
    if read is None:
        return False
    kind, key = read
    if kind == "OKP":
        return is_signed(key, text, signature)
    try:
        if kind == "RSA":
            key.verify(signature, text, padding.PKCS1v15(), hashes.SHA256())
        else:
            # In DER alone.
            if encode_dss_signature(*decode_dss_signature(signature)) != signature:
                return False
            key.verify(signature, text, ec.ECDSA(hashes.SHA256()))
        return True
    except (InvalidSignature, ValueError):
        return False


def read_key(jwk):
    """Kind and key of a JWK of Ed25519, P-256 or RSA from 2048 bits; None for any other."""
    if not isinstance(jwk, dict):
        return None
    kind, curve = jwk.get("kty"), jwk.get("crv")
    parts = {name: url_bytes(jwk[name]) for name in ("x", "y", "n", "e") if isinstance(jwk.get(name), str)}
    names = {"OKP": ("EdDSA", "Ed25519"), "EC": ("ES256",), "RSA": ("RS256",)}
    if not isinstance(kind, str) or kind not in names or ("alg" in jwk and jwk["alg"] not in names[kind]):
        return None
    x, y, n, e = (parts.get(name) or b"" for name in ("x", "y", "n", "e"))
    try:
        if kind == "OKP":
            usable = curve == "Ed25519" and len(x) == 32 and is_usable(x)
            return (kind, Ed25519PublicKey.from_public_bytes(x)) if usable else None
        if kind == "EC":
            whole = curve == "P-256" and len(x) == len(y) == 32
            return (kind, ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), b"\4" + x + y)) if whole else None
        strong = 256 <= len(n) <= 1024 and n[0] > 0 and (len(n) > 256 or n[0] >= 0x80)
        odd = 0 < len(e) <= 4 and e[0] > 0 and e[-1] & 1 and e != b"\1"
        numbers = (int.from_bytes(part, "big") for part in (e, n))
        return (kind, rsa.RSAPublicNumbers(*numbers).public_key()) if strong and odd else None
    except ValueError:
        return None
