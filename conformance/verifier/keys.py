"""Ed25519 keys (RFC 8037) under their thumbprints (RFC 7638), signatures, and hashes."""

import base64
import binascii
import hashlib
import re

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from strict_json import NoCanonicalForm, canonical, compact

ORDER = 2**252 + 27742317777372353535851937790883648493
PRIME = 2**255 - 19


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).hexdigest()


def log_hash(before, text):
    """The hash of an entry of the audit log, by its own text and the hash before it; None for one without a text."""
    try:
        return sha256(before, compact(text))
    except NoCanonicalForm:
        return None


def hash_of(value):
    """The 32 bytes of 64 lower-case hex digits, else None."""
    return bytes.fromhex(value) if isinstance(value, str) and re.fullmatch(r"[0-9a-f]{64}", value) else None


def base64_bytes(text):
    """The bytes of padded base64 in its one form, else None."""
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except (UnicodeEncodeError, binascii.Error):
        return None
    return data if base64.b64encode(data).decode() == text else None


def url_bytes(text):
    """The bytes of base64url without padding, else None."""
    if not re.fullmatch(r"[A-Za-z0-9_-]*", text):
        return None
    standard = text.replace("-", "+").replace("_", "/")
    return base64_bytes(standard + "=" * (-len(standard) % 4))


def thumbprint(key):
    x = base64.urlsafe_b64encode(key).rstrip(b"=").decode()
    digest = hashlib.sha256(canonical({"crv": "Ed25519", "kty": "OKP", "x": x})).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def is_usable(key):
    """Whether the bytes are a point in its one encoding that is not of small order."""
    y = int.from_bytes(key, "little") & (2**255 - 1)
    square = (y * y - 1) * pow(-121665 * pow(121666, -1, PRIME) * y * y + 1, -1, PRIME) % PRIME if y < PRIME else None
    if square is None or (square == 0 and key[31] >> 7) or pow(square, (PRIME - 1) // 2, PRIME) not in (0, 1):
        return False
    # Eight times the point: three doublings, of which only the y matters to know the neutral element.
    for _ in range(3):
        square, y = doubled(square, y)
    return not (y == 1 and square == 0)


def doubled(square, y):
    """The square of x, and y, of twice a point of the curve -x² + y² = 1 + dx²y²."""
    d = -121665 * pow(121666, -1, PRIME) % PRIME
    product = d * square * y * y % PRIME
    twice_y = (y * y + square) * pow(1 - product, -1, PRIME) % PRIME
    twice_x = 4 * square * y * y * pow((1 + product) ** 2, -1, PRIME) % PRIME
    return twice_x, twice_y


def read_keys(value):
    """Keys of a JWK or a JWK set by thumbprint; None for any other JSON."""
    jwks = value["keys"] if isinstance(value, dict) and isinstance(value.get("keys"), list) else [value]
    found = {}
    for jwk in jwks:
        if not isinstance(jwk, dict) or (jwk.get("kty"), jwk.get("crv")) != ("OKP", "Ed25519"):
            return None
        key = url_bytes(jwk["x"]) if isinstance(jwk.get("x"), str) else None
        if key is None or len(key) != 32 or not is_usable(key):
            return None
        found[thumbprint(key)] = Ed25519PublicKey.from_public_bytes(key)
    return found


def is_signed(key, text, signature):
    if len(signature) != 64 or int.from_bytes(signature[32:], "little") >= ORDER:
        return False
    try:
        key.verify(signature, text)
        return True
    except InvalidSignature:
        return False


def check_signature(text, key_id, signature, report):
    """Checks one signature (padded base64) over bytes by the key of this id."""
    data = base64_bytes(signature) if isinstance(signature, str) else None
    if not isinstance(key_id, str) or data is None:
        report.failed("signature", "Expected a key id and padded base64.")
    elif key_id not in report.keys:
        report.unchecked("signature", f"Key {key_id} is not at hand.")
    elif is_signed(report.keys[key_id], text, data):
        report.verified("signature", f"Key {key_id} signed exactly this.")
    else:
        report.failed("signature", f"Key {key_id} did not sign this.")


def check_signatures(document, report):
    """Checks all signatures of a document: one by a key, over its canonical form without them."""
    signatures = document.get("signatures")
    if not isinstance(signatures, list) or not signatures or not all(isinstance(each, dict) for each in signatures):
        report.failed("signature", "It carries no signature.")
        return
    try:
        text = canonical({name: value for name, value in document.items() if name != "signatures"})
    except NoCanonicalForm:
        report.failed("signature", "It has no canonical form.")
        return
    if len({repr(each.get("keyId")) for each in signatures}) < len(signatures):
        report.failed("signature", "Two signatures by one key.")
    for each in signatures:
        if set(each) != {"keyId", "alg", "sig"} or each["alg"] != "Ed25519":
            report.failed("signature", "Expected keyId, alg Ed25519 and sig.")
        else:
            check_signature(text, each["keyId"], each["sig"], report)
