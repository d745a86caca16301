"""Pairs `name=value` as they stand in a query, a form or a Cookie header, handed out to the parameters that own them.

Whoever asks takes pairs away, so what is left at the end belongs to nobody. Values stay as they were written until the
style that reads them has split them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tests.requests.described import Described
from tests.requests.sameness import Flat
from tests.requests.shapes import properties

Entries = list[tuple[list[str], str]]
"""Of pairs in bracket notation: the keys in brackets, and the value."""


class Unreadable(Exception):
    """The text is not what the style writes."""


class Pairs:
    """What is not taken yet. `free` is the exploded object that takes the names which no other parameter owns."""

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
        """The values under exactly that name, as they were written."""
        found = [value for other, value in self.left if other == name]
        self.left = [pair for pair in self.left if pair[0] != name]
        return found

    def take_inside(self, name: str) -> Entries:
        """What stands under `name[…]`, decoded."""
        mine = [pair for pair in self.left if pair[0].startswith(f"{name}[") and pair[0] not in self.reserved]
        self.left = [pair for pair in self.left if pair not in mine]
        return [(_keys(other.removeprefix(name)), self.decode(value)) for other, value in mine]

    def names_for(self, parameter: Described) -> list[str]:
        """The names under which members of an exploded object stand: those that no parameter has."""
        known = properties(parameter.schema)
        names = [name for name, _ in self.left if name not in self.reserved]
        plain = [name if name in known else name.partition("[")[0] for name in names]
        return list(dict.fromkeys(plain))


def _keys(brackets: str) -> list[str]:
    if not re.fullmatch(r"(?:\[[^\[\]]*\])+", brackets):
        raise Unreadable(f"{brackets!r} is no bracket notation")
    return re.findall(r"\[([^\[\]]*)\]", brackets)


def grown(entries: Entries) -> Any:
    """The value that pairs in bracket notation stand for; items of arrays that say their index are keyed by it."""
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
