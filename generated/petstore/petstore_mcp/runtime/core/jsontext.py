# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""JSON text to values and back, strictly, and without the price of `import json`.

That package compiles regular expressions when it is imported, which takes half as long as Python itself takes to start.
Its C core (`_json`) needs none of them, so the core is used alone. It is private to CPython, so nothing is taken on
trust: where it is missing or its constructors changed, the package is used; and a text that the core does not accept is
given to the package, whose verdict counts.

Stricter than the package: no NaN or Infinity, no number that a double cannot hold, no nesting beyond `MAX_DEPTH`.
Objects that name a key twice are reported, since which of the two counts is anybody's guess. To look for all that costs
more than to read. So a text is read first and counted: where the counts prove that there is nothing to find, which is
so of nearly all, that is it, and else it is read again. Written text is compact ASCII on one line.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Repeated = tuple[dict[str, object], set[str]]
    Pairs = list[tuple[str, object]]
    Members = Callable[[Pairs], dict[str, object]]

#: Far below what overflows any stack on the way of a value, here or in the validator (whose own limit is 255).
MAX_DEPTH = 128
# Decision 0061: A message has at most 131,072 values.
#: Values of one message, each of which may take a microsecond at every step of a call, and 100 bytes or two.
MAX_VALUES = 131_072
#: Integers of more digits would be infinite to every reader that keeps numbers as doubles, which is most of them.
MAX_DIGITS = 308

_SPACE = " \t\r\n"
_INFINITY = float("inf")
_LEAST = -_INFINITY
_TOO_DEEP = f"The message is nested deeper than {MAX_DEPTH} levels."
_TOO_LARGE = "The message holds a number that is too large."

#: At each so many characters a number that is too large shows a digit. A prime, so that those of a list do not.
_STRIDE = 19
#: Characters from which on it pays to ask another library.
_LONG = 4096
_DIGITS = bytes(0x30 if 0x30 <= code <= 0x39 else 0x20 for code in range(256))
_UNSTRUCTURED = bytes(code for code in range(256) if code not in b'{}[]:"')
#: What of a long text is looked at together.
_PIECE = 256 * 1024
_UNSEPARATED = bytes(code for code in range(256) if code not in b',{["')
_UNSURE = object()


class NotJSON(ValueError):
    """The text is not JSON as it is understood here; its message is a sentence for the peer."""


# Decision 0152: JSON is read fast and then counted.
def loads(text: str, parse_float: Callable[[str], object] | None = None) -> tuple[object, list[Repeated]]:
    """The value, and those objects in it that name keys twice (the last counts), with these keys. Raises NotJSON.

    `parse_float` makes something else of numbers with a point or an exponent, and of those that would be too large.
    """
    text = text.strip(_SPACE)
    if parse_float is None and (value := _counted(text)) is not _UNSURE:
        return value, []
    return _judged(text, parse_float)


def dumps(value: object) -> bytes:
    """Compact ASCII. Raises ValueError or TypeError for what JSON cannot hold.

    A lone surrogate, which makes some readers hang, becomes U+FFFD.
    """
    if type(value) is str and value.isascii():  # most of what is written is one text
        return (_quote(value) if len(value) < _LONG else _quote_long(value)).encode("ascii")
    text = _encode(value)
    if "\\ud" in text and not _is_well_formed(text):
        text = _encode(_repaired(value))
    return text.encode("ascii")


def in_ascii(line: str) -> str:
    """A JSON text with what is not ASCII written by escapes, and nothing else in it changed. Between its parts, neither
    line ends nor tabs; no lone surrogates."""
    if line.isascii():
        return line
    # As if it were to stand in a string; then what that puts before its quotes and backslashes is taken back.
    return _quote(line)[1:-1].replace('\\"', '"').replace("\\\\", "\\")


def echo(value: object) -> bytes:
    """As `dumps`, but character for character what the peer sent: for ids and tokens, which it must recognise."""
    return _encode(value).encode("ascii")


