"""Time stamps (RFC 3161) of ledger entries: what they say is read here, who signed them is asked of `openssl ts`."""

import base64
import binascii
import datetime
import os
import re
import subprocess
import tempfile

SIGNED_DATA = bytes.fromhex("2a864886f70d010702")
STAMP_INFO = bytes.fromhex("2a864886f70d0109100104")
SHA256 = bytes.fromhex("608648016503040201")
LONGEST = 65_536
DAY = 86_400_000


class NoStamp(Exception):
    """Not the answer of an authority that granted a stamp over a SHA-256."""


def elements(data):
    """The elements of DER that follow one another, as (tag, content)."""
    found, at = [], 0
    while at < len(data):
        head = data[at : at + 2]
        if len(head) < 2 or head[0] & 0x1F == 0x1F or head[1] == 0x80 or head[1] > 0x83:
            raise NoStamp
        size = max(head[1] - 0x80, 0)
        start = at + 2 + size
        length = int.from_bytes(data[at + 2 : start], "big") if size else head[1]
        if start + length > len(data):
            raise NoStamp
        found.append((head[0], data[start : start + length]))
        at = start + length
    return found


def content(found, at, tag):
    if at >= len(found) or found[at][0] != tag:
        raise NoStamp
    return found[at][1]


def only(data, tag):
    found = elements(data)
    if len(found) != 1:
        raise NoStamp
    return content(found, 0, tag)


def parts(found, at, tag=0x30):
    return elements(content(found, at, tag))


def read_stamp(answer):
    """Digest (hex) and time (ms) of a stamp; raises NoStamp."""
    if len(answer) > LONGEST:
        raise NoStamp
    whole = elements(only(answer, 0x30))
    if content(parts(whole, 0), 0, 0x02) not in (b"\0", b"\1"):
        raise NoStamp
    token = parts(whole, 1)
    signed = elements(only(content(token, 1, 0xA0), 0x30))
    held = parts(signed, 2)
    if content(token, 0, 0x06) != SIGNED_DATA or content(held, 0, 0x06) != STAMP_INFO:
        raise NoStamp
    info = elements(only(only(content(held, 1, 0xA0), 0x04), 0x30))
    imprint = parts(info, 2)
    if content(parts(imprint, 0), 0, 0x06) != SHA256 or signed[-1][0] != 0x31:
        raise NoStamp
    digest = content(imprint, 1, 0x04)
    if len(digest) != 32:
        raise NoStamp
    return digest.hex(), time_of(content(info, 4, 0x18))


def time_of(text):
    found = re.fullmatch(rb"(\d{14})(?:\.(\d{1,9}))?Z", text)
    try:
        whole = datetime.datetime.strptime(found[1].decode(), "%Y%m%d%H%M%S") if found else None
    except ValueError:
        whole = None
    if whole is None:
        raise NoStamp
    seconds = int(whole.replace(tzinfo=datetime.timezone.utc).timestamp())
    return seconds * 1000 + int(((found[2] or b"") + b"000")[:3])


class Authorities:
    """Authorities whose certificates (PEM) a reader trusts; each stamp is asked of them once."""

    def __init__(self, paths):
        for path in paths:
            with open(path, "rb") as file:
                if b"-----BEGIN CERTIFICATE-----" not in file.read():
                    raise ValueError(f"{path}: expected certificates in PEM")
        self.paths, self.asked = paths, {}

    def trusts(self, answer, digest, at):
        known = self.asked.get((answer, digest))
        if known is None:
            known = self.asked[answer, digest] = any(ask(path, answer, digest, at) for path in self.paths)
        return known


def ask(path, answer, digest, at):
    with tempfile.NamedTemporaryFile(delete=False) as file:
        file.write(answer)
    try:
        time = ["-attime", str(at // 1000)]
        command = ["openssl", "ts", "-verify", "-digest", digest, "-in", file.name, "-CAfile", path, *time]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    finally:
        os.unlink(file.name)


def is_at_its_time(at, anchored_at, times):
    """Whether a stamp is of the time of its entry and, unless `times` is None, of what that seals."""
    if anchored_at is None or abs(at - anchored_at) > DAY:
        return False
    return times is None or (None not in times and at - times[0] <= DAY and times[1] - at <= DAY)


def check_stamp(anchor, entry_hash, anchored_at, report, times=None):
    """
    Checks that an anchor's time stamp is over its entry, that it is of the time of entry and seal, and who signed it where
    authorities are given. `times`: when the last of what is sealed happened, and the latest time told of it (ms, None
    where one is none).
    """
    text = anchor.get("timeStamp")
    if text is None:
        if report.authorities is not None:
            report.noted("stamp", "No authority has stamped the entry.")
        return
    try:
        answer = base64.b64decode(text, validate=True) if isinstance(text, str) else b""
        if base64.b64encode(answer).decode() != text:
            raise NoStamp
        digest, at = read_stamp(answer)
    except (NoStamp, binascii.Error, ValueError):
        report.failed("stamp", "The time stamp is malformed.")
        return
    if digest != entry_hash:
        report.failed("stamp", "The time stamp is over something else than the entry.")
    elif report.authorities is None:
        report.noted("stamp", "By whom the time stamp is was not checked.")
    elif not report.authorities.trusts(answer, digest, at):
        report.failed("stamp", "The time stamp is of no authority that is trusted.")
    elif not is_at_its_time(at, anchored_at, times):
        report.noted("stamp", "It was stamped over a day from when it says that it was anchored, or happened.")
    else:
        report.verified("stamp", "A trusted authority stamped the entry.")
