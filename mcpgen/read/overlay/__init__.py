"""Apply OpenAPI Overlays (1.0, and 1.1 except `copy`) to a `Document`.

An overlay is a file with a list of changes to a document, called actions. They are applied in order, each to the result
of the previous action (Overlay 1.0, 4.4.3).

Nothing is changed in place: the old and the new document share the parts that no action touches. Actions that would
make a document larger or deeper than the limits are refused.
"""

from dataclasses import dataclass, field, replace

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.jsonvalue import JsonObject, JsonValue
from mcpgen.base.work import Budget, Exhausted
from mcpgen.read.document import Document, budgets
from mcpgen.read.overlay.query import Location, TooCostly
from mcpgen.read.overlay.read import Action, Overlay, read

__all__ = ["Action", "Overlay", "applied", "read"]


_LEAST_STEPS = 1_000_000
"""Steps that all expressions of an overlay may take together; for each character of the document they may take half a
step more. So an overlay of a small document takes a few seconds at most, and a large document can be searched often.
"""

_COPIED = 20
"""How many members of an object or array are copied in the time of one step."""

_MOST_SELECTED = 100_000
_MOST_ADDED = 1_000_000
"""Limits: how many values one action may select, and how many values an overlay may add."""


class _Refused(Exception):
    """An action cannot be applied. The message gives the reason."""


def applied(overlay: Overlay, document: Document, diagnostics: Diagnostics) -> tuple[Document, frozenset[int]]:
    """Return `document` with `overlay` applied, and the indices of actions that selected something or failed.

    A failed action is reported; the others are still applied.
    """
    value, used, left = document.value, set(), _MOST_ADDED
    steps = _LEAST_STEPS + len(document.data) // 2
    budget = Budget(steps, steps)
    for index, action in enumerate(overlay.actions):
        try:
            locations = _selected(action, value, budget)
            left -= _growth(action, locations)
            if left < 0:
                raise _Refused(f"the overlay would add more than {_MOST_ADDED:,} values")
            value = _acted(action, value, locations, overlay.replaces, budget)
        except _Refused as refused:
            diagnostics.add("invalid-overlay", f"This action of the overlay is left out: {refused}.", action.where)
            used.add(index)
            continue
        if locations:
            used.add(index)
    return replace(document, value=value), frozenset(used)


def _selected(action: Action, value: JsonValue, budget: Budget) -> list[Location]:
    found: list[Location] = []
    try:
        for location in action.target.locations(value, budget):
            found.append(location)
            if len(found) > _MOST_SELECTED:
                raise _Refused(f"it selects more than {_MOST_SELECTED:,} values")
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


def _acted(action: Action, value: JsonValue, locations: list[Location], replaces: bool, budget: Budget) -> JsonValue:
    root = _Branch()
    for location in locations:
        branch = root
        for key in location:
            branch = branch.inside.setdefault(key, _Branch())
        branch.here = True
    if action.remove and root.here:
        raise _Refused("the document itself cannot be removed")
    try:
        return _Change(action, replaces, budget).rewritten(value, root)
    except Exhausted:
        raise _Refused("the overlay takes too long to apply") from None


@dataclass(frozen=True, slots=True)
class _Change:
    """The change that an action makes to each selected value. The members that it copies are paid from the budget.

    `replaces`: True if a plain value may be replaced.
    """

    action: Action
    replaces: bool
    budget: Budget

    def rewritten(self, value: JsonValue, branch: _Branch) -> JsonValue:
        """Return `value` with the selected places changed, innermost first, or without them if the action removes."""
        gone = {key for key, inner in branch.inside.items() if inner.here and self.action.remove}
        kept = {key: inner for key, inner in branch.inside.items() if key not in gone}
        if isinstance(value, dict):
            self._pay_for_copy(value)
            value = {
                key: self.rewritten(member, kept[key]) if key in kept else member
                for key, member in value.items()
                if key not in gone
            }
        elif isinstance(value, list):
            self._pay_for_copy(value)
            value = [
                self.rewritten(item, kept[index]) if index in kept else item
                for index, item in enumerate(value)
                if index not in gone
            ]
        return self._updated(value) if branch.here and not self.action.remove else value

    def _pay_for_copy(self, value: JsonObject | list[JsonValue]) -> None:
        self.budget.spend(1 + len(value) // _COPIED)

    def _updated(self, target: JsonValue) -> JsonValue:
        """Return `target` with the update applied: merged into an object, appended to an array, or in place of a plain
        value.

        Raises _Refused if the update does not fit the target.
        """
        update = self.action.update
        if isinstance(target, dict):
            if not isinstance(update, dict):
                raise _Refused("it selects an object, and only an object can be merged into one")
            return self._merged(target, update)
        if isinstance(target, list):
            return [*target, *(update if isinstance(update, list) else [update])]
        if not self.replaces:
            raise _Refused(
                "it selects a value that is neither object nor array; select the object or array that contains the "
                "value"
            )
        if isinstance(update, (dict, list)):
            raise _Refused("it selects a plain value, and only another plain value can replace it")
        return update

    # Overlay 1.0 does not define an array as `update`; its examples imply that items are appended.
    def _merged(self, target: JsonObject, update: JsonObject) -> JsonObject:
        """Return `target` merged with `update`: objects are merged, arrays appended, plain values replaced."""
        self._pay_for_copy(target)
        result = dict(target)
        for key, new in update.items():
            old = target.get(key)
            if key not in target:
                result[key] = new
            elif isinstance(old, dict) and isinstance(new, dict):
                result[key] = self._merged(old, new)
            elif isinstance(old, list) and isinstance(new, list):
                self._pay_for_copy(old)
                result[key] = [*old, *new]
            elif isinstance(old, (dict, list)) or isinstance(new, (dict, list)):
                raise _Refused(
                    f"the value of {key!r} is of another kind; remove the value first, by an action of its own"
                )
            else:
                result[key] = new
        return result
