"""JSON values, JSON Pointers (RFC 6901) and canonical bytes.

A leaf: it knows nothing of OpenAPI or MCP. Values are plain Python (dict, list, str, int, float, bool, None); passes
build new values and never change one that they were given.
"""

import hashlib
import json
import re
from collections.abc import Iterable
from typing import TypeAlias

JsonValue: TypeAlias = "dict[str, JsonValue] | list[JsonValue] | str | int | float | bool | None"
JsonObject: TypeAlias = dict[str, JsonValue]

_INDEX = re.compile(r"0|[1-9][0-9]{0,8}")


def pointer(base: str, *tokens: str | int) -> str:
    """`base` with `tokens` appended, escaped by RFC 6901 section 3."""
    for token in tokens:
        base += "/" + str(token).replace("~", "~0").replace("/", "~1")
    return base


def tokens(pointer_text: str) -> list[str]:
    """The reference tokens of a pointer, unescaped (RFC 6901 section 4); the empty pointer has none."""
    if not pointer_text:
        return []
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer_text.split("/")[1:]]


def lookup(value: JsonValue, path: Iterable[str]) -> JsonValue:
    """The value that the tokens of `path` lead to; KeyError where there is none (RFC 6901 section 4)."""
    for token in path:
        if isinstance(value, dict):
            value = value[token]
        elif isinstance(value, list) and _INDEX.fullmatch(token) and int(token) < len(value):
            value = value[int(token)]
        else:
            raise KeyError(token)
    return value


def compact(value: JsonValue) -> str:
    """One line of ASCII JSON. `<` is escaped so that the text stays data inside any markup. ValueError for NaN and
    infinities.
    """
    return json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


def plain_text(value: JsonValue) -> str:
    """Return the one text of a JSON value, the same for equal ones: 1.0 is 1, members in order of their names."""
    return json.dumps(_plain(value), sort_keys=True)


def _plain(value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        return {key: _plain(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_plain(member) for member in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def unique(values: Iterable[JsonValue]) -> list[JsonValue]:
    """Return the values, each once, in the order of their first."""
    given = list(values)
    if len(given) < 2:
        return given
    found: dict[str, JsonValue] = {}
    for value in given:
        # The text of a text is itself in quotes, which no other value begins with.
        found.setdefault(f'"{value}' if isinstance(value, str) else plain_text(value), value)
    return list(found.values())


def digest(data: bytes) -> str:
    """SHA-256 of `data` in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def as_object(value: JsonValue) -> JsonObject:
    """`value` where it is an object, else an empty one: for optional members that documents get wrong."""
    return value if isinstance(value, dict) else {}


def as_list(value: JsonValue) -> list[JsonValue]:
    """`value` where it is an array, else an empty one."""
    return value if isinstance(value, list) else []


def as_text(value: JsonValue) -> str:
    """`value` where it is a string, else the empty string."""
    return value if isinstance(value, str) else ""
