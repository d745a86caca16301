# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""JSON text to values and back, strictly, and without the price of `import json`.

That package compiles regular expressions when it is imported, which takes half as long as Python itself takes to start.
Its C core (`_json`) needs none of them, so the core is used alone. It is private to CPython, so nothing is taken on
trust: where it is missing or its constructors changed, the package is used; and a text that the core does not accept is
given to the package, whose verdict counts.

Stricter than the package: no NaN or Infinity, no number that a double cannot hold, no nesting beyond `MAX_DEPTH`.
Objects that name a key twice are reported, since which of the two counts is anybody's guess. Written text is compact
ASCII on one line.
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
#: Integers of more digits would be infinite to every reader that keeps numbers as doubles, which is most of them.
MAX_DIGITS = 308

_SPACE = " \t\r\n"
_INFINITY = float("inf")
_TOO_DEEP = f"The message is nested deeper than {MAX_DEPTH} levels."
_TOO_LARGE = "The message holds a number that is too large."


class NotJSON(ValueError):
    """The text is not JSON as it is understood here; its message is a sentence for the peer."""


def loads(text: str, parse_float: Callable[[str], object] | None = None) -> tuple[object, list[Repeated]]:
    """The value, and those objects in it that name keys twice (the last counts), with these keys. Raises NotJSON.

    `parse_float` makes something else of numbers with a point or an exponent, and of those that would be too large.
    """
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

    text = text.strip(_SPACE)
    rules = _Rules(members, parse_float or _double, parse_float or _too_large)
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


def dumps(value: object) -> bytes:
    """Compact ASCII. Raises ValueError or TypeError for what JSON cannot hold.

    A lone surrogate, which makes some readers hang, becomes U+FFFD.
    """
    text = _encode(value)
    return (_encode(_repaired(value)) if "\\ud" in text else text).encode("ascii")


def echo(value: object) -> bytes:
    """As `dumps`, but character for character what the peer sent: for ids and tokens, which it must recognise."""
    return _encode(value).encode("ascii")


class _Rules:
    """What the C scanner reads from its context; the names are those of `json.JSONDecoder`."""

    __slots__ = ("_parse_large", "object_pairs_hook", "parse_float")

    strict = True
    object_hook = array_hook = None

    def __init__(
        self, members: Members, parse_float: Callable[[str], object], parse_large: Callable[[str], object]
    ) -> None:
        self.object_pairs_hook = members
        self.parse_float = parse_float
        self._parse_large = parse_large

    @staticmethod
    def parse_constant(name: str) -> object:
        raise NotJSON(f"{name} is not a JSON number.")

    def parse_int(self, digits: str) -> object:
        return int(digits) if len(digits) <= MAX_DIGITS else self._parse_large(digits)


def _double(digits: str) -> float:
    number = float(digits)
    if number in (_INFINITY, -_INFINITY):
        raise NotJSON(_TOO_LARGE)
    return number


def _too_large(digits: str) -> object:
    raise NotJSON(_TOO_LARGE)


def _scan(text: str, rules: _Rules) -> object:
    """What the C core makes of the text; any exception but NotJSON means that it must not decide."""
    from _json import make_scanner

    value, end = make_scanner(rules)(text, 0)  # type: ignore[arg-type]
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


def _encoder() -> Callable[[object], str]:
    try:
        from _json import encode_basestring_ascii, make_encoder

        chunks = make_encoder(None, _foreign, encode_basestring_ascii, None, ":", ",", False, False, False)
    except (ImportError, TypeError):
        from json import JSONEncoder

        return JSONEncoder(allow_nan=False, separators=(",", ":")).encode
    return lambda value: "".join(chunks(value, 0))


_encode = _encoder()
