"""The one ZIP container of a pack, read byte by byte (interface.md, "Evidence package")."""

import hashlib
import re
import struct
import zlib

SEAL = ("manifest.json", "manifest.sig", "public-key.json")
MADE_BY = 3 << 8 | 63
UTF8, DESCRIPTOR = 1 << 11, 1 << 3
MODE = 0o100644 << 16
NONE32, NONE16 = 0xFFFFFFFF, 0xFFFF


class NotAPack(Exception):
    """The file is not, byte by byte, the archive of its members."""


class Member:
    def __init__(self, path, stored, crc, packed, size, offset):
        self.path, self.stored, self.crc = path, stored, crc
        self.packed, self.size, self.offset = packed, size, offset
        self.data_at = offset + 30 + len(path.encode())

    @property
    def large(self):
        return max(self.size, self.packed, self.offset) >= NONE32


def expect(condition, why):
    if not condition:
        raise NotAPack(why)


def is_safe(path):
    """Whether every system reads the path alike, as one inside the folder that it is unpacked into."""
    device = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)", re.I | re.A)
    return len(path) <= 220 and all(
        re.fullmatch(r"[A-Za-z0-9._-]+", part) and not part.endswith(".") and not device.match(part)
        for part in path.split("/")
    )


class Archive:
    """An archive in memory; raises NotAPack for any other file."""

    def __init__(self, data):
        self.data = data
        count, size, offset = self.directory_place()
        self.members, self.time = [], None
        at, follows, names = offset, 0, set()
        while at < offset + size:
            at = self.record(at, offset + size)
            member = self.members[-1]
            expect(member.offset == follows, f"{member.path} does not follow the member before it")
            expect(is_safe(member.path) and member.path.lower() not in names, f"{member.path} is no safe name")
            names.add(member.path.lower())
            follows = self.end_of(member)
        expect(len(self.members) == count and follows == offset, "the directory does not follow the last member")

    def take(self, form, at):
        size = struct.calcsize(form)
        expect(0 <= at and at + size <= len(self.data), "it ends within a record")
        return struct.unpack_from(form, self.data, at)

    def directory_place(self):
        end = len(self.data) - 22
        mark, disk, start, here, count, size, offset, comment = self.take("<IHHHHIIH", end)
        expect(mark == 0x06054B50 and not disk and not start and not comment, "it has no end record")
        expect(here == count, "the counts of its end record differ")
        if count == NONE16 or size == NONE32 or offset == NONE32:
            mark, where, parts = self.take("<IIQI", end - 20)[0], *self.take("<QI", end - 12)
            expect(mark == 0x07064B50 and self.take("<I", end - 16)[0] == 0 and parts == 1, "no ZIP64 locator")
            large = self.take("<IQHHIIQQQQ", end - 76)
            expect(large[:6] == (0x06064B50, 44, MADE_BY, 45, 0, 0) and large[6] == large[7], "no ZIP64 end")
            told = (count, size, offset)
            count, size, offset = large[7:]
            expect(max(count - NONE16, size - NONE32, offset - NONE32) >= 0, "it needs no ZIP64 end")
            expect(told == (min(count, NONE16), min(size, NONE32), min(offset, NONE32)), "its ends differ")
            expect(where == offset + size, "its ZIP64 end is elsewhere")
            end -= 76
        expect(offset + size == end, "the directory does not end where the end record begins")
        return count, size, offset

    def record(self, at, limit):
        (mark, made, needs, flags, method, time, date, crc, packed, size, name_size, extra, comment, disk,
         internal, mode, offset) = self.take("<IHHHHHHIIIHHHHHII", at)
        behind = at + 46 + name_size
        expect(mark == 0x02014B50 and behind + extra <= limit, "the directory is cut")
        try:
            path = self.data[at + 46 : behind].decode("utf-8")
        except UnicodeDecodeError as error:
            raise NotAPack("a name is no UTF-8") from error
        large = packed == size == offset == NONE32
        if large:
            expect(extra == 28, "a ZIP64 field is missing")
            head, length, size, packed, offset = self.take("<HHQQQ", behind)
            expect((head, length) == (1, 24), "another extra field than ZIP64")
        stored = path in SEAL
        member = Member(path, stored, crc, packed, size, offset)
        expect(extra == (28 if large else 0) and member.large == large, "an extra field but that of ZIP64")
        expect(made == MADE_BY and needs == (45 if large else 20), f"{path} has another version")
        expect(flags == (UTF8 if stored else UTF8 | DESCRIPTOR), f"{path} has other flags")
        expect(method == (0 if stored else 8), f"{path} has another method")
        expect(comment == disk == internal == 0 and mode == MODE, f"{path} has another mode or a comment")
        self.time = self.time or (time, date)
        expect((time, date) == self.time, f"{path} has another time")
        self.members.append(member)
        return behind + extra

    def end_of(self, member):
        sizes = (member.crc, member.packed, member.size) if member.stored else (0, 0, 0)
        name = member.path.encode()
        flags = UTF8 if member.stored else UTF8 | DESCRIPTOR
        header = (0x04034B50, 20, flags, 0 if member.stored else 8, *self.time, *sizes, len(name), 0)
        expect(self.take("<IHHHHHIIIHH", member.offset) == header, f"the header of {member.path} differs")
        expect(self.data[member.offset + 30 : member.data_at] == name, f"the name of {member.path} differs")
        end = member.data_at + member.packed
        if member.stored:
            expect(not member.large and member.packed == member.size, f"the sizes of {member.path} differ")
            expect(end <= len(self.data), "it ends within a member")
            return end
        form = "<IIQQ" if member.large else "<IIII"
        expected = (0x08074B50, member.crc, member.packed, member.size)
        expect(self.take(form, end) == expected, f"the descriptor of {member.path} differs")
        return end + struct.calcsize(form)

    def read(self, member):
        """A member's bytes."""
        packed = self.data[member.data_at : member.data_at + member.packed]
        content = packed
        if not member.stored:
            stream = zlib.decompressobj(-15)
            try:
                content = stream.decompress(packed, member.size + 1)
                content += stream.flush() if len(content) <= member.size else b""
            except zlib.error as error:
                raise NotAPack(f"{member.path} is damaged") from error
            expect(stream.eof and not stream.unused_data and not stream.unconsumed_tail, f"{member.path} goes on")
        expect(len(content) == member.size and zlib.crc32(content) == member.crc, f"{member.path} is damaged")
        return content

    def before(self, member):
        """Size and SHA-256 of all that stands before a member."""
        return {"bytes": member.offset, "sha256": hashlib.sha256(self.data[: member.offset]).hexdigest()}
