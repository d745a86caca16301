# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""What must not leave is taken out of an answer. Pure.

An answer may be of another shape than was described; then more is removed, not less:

- a name is looked for in every item of a list, and so is a number, which is an index and may be a name as well;
- an object may stand alone for the list that a `*` or a `0` leads through, so what follows is looked for in it too;
- a plain value that stands where more steps should follow goes itself;
- names that look the same are the same, in any case and however their characters are composed.

All pointers are followed in one walk, so that an index means the item that came at that place.
"""

from __future__ import annotations

import unicodedata
from typing import Any

from ..core.wire_formats import ABSENT
from ..text.invisible import BLANK

Path = tuple[str, ...]
Paths = frozenset[Path]

LONGEST_NAME = 256
"""Characters of a name that is composed, which takes time with the square of them: longer ones must be the same."""

_NOWHERE: Paths = frozenset()
_UNSEEN = BLANK.union(" \u180b\u180c\u180d\u180f", map(chr, range(0xFE00, 0xFE10)))


def tokens(pointer: str) -> list[str]:
    """The steps of a JSON Pointer (RFC 6901 section 4)."""
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:]]


def alike(name: str) -> str:
    """The same text for all names that look the same: without what cannot be seen, composed, in one case."""
    for _ in range(2):  # folding may bring out what has to be composed again
        if not (name.isprintable() and _UNSEEN.isdisjoint(name)):
            name = "".join(each for each in name if each.isprintable() and each not in _UNSEEN)
        if len(name) > LONGEST_NAME:
            break
        name = unicodedata.normalize("NFKC", name).casefold()
    return name


# Decision 0052: remove errs towards less.
def without(value: Any, pointers: list[str]) -> Any:
    """The value without what the pointers lead to; ABSENT where nothing is left."""
    return _left(value, frozenset(tuple(map(alike, tokens(pointer))) for pointer in pointers), _NOWHERE)


def _left(value: Any, paths: Paths, names: Paths) -> Any:
    """What is left where `paths` lead on from the value; the first step of each of `names` can only be a name."""
    if () in paths:
        return ABSENT
    if isinstance(value, dict) and (paths or names):
        return _members(value, paths, names)
    if isinstance(value, list) and (paths or names):
        return _items(value, paths, names)
    return ABSENT if paths and value is not None else value


def _items(value: list[Any], paths: Paths, names: Paths) -> list[Any]:
    numbered = frozenset(path for path in paths if path[0].isascii() and path[0].isdecimal())
    every = frozenset(path[1:] if path[0] == "*" else path for path in paths - numbered)
    places: dict[int, Paths] = {}
    for path in numbered:
        index = int(path[0][:9])
        places[index] = places.get(index, every) | {path[1:]}
    names |= numbered
    items = [_left(item, places.get(index, every), names) for index, item in enumerate(value)]
    return [item for item in items if item is not ABSENT]


def _members(value: dict[str, Any], paths: Paths, names: Paths) -> dict[str, Any]:
    called = {name: alike(name) for name in value}
    further: dict[str, set[Path]] = {}
    for path in _alone(paths, ("*",) if "0" in called.values() else ("*", "0")) | names:
        further.setdefault(path[0], set()).add(path[1:])
    every = _NOWHERE.union(further.pop("*", ()))
    members = {name: _left(value[name], every.union(further.get(called[name], ())), _NOWHERE) for name in value}
    return {name: member for name, member in members.items() if member is not ABSENT}


def _alone(paths: Paths, steps: tuple[str, ...]) -> Paths:
    """The paths, and where they lead on if the object is one item, and those steps lead to it."""
    rests = frozenset(path[1:] or ("*",) for path in paths if path[0] in steps)
    return paths if rests <= paths else _alone(paths | rests, steps)
