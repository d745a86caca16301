"""Apply the actions of an overlay in order, each to the result of the previous action (Overlay 1.0, 4.4.3).

Nothing is changed in place: the old and the new document share the parts that no action touches. Actions that would
make a document larger or deeper than the limits are refused.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.jsonvalue import JsonObject, JsonValue
from mcpgen.read.document import Document, budgets
from mcpgen.read.overlay.query import Location, TooCostly
from mcpgen.read.overlay.read import Action, Overlay

MOST_SELECTED = 100_000
MOST_ADDED = 1_000_000
"""Limits: how many values one action may select, and how many values an overlay may add."""


class _Refused(Exception):
    """An action cannot be applied. The message gives the reason."""


def applied(overlay: Overlay, document: Document, diagnostics: Diagnostics) -> tuple[Document, frozenset[int]]:
    """Return `document` with `overlay` applied, and the indices of actions that selected something or failed.

    A failed action is reported; the others are still applied.
    """
    value, used, left = document.value, set(), MOST_ADDED
    for index, action in enumerate(overlay.actions):
        try:
            locations = _selected(action, value)
            left -= _growth(action, locations)
            if left < 0:
                raise _Refused(f"the overlay would add more than {MOST_ADDED:,} values")
            value = _acted(action, value, locations, overlay.replaces)
        except _Refused as refused:
            diagnostics.add("invalid-overlay", f"This action of the overlay is left out: {refused}.", action.where)
            used.add(index)
            continue
        if locations:
            used.add(index)
    return replace(document, value=value), frozenset(used)


def _selected(action: Action, value: JsonValue) -> list[Location]:
    found: list[Location] = []
    try:
        for location in action.target.locations(value):
            found.append(location)
            if len(found) > MOST_SELECTED:
                raise _Refused(f"it selects more than {MOST_SELECTED:,} values")
    except TooCostly:
        raise _Refused("its target takes too long to look for") from None
    return found


def _growth(action: Action, locations: list[Location]) -> int:
    """Return how many values an action adds at most. Raises _Refused if the result would nest too deep."""
    if action.remove or not locations:
        return 0
    size, depth, waiting = 0, 0, [(action.update, 1)]
    while waiting:
        value, level = waiting.pop()
        size, depth = size + 1, max(depth, level)
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        waiting.extend((member, level + 1) for member in inner)
    if depth + max(map(len, locations)) > budgets.DEPTH:
        raise _Refused(f"the document would nest deeper than {budgets.DEPTH} levels")
    return size * len(locations)


# -- rewriting of values -----------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Branch:
    """Tree of the selected places in a value. `here`: the value itself is selected; `inside`: key → tree for that
    member.
    """

    here: bool = False
    inside: dict[str | int, "_Branch"] = field(default_factory=dict)


def _acted(action: Action, value: JsonValue, locations: list[Location], replaces: bool) -> JsonValue:
    root = _Branch()
    for location in locations:
        branch = root
        for key in location:
            branch = branch.inside.setdefault(key, _Branch())
        branch.here = True
    if not action.remove:
        return _rewritten(value, root, lambda target: _updated(target, action.update, replaces))
    if root.here:
        raise _Refused("the document itself cannot be removed")
    return _rewritten(value, root, None)


def _rewritten(value: JsonValue, branch: _Branch, change: Callable[[JsonValue], JsonValue] | None) -> JsonValue:
    """Return `value` with `change` applied to the selected places, innermost first.

    If `change` is None, the selected places are removed.
    """
    gone = {key for key, inner in branch.inside.items() if inner.here and change is None}
    kept = {key: inner for key, inner in branch.inside.items() if key not in gone}
    if isinstance(value, dict):
        value = {
            key: _rewritten(member, kept[key], change) if key in kept else member
            for key, member in value.items()
            if key not in gone
        }
    elif isinstance(value, list):
        value = [
            _rewritten(item, kept[index], change) if index in kept else item
            for index, item in enumerate(value)
            if index not in gone
        ]
    return change(value) if branch.here and change is not None else value


def _updated(target: JsonValue, update: JsonValue, replaces: bool) -> JsonValue:
    """Return `target` with `update` applied: merged into an object, appended to an array, or in place of a plain value.

    Raises _Refused if the update does not fit the target, or if `replaces` is False for a plain value.
    """
    if isinstance(target, dict):
        if not isinstance(update, dict):
            raise _Refused("it selects an object, and only an object can be merged into one")
        return _merged(target, update)
    if isinstance(target, list):
        return [*target, *(update if isinstance(update, list) else [update])]
    if not replaces:
        raise _Refused(
            "it selects a value that is neither object nor array; select the object or array that contains the value"
        )
    if isinstance(update, (dict, list)):
        raise _Refused("it selects a plain value, and only another plain value can replace it")
    return update


# Decision 0119: An array as overlay update is appended item by item.
def _merged(target: JsonObject, update: JsonObject) -> JsonObject:
    """Return `target` merged with `update`: objects are merged, arrays appended, plain values replaced."""
    result = dict(target)
    for key, new in update.items():
        old = target.get(key)
        if key not in target:
            result[key] = new
        elif isinstance(old, dict) and isinstance(new, dict):
            result[key] = _merged(old, new)
        elif isinstance(old, list) and isinstance(new, list):
            result[key] = [*old, *new]
        elif isinstance(old, (dict, list)) or isinstance(new, (dict, list)):
            raise _Refused(f"the value of {key!r} is of another kind; remove the value first, by an action of its own")
        else:
            result[key] = new
    return result
