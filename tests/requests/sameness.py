"""Whether what was read is what was given, up to what text can carry.

Numbers and booleans are compared by their JSON text, and a float that is integral is an integer. In text null, and
empty arrays and objects, are absent. A value that nests where no style says how is JSON text. In JSON everything is
carried.
"""

from __future__ import annotations

import base64
import json
from typing import Any, NamedTuple
from urllib.parse import unquote


class Json(NamedTuple):
    """Read from JSON, which carries everything."""

    value: Any


class Flat(str):
    """A text from where values nest in brackets: no JSON text stands for a value there."""

    __slots__ = ()


def exact(value: Any) -> Any:
    """The value with integral floats as integers, as JSON Schema counts them."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if isinstance(value, list):
        return [exact(item) for item in value]
    if isinstance(value, dict):
        return {key: exact(member) for key, member in value.items()}
    return value


def same_json(given: Any, read: Any) -> bool:
    """Equality that tells true from 1."""
    return json.dumps(exact(given), sort_keys=True) == json.dumps(exact(read), sort_keys=True)


def is_absent(given: Any) -> bool:
    """Whether text has no form for it: null, and what holds nothing else."""
    if isinstance(given, dict):
        return all(is_absent(member) for member in given.values())
    return given is None or (isinstance(given, list) and all(is_absent(item) for item in given))


def decoded(given: Any) -> Any:
    """Where reserved characters are allowed, percent-encoded triples of the value are carried as they are (RFC 6570,
    3.2.3), so that whoever decodes reads what they stand for."""
    if isinstance(given, str):
        return unquote(given)
    if isinstance(given, list):
        return [decoded(item) for item in given]
    return {unquote(key): decoded(item) for key, item in given.items()} if isinstance(given, dict) else given


def same(given: Any, read: Any, *, nested: bool = False) -> bool:
    """Whether `read`, of texts in lists and mappings, is `given`."""
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
    """In brackets an item has an index, counted from 0, where any item nests, and none where all are scalars."""
    wanted = {str(index): item for index, item in enumerate(given) if not is_absent(item)}
    if not any(isinstance(item, (list, dict)) for item in given) or wanted.keys() != read.keys():
        return False
    return all(same(item, read[index], nested=True) for index, item in wanted.items())


def _same_members(given: dict[str, Any], read: Any, absent: Any) -> bool:
    wanted = {key: member for key, member in given.items() if not absent(member)}
    if not isinstance(read, dict) or wanted.keys() != read.keys():
        return False
    return all(same(member, read[key], nested=True) for key, member in wanted.items())
