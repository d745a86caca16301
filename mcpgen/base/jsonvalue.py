"""JSON values, JSON Pointers (RFC 6901) and canonical bytes.

JSON values are plain Python: dict, list, str, int, float, bool, None. Compiler passes build new values and never change
their input.
"""

import hashlib
import json
import re
from collections.abc import Iterable
from typing import Any, TypeAlias

JsonValue: TypeAlias = "dict[str, JsonValue] | list[JsonValue] | str | int | float | bool | None"
JsonObject: TypeAlias = dict[str, JsonValue]

_INDEX = re.compile(r"0|[1-9][0-9]{0,8}")

# made once, since `json.dumps` makes an encoder for each value that it writes with options
_IN_ASCII = json.JSONEncoder(ensure_ascii=True, allow_nan=False, check_circular=False, separators=(",", ":"))
_UNESCAPED = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":"))


def pointer(base: str, *tokens: str | int) -> str:
    """Return the pointer `base` with `tokens` appended, escaped by RFC 6901, section 3."""
    for token in tokens:
        base += "/" + str(token).replace("~", "~0").replace("/", "~1")
    return base


def tokens(pointer_text: str) -> list[str]:
    """Return the unescaped reference tokens of a pointer (RFC 6901, section 4). The empty pointer has none."""
    if not pointer_text:
        return []
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer_text.split("/")[1:]]


def lookup(value: JsonValue, path: Iterable[str]) -> JsonValue:
    """Return the value in `value` at `path`, the unescaped tokens of a JSON Pointer (RFC 6901, section 4).

    Raises KeyError if `path` leads to no value.
    """
    for token in path:
        if isinstance(value, dict):
            value = value[token]
        elif isinstance(value, list) and _INDEX.fullmatch(token) and int(token) < len(value):
            value = value[int(token)]
        else:
            raise KeyError(token)
    return value


def without_empty(**members: Any) -> JsonObject:
    """Return the members that have a value: not None, False, or an empty text, list or mapping.

    A tuple becomes a list.
    """
    return {key: list(value) if isinstance(value, tuple) else value for key, value in members.items() if value}


def compact(value: JsonValue) -> str:
    """Return `value` as one line of ASCII JSON.

    `<` is escaped, so that the text stays data inside any markup. Raises ValueError for NaN and infinities.
    """
    return _IN_ASCII.encode(value).replace("<", "\\u003c")


def unescaped(value: object) -> str:
    """Return `value` as one line of JSON in which no character is escaped without need."""
    return _UNESCAPED.encode(value)


def document(value: JsonValue) -> bytes:
    """Return `value` as a JSON file for people and programs: indented ASCII, with `<` escaped as `compact` does."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, indent=2).replace("<", "\\u003c")
    return f"{text}\n".encode("ascii")


def plain_text(value: JsonValue) -> str:
    """Return a canonical text of `value`, the same for equal values: 1.0 becomes 1, members are sorted by name."""
    return json.dumps(_plain(value), sort_keys=True)


def _plain(value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        return {key: _plain(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_plain(member) for member in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def unique(values: Iterable[JsonValue]) -> list[JsonValue]:
    """Return the distinct values, in the order in which each first occurs."""
    given = list(values)
    if len(given) < 2:
        return given
    found: dict[str, JsonValue] = {}
    for value in given:
        # The key of a string is a quote and the string, which is faster than `plain_text`. No other value has such a
        # key, because its canonical text begins with another character.
        found.setdefault(f'"{value}' if isinstance(value, str) else plain_text(value), value)
    return list(found.values())


def digest(data: bytes) -> str:
    """Return the SHA-256 of `data` in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def as_object(value: JsonValue) -> JsonObject:
    """Return `value` if it is an object, else an empty object. Used for optional members that may have a wrong type."""
    return value if isinstance(value, dict) else {}


def as_list(value: JsonValue) -> list[JsonValue]:
    """Return `value` if it is an array, else an empty list."""
    return value if isinstance(value, list) else []


def as_text(value: JsonValue) -> str:
    """Return `value` if it is a string, else the empty string."""
    return value if isinstance(value, str) else ""
