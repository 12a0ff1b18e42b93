"""JSON as signed documents have it: one spelling, no member twice; and its canonical form (RFC 8785)."""

import json
import math
import re
from decimal import Decimal

LEVELS = 128
# Of objects and lists within each other, that a document may have.
MOST_LEVELS = 1_000


class NotJson(Exception):
    """The bytes are no JSON."""


class BadForm(Exception):
    """JSON that is not in the one form that its issuer writes: a member twice, another spelling, no UTF-8; `value`: what it is."""

    def __init__(self, why, value=None):
        super().__init__(why)
        self.value = value


class TooDeep(BadForm):
    """JSON that is nested deeper than any document, of which nothing is read."""

    def __init__(self):
        super().__init__("nested too deeply")


class NoCanonicalForm(Exception):
    """The value has no canonical form, so nobody can have signed or hashed it."""


def number_text(number):
    """A number as ECMAScript writes it (RFC 8785 3.2.2.3)."""
    if not math.isfinite(number):
        raise NoCanonicalForm("a number is not finite")
    if number == 0:
        return "0"
    sign = "-" if number < 0 else ""
    parts = Decimal(repr(abs(number))).as_tuple()
    digits = "".join(map(str, parts.digits)).rstrip("0")
    point = parts.exponent + len(parts.digits)
    count = len(digits)
    if count <= point <= 21:
        return sign + digits + "0" * (point - count)
    if 0 < point <= 21:
        return sign + digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + digits
    fraction = "." + digits[1:] if count > 1 else ""
    return f"{sign}{digits[0]}{fraction}e{'+' if point > 0 else '-'}{abs(point - 1)}"


class Number(float):
    """A number of JSON, which `true` and `false` are not: Python takes them for 1 and 0."""

    def __eq__(self, other):
        return not isinstance(other, bool) and float.__eq__(self, other)

    def __ne__(self, other):
        return isinstance(other, bool) or float.__ne__(self, other)

    __hash__ = float.__hash__


HALF = re.compile("[\ud800-\udfff]")


def text_text(text):
    if HALF.search(text):
        raise NoCanonicalForm("half a surrogate pair")
    return json.dumps(text, ensure_ascii=False)


def spelled_text(text):
    """A text as ECMAScript writes it: half a surrogate pair by its number."""
    return HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", json.dumps(text, ensure_ascii=False))


def write(value, in_order, levels):
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return text_text(value) if in_order else spelled_text(value)
    if isinstance(value, (int, float)):
        return number_text(float(value))
    if levels == 0:
        raise NoCanonicalForm("nested too deeply")
    if isinstance(value, list):
        return "[" + ",".join(write(item, in_order, levels - 1) for item in value) + "]"
    names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass")) if in_order else value
    text = text_text if in_order else spelled_text
    members = (text(name) + ":" + write(value[name], in_order, levels - 1) for name in names)
    return "{" + ",".join(members) + "}"


def canonical(value):
    """UTF-8 of a value's canonical JSON."""
    return write(value, True, LEVELS).encode()


def compact(value):
    """UTF-8 of a value's JSON without spaces, its members as they stand; raises NoCanonicalForm past 1,000 levels."""
    return write(value, False, 1_000).encode()


def same(one, other):
    """Whether two values have the same canonical JSON; what has none is like nothing."""
    try:
        return canonical(one) == canonical(other)
    except NoCanonicalForm:
        return False


def name_of(*values):
    """A name for values, by which a dict has them: other values have another one."""
    return repr(values)


def parse(text):
    """The value of a text; raises NotJson, and BadForm for a value in another form than its issuer's."""
    twice, spelled = [], []

    def members(pairs):
        value = dict(pairs)
        if len(value) < len(pairs):
            twice.append(next(name for at, (name, _) in enumerate(pairs) if name in dict(pairs[:at])))
        return value

    def number(literal):
        value = float(literal)
        if not math.isfinite(value) or number_text(value) != literal:
            spelled.append(literal)
        return Number(value)

    def refuse(literal):
        raise ValueError(literal)

    try:
        value = json.loads(
            text, object_pairs_hook=members, parse_int=number, parse_float=number, parse_constant=refuse
        )
    except RecursionError as error:
        raise TooDeep from error
    except ValueError as error:
        raise NotJson(str(error)) from error
    if twice:
        raise BadForm(f"the member {twice[0]!r} twice", value)
    if levels_of(text) > MOST_LEVELS:
        raise TooDeep
    if spelled:
        raise BadForm(f"the number {spelled[0]}, which is written otherwise", value)
    for token in re.findall(r'"[^"\\]*(?:\\.[^"\\]*)*"', text):
        if "\\" in token and spelled_text(json.loads(token)) != token:
            raise BadForm(f"the text {token[:80]}, which is written otherwise", value)
    return value


def levels_of(text):
    """How many objects and lists of a JSON text stand within each other."""
    level, most = 0, 0
    for found in re.finditer(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[{]|[\]}]', text):
        level += (found[0] in "[{") - (found[0] in "]}")
        most = max(most, level)
    return most


def decode(data):
    """The text of bytes in UTF-8."""
    try:
        return data.decode("utf-8", "strict")
    except UnicodeDecodeError as error:
        raise BadForm("it is no UTF-8") from error
