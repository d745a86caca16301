"""Compare a value read from a request with the given argument, as far as text can represent the argument.

Numbers and booleans are compared by their JSON text, and an integral float is an integer. Text cannot represent null,
and empty arrays and objects; they count as absent. A nested value without a style is JSON text. JSON represents every
value.
"""

from __future__ import annotations

import base64
import json
from typing import Any, NamedTuple
from urllib.parse import unquote


class Json(NamedTuple):
    """A value read from JSON text in a request. The value must equal the tool's argument exactly, since JSON can
    represent every argument.
    """

    value: Any


class Flat(str):
    """Text of a value in bracket notation (`a[b]=c`) or of one item or member of an exploded parameter. It is never
    parsed as the JSON text of an array or object.
    """

    __slots__ = ()


def exact(value: Any) -> Any:
    """Return the value with integral floats as integers, as JSON Schema treats them."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if isinstance(value, list):
        return [exact(item) for item in value]
    if isinstance(value, dict):
        return {key: exact(member) for key, member in value.items()}
    return value


def same_json(given: Any, read: Any) -> bool:
    """Return True if two JSON values are equal. Unlike `==`, this distinguishes true and 1."""
    return json.dumps(exact(given), sort_keys=True) == json.dumps(exact(read), sort_keys=True)


def is_absent(given: Any) -> bool:
    """Return True if text cannot represent the value: null, or an array or object that contains only such values."""
    if isinstance(given, dict):
        return all(is_absent(member) for member in given.values())
    return given is None or (isinstance(given, list) and all(is_absent(item) for item in given))


def decoded(given: Any) -> Any:
    """Return the value as a server decodes it if the style allows reserved characters.

    Percent-encoded triples in the value are then sent unchanged (RFC 6570, 3.2.3), and the server decodes them.
    """
    if isinstance(given, str):
        return unquote(given)
    if isinstance(given, list):
        return [decoded(item) for item in given]
    return {unquote(key): decoded(item) for key, item in given.items()} if isinstance(given, dict) else given


def same(given: Any, read: Any, *, nested: bool = False) -> bool:
    """Return True if `read`, a value read from a request, represents the argument `given`.

    Numbers and booleans in `read` are strings, unless `read` is a `Json` (read from JSON text): "1" represents 1, and
    "true" represents True.
    `nested`: True if `given` is an item of an array or a member of an object.
    """
    if isinstance(read, Json):
        return same_json(given, read.value)
    if isinstance(read, bytes):
        return isinstance(given, str) and _is_base64_of(given, read)
    if isinstance(given, (list, dict)):
        if isinstance(read, str):
            return nested and not isinstance(read, Flat) and _is_json_text(given, read)
        alike: Any = _same_items if isinstance(given, list) else _same_members
        return any(alike(given, read, absent) for absent in (lambda item: item is None, is_absent, lambda item: False))
    text = given if isinstance(given, str) else json.dumps(exact(given))
    return bool(read == text)


def _is_base64_of(given: str, read: bytes) -> bool:
    try:
        return base64.b64decode(given, validate=True) == read
    except ValueError:
        return False


def _is_json_text(given: Any, read: str) -> bool:
    try:
        return same_json(given, json.loads(read))
    except ValueError:
        return False


def _same_items(given: list[Any], read: Any, absent: Any) -> bool:
    if isinstance(read, dict):
        return _same_indexed([item for item in given if item is not None], read)
    wanted = [item for item in given if not absent(item)]
    return len(wanted) == len(read) and all(same(*both, nested=True) for both in zip(wanted, read, strict=True))


def _same_indexed(given: list[Any], read: dict[str, Any]) -> bool:
    """Return True if `read`, an array in bracket notation with indexes (`a[0][b]=c`), represents the array `given`.

    Return False if no item of `given` is an array or object, since only arrays with such items are sent with indexes.
    """
    wanted = {str(index): item for index, item in enumerate(given) if not is_absent(item)}
    if not any(isinstance(item, (list, dict)) for item in given) or wanted.keys() != read.keys():
        return False
    return all(same(item, read[index], nested=True) for index, item in wanted.items())


def _same_members(given: dict[str, Any], read: Any, absent: Any) -> bool:
    wanted = {key: member for key, member in given.items() if not absent(member)}
    if not isinstance(read, dict) or wanted.keys() != read.keys():
        return False
    return all(same(member, read[key], nested=True) for key, member in wanted.items())
