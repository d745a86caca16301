"""Assign the pairs `name=value` of a query, a form or a Cookie header to the parameters to which they belong.

Functions that read a parameter remove its pairs, so that pairs left at the end belong to no parameter. Values stay
encoded until they are split as the parameter's style requires.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tests.requests.described import Described
from tests.requests.sameness import Flat
from tests.requests.shapes import properties

Entries = list[tuple[list[str], str]]
"""Pairs in bracket notation: the keys in brackets, and the value."""


class Unreadable(Exception):
    """Raised if a text does not have the form that its style gives."""


class Pairs:
    """The pairs `name=value` that are not yet assigned to a parameter.

    `reserved`: names of parameters, whose pairs are never read as members of an exploded object.
    """

    def __init__(self, text: str, separator: str, decode: Callable[[str], str]) -> None:
        self.decode = decode
        self.left: list[tuple[str, str]] = []
        self.reserved: set[str] = set()
        for pair in text.split(separator) if text else ():
            name, equals, value = pair.partition("=")
            if not equals or not (name or separator == "&"):
                raise Unreadable(f"{pair!r} is no pair")
            self.left.append((decode(name), value))

    def take(self, name: str) -> list[str]:
        """Remove and return the encoded values under exactly this name."""
        found = [value for other, value in self.left if other == name]
        self.left = [pair for pair in self.left if pair[0] != name]
        return found

    def take_inside(self, name: str) -> Entries:
        """Remove and return the pairs under `name[…]`, decoded."""
        mine = [pair for pair in self.left if pair[0].startswith(f"{name}[") and pair[0] not in self.reserved]
        self.left = [pair for pair in self.left if pair not in mine]
        return [(_keys(other.removeprefix(name)), self.decode(value)) for other, value in mine]

    def names_for(self, parameter: Described) -> list[str]:
        """Return the names that belong to members of an exploded object, because no parameter has these names."""
        known = properties(parameter.schema)
        names = [name for name, _ in self.left if name not in self.reserved]
        plain = [name if name in known else name.partition("[")[0] for name in names]
        return list(dict.fromkeys(plain))


def _keys(brackets: str) -> list[str]:
    if not re.fullmatch(r"(?:\[[^\[\]]*\])+", brackets):
        raise Unreadable(f"{brackets!r} is no bracket notation")
    return re.findall(r"\[([^\[\]]*)\]", brackets)


def grown(entries: Entries) -> Any:
    """Return the value that pairs in bracket notation encode.

    An array with indexes becomes an object with the indexes as keys.
    """
    if any(not keys for keys, _ in entries):
        if len(entries) != 1:
            raise Unreadable(f"{entries} is a value and holds values")
        return Flat(entries[0][1])
    if any(keys[0] == "" for keys, _ in entries):
        if any(keys != [""] for keys, _ in entries):
            raise Unreadable(f"{entries} is a list and more")
        return [Flat(value) for _, value in entries]
    inner: dict[str, Entries] = {}
    for keys, value in entries:
        inner.setdefault(keys[0], []).append((keys[1:], value))
    return {key: grown(below) for key, below in inner.items()}