def is_crowded(line: bytes) -> bool:
    """Return whether a JSON text holds more than MAX_VALUES values, before anything is made of it. Each follows a comma
    or a bracket, of which an empty list or object has one too many.
    """
    if len(line) <= MAX_VALUES or sum(map(line.count, (b",", b"{", b"["))) < MAX_VALUES:
        return False
    found, inside, start = 0, 0, 0
    while start < len(line) and found < MAX_VALUES:  # in pieces, since a text that is crowded is so soon
        end = start + _PIECE
        while line[end - 1 : end] == b"\\":
            end += 1  # an escape is not torn
        marks = _marks(line[start:end], _UNSEPARATED).split(b'"')
        found += sum(map(len, marks[inside::2]))
        inside = (inside + len(marks) - 1) % 2
        start = end
    return found >= MAX_VALUES


class _Rules:
    """What the C scanner reads from its context; the names are those of `json.JSONDecoder`."""

    strict = True
    object_hook: Any = None
    object_pairs_hook: Any = None
    array_hook: Any = None
    parse_float: Callable[[str], object]
    parse_int: Callable[[str], object]
    scanner: Any = None

    @staticmethod
    def parse_constant(name: str) -> object:
        raise NotJSON(f"{name} is not a JSON number.")


class _Counting(_Rules):
    """Those by which Python is asked least: once an object, and once a number that is not whole."""

    def __init__(self) -> None:
        self.members = 0
        self.parse_float = _double
        self.parse_int = int

    def object_hook(self, found: dict[str, object]) -> dict[str, object]:
        self.members += len(found)
        return found


class _Looking(_Rules):
    """Those that find all there is to find."""

    def __init__(
        self, members: Members, parse_float: Callable[[str], object], parse_large: Callable[[str], object]
    ) -> None:
        self.object_pairs_hook = members
        self.parse_float = parse_float
        self._parse_large = parse_large
        self.parse_int = self._whole

    def _whole(self, digits: str) -> object:
        return int(digits) if len(digits) <= MAX_DIGITS else self._parse_large(digits)


def _double(digits: str) -> float:
    if _LEAST < (number := float(digits)) < _INFINITY:
        return number
    raise NotJSON(_TOO_LARGE)


def _too_large(digits: str) -> object:
    raise NotJSON(_TOO_LARGE)


#: Rules that no thread is reading by: to make a scanner takes half as long as to read a message.
_idle: list[_Counting] = []


def _counted(text: str) -> object:
    """The value of a text that counts show to be JSON in which nothing is wrong; _UNSURE where they do not."""
    if len(text) > MAX_DIGITS and _may_hold_long_number(text):
        return _UNSURE
    try:
        rules = _idle.pop() if _idle else _Counting()
        rules.members = 0
        value = _scan(text, rules)
    except Exception:
        return _UNSURE
    members = rules.members
    _idle.append(rules)
    # With each colon that is no member's there are fewer members than colons, as with each that is named again.
    if text.count(":") == members and text.count("[") + text.count("{") <= MAX_DEPTH:
        return value
    structure = _outside_strings(text.encode(errors="replace"), _UNSTRUCTURED)
    return value if structure.count(b":") == members and _is_shallow(structure) else _UNSURE


