# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Remove fields from a response: those that must not leave this server (`remove` in a tools file). Pure functions.

JSON Pointers select the fields. A response may differ from its description. In case of doubt, more is removed:

- In a list, a name is looked up in each item. A number selects an item, and is also looked up as a name in each item.
- The response may have an object where `*` or `0` expects a list. The next step is then looked up in the object too.
- A plain value is removed if the pointer has further steps.
- Names that look the same are equal, whatever their letter case and Unicode composition.

All pointers are followed in one pass, so indexes refer to the list as received.
"""

from __future__ import annotations

from typing import Any

from ..core.wire_formats import ABSENT
from ..text.folded_names import alike

Path = tuple[str, ...]
Paths = frozenset[Path]

_NOWHERE: Paths = frozenset()


def tokens(pointer: str) -> list[str]:
    """Return the steps of a JSON Pointer (RFC 6901 section 4)."""
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:]]


# `remove` protects data: hiding too much is better than showing a part that the rule should hide
# (docs/decisions/results.md).
def without(value: Any, pointers: list[str]) -> Any:
    """Return the value without the parts that the pointers select; ABSENT if nothing is left."""
    return _left(value, frozenset(tuple(map(alike, tokens(pointer))) for pointer in pointers), _NOWHERE)


def _left(value: Any, paths: Paths, names: Paths) -> Any:
    """Return the value without the parts that `paths` and `names` select; ABSENT if nothing is left.

    `paths`: steps of JSON Pointers; a number as the first step is an index or a member's name. `names`: paths whose
    first step, a number, was already used as the index in a list around the value, and now is only a member's name.
    """
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
    """Return the paths. For each path whose first step is in `steps` (`*`, `0`: steps into a list), also return the
    path without this step.

    So a path through a list also applies to a single object in place of the list.
    """
    rests = frozenset(path[1:] or ("*",) for path in paths if path[0] in steps)
    return paths if rests <= paths else _alone(paths | rests, steps)