def _may_hold_long_number(text: str) -> bool:
    """Whether there may be a number of MAX_DIGITS digits: of so many, some stand at each place that is looked at."""
    seen = text[::_STRIDE].encode("ascii", "replace").translate(_DIGITS)
    return b"0" * (MAX_DIGITS // _STRIDE) in seen


def _outside_strings(content: bytes, left_out: bytes) -> bytes:
    """Return what stands outside the strings of a JSON text, but for some characters, to which quotes do not belong."""
    # Between two quotes that are left is what a string holds of them.
    return b"".join(_marks(content, left_out).replace(b'""', b"").split(b'"')[::2])


def _marks(content: bytes, left_out: bytes) -> bytes:
    """Return content of a JSON text without some characters, and without quotes that are escaped."""
    plain = content.replace(b'\\"', b"  ")  # of the same length, so that nothing has to be moved
    if b"\\" in plain:  # then a quote may stand behind a backslash that is escaped itself
        plain = content.replace(b"\\\\", b"").replace(b'\\"', b"")
    return plain.translate(None, left_out)


def _is_shallow(structure: bytes) -> bool:
    """Whether it is sure that nothing is nested beyond MAX_DEPTH: what is innermost is taken away in a few rounds, each
    of which takes two levels at most, and no level is without a pair of brackets."""
    brackets = structure.translate(None, b":")
    for levels in range(0, 16, 2):
        if len(brackets) // 2 + levels <= MAX_DEPTH:
            return True
        brackets = brackets.replace(b"{}", b"").replace(b"[]", b"")
    return False


def _judged(text: str, parse_float: Callable[[str], object] | None) -> tuple[object, list[Repeated]]:
    """As `loads`, whatever the text is."""
    repeated: list[Repeated] = []

    def members(pairs: Pairs) -> dict[str, object]:
        found = dict(pairs)
        if len(found) < len(pairs):
            once: set[str] = set()
            twice: set[str] = set()
            for name, _ in pairs:
                (twice if name in once else once).add(name)
            repeated.append((found, twice))
        return found

    rules = _Looking(members, parse_float or _double, parse_float or _too_large)
    try:
        value = _scan(text, rules)
    except NotJSON:
        raise
    except Exception:
        repeated.clear()
        value = _verdict(text, rules)
    if text.count("[") + text.count("{") > MAX_DEPTH and _too_deep(value):
        raise NotJSON(_TOO_DEEP)
    return value, repeated


def _scan(text: str, rules: _Rules) -> object:
    """What the C core makes of the text; any exception but NotJSON means that it must not decide."""
    if rules.scanner is None:
        from _json import make_scanner

        rules.scanner = make_scanner(rules)  # type: ignore[arg-type]
    value, end = rules.scanner(text, 0)
    if end < len(text):
        raise ValueError
    return value


def _verdict(text: str, rules: _Rules) -> object:
    """The same from the package, with the place of the fault."""
    import json

    try:
        return json.loads(
            text,
            object_pairs_hook=rules.object_pairs_hook,
            parse_constant=rules.parse_constant,
            parse_int=rules.parse_int,
            parse_float=rules.parse_float,
        )
    except json.JSONDecodeError as fault:
        raise NotJSON(f"The message is not JSON (character {fault.pos + 1}).") from None
    except RecursionError:
        raise NotJSON(_TOO_DEEP) from None


def _too_deep(value: object) -> bool:
    level: list[Any] = [value] if isinstance(value, (dict, list)) else []
    for _ in range(MAX_DEPTH):
        level = [
            child
            for node in level
            for child in (node.values() if type(node) is dict else node)
            if type(child) is dict or type(child) is list
        ]
        if not level:
            return False
    return True


def _is_well_formed(text: str) -> bool:
    """Whether no surrogate stands alone in what `_encode` wrote."""
    try:
        text.encode().decode("unicode_escape").encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError:
        return False
    return True


def _repaired(value: object) -> object:
    """The value with every lone surrogate replaced; well-formed pairs become the character they stand for."""
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, dict):
        return {_repaired(key): _repaired(member) for key, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_repaired(member) for member in value]
    return value


def _foreign(value: object) -> object:
    raise TypeError(f"{type(value).__name__} has no JSON form")


def _writers() -> tuple[Callable[[object], str], Callable[[str], str]]:
    """What writes any value, and what writes a text."""
    try:
        from _json import encode_basestring_ascii, make_encoder

        chunks = make_encoder(None, _foreign, encode_basestring_ascii, None, ":", ",", False, False, False)
    except (ImportError, TypeError):
        from json import JSONEncoder

        encode = JSONEncoder(allow_nan=False, separators=(",", ":")).encode
        return encode, encode
    return lambda value: "".join(chunks(value, 0)), encode_basestring_ascii


def _quote_long(text: str) -> str:
    """The same of a long text in ASCII, in half the time."""
    from jsonschema_rs import canonical  # there by now: what is long comes from an upstream

    return canonical.json.to_string(text)


_encode, _quote = _writers()
