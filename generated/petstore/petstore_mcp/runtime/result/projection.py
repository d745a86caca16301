# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Select the parts of a JSON response that the model requested. Pure functions.

The model gives dotted paths, separated by commas. A path continues in each item of a list. The result has the structure
and order of the response. A path that matches nothing is no error: a note lists the names that exist. If no path
matches, the whole response is shown, since a call that changed something cannot be repeated.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Container
from typing import TYPE_CHECKING, Any

from ..core.jsonrpc import MAX_DEPTH
from ..text.sanitize import Shortened, brief, written

if TYPE_CHECKING:
    from ..http.exchange import Sent

MOST_PATHS = 20
"""Maximum number of paths in one call. The argument's description states this number."""

MOST_TOLD = 5
MOST_NAMES = 20

_LIST = re.compile(r"^\.?(?:\[\*?\])+\.?|\[\*?\]|\.\*(?=\.|$)|^\*\.")
_NUMBER = r'"{}(-?[0-9][0-9.eE+-]*)"'
_ESCAPED = re.compile(r"\\u([EeFf][0-9A-Fa-f]{3})")
_MISSING: Any = object()


def shortened(value: Any, sent: Sent, room: int, complete: bool) -> tuple[Shortened, list[str]]:
    """Return the response, or its selected parts, shortened to `room` bytes.

    Also return notes on selected paths that match nothing.
    """
    if not sent.fields:
        return Shortened(value, room, complete), []
    # Before parts are selected, drop the last member or item of a cut response if it is incomplete.
    whole = Shortened(value, sys.maxsize, complete)
    asked = sent.fields.split(",", MOST_PATHS)
    paths = dict.fromkeys(_LIST.sub("", path.strip()) for path in asked[:MOST_PATHS])
    # A path may begin with `items` or `value`, the name under which the output schema has the whole response.
    root = {"items": "items.", "value": "value."}.get(sent.tool.binding.get("output", ""), "")
    picked = _Picked([path.removeprefix(root) for path in paths if path])
    found = picked.of(whole.value)
    cut = Shortened(found if picked.found else whole.value, room)
    cut.left_out[:0] = whole.left_out
    cut.items = cut.items or whole.items
    unread = [f"Only the first {MOST_PATHS} paths of fields were read."] if len(asked) > MOST_PATHS else []
    return cut, [*unread, *picked.notes()]


def mark(text: str) -> str:
    """Return a private-use character that `text` contains neither literally nor escaped; "" if there is none.

    The character marks numbers that a double cannot hold exactly: they are parsed as texts that begin with it. `exact`
    restores these numbers.
    """
    held = {*text, *(chr(int(code, 16)) for code in _ESCAPED.findall(text))}
    return next((mark for mark in map(chr, range(0xE000, 0xF8FF)) if mark not in held), "")


def exact(value: Any, marked: str) -> str:
    """Return the value as compact JSON, with the marked numbers (see `mark`) written as received."""
    text = written(value)
    return re.sub(_NUMBER.format(marked), r"\1", text).replace(marked, "") if marked else text


class _Place:
    """Node in the tree of selected paths.

    - `wanted`: whether a selected path ends at this node. `reached`: whether the response has a value at this node.
    - `names`: member names of the first object that was found at this node.
    - `steps`: the child nodes by name.
    """

    __slots__ = ("names", "reached", "steps", "wanted")

    def __init__(self) -> None:
        self.steps: dict[str, _Place] = {}
        self.wanted = self.reached = False
        self.names: list[str] = []

    def under(self, name: str, names: Container[str]) -> _Place | None:
        """Return the child node for the member `name` of an object, or None if no path leads to it.

        The path `a.b` leads to the member `b` within the member `a`. If the object has no member `a`, the path leads to
        a member called `a.b`. `names`: the names of all members of the object.
        """
        if (step := self.steps.get(name)) is not None or "." not in name:
            return step
        place: _Place | None = self
        for part in () if (parts := name.split("."))[0] in names else parts:
            place = place.steps.get(part) if place is not None else None
        return place if place is not self else None


class _Picked:
    """Selection of the parts of a value to which paths lead, made in one pass. `found`: True if any path matches."""

    def __init__(self, paths: list[str]) -> None:
        self._root = _Place()
        self._trails = {path: self._trail(path) for path in paths}

    def _trail(self, path: str) -> list[tuple[str, _Place]]:
        """Add a path to the tree of selected paths. Return the names in the path, each with its node in the tree."""
        place, trail = self._root, []
        for name in path.removesuffix(".").split(".", MAX_DEPTH):
            place = place.steps.setdefault(name, _Place())
            trail.append((name, place))
        place.wanted = True
        return trail

    @property
    def found(self) -> bool:
        return any(trail[-1][1].reached for trail in self._trails.values())

    def of(self, value: Any) -> Any:
        """Return the selected parts of the value; None if there are none."""
        made = self._of(value, self._root)
        return None if made is _MISSING else made

    def notes(self) -> list[str]:
        """Return sentences about the selected paths that lead to no part of the value; [] if there are none."""
        missing = [path for path, trail in self._trails.items() if not trail[-1][1].reached]
        told = [self._told(path) for path in missing[:MOST_TOLD]]
        if len(missing) > MOST_TOLD:
            told.append(f"Nor are {len(missing) - MOST_TOLD} more paths of fields.")
        return [*told, "So all of the answer is shown."] if missing and not self.found else told

    def _told(self, path: str) -> str:
        above, names = "the answer", self._root.names
        for count, (_, place) in enumerate(self._trails[path], 1):
            if place.reached:
                above, names = ".".join(name for name, _ in self._trails[path][:count]), place.names
        if not names:
            return f"{brief(path, 60)} of fields is not in the answer."
        listed = ", ".join(brief(name, 60) for name in names[:MOST_NAMES])
        more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
        return f"{brief(path, 60)} of fields is not in the answer; in {brief(above, 60)} there is {listed}{more}."

    def _of(self, value: Any, place: _Place) -> Any:
        """Return what paths below the tree node `place` select from `value`; _MISSING for a scalar except null."""
        if isinstance(value, list):
            items = [self._of(item, place) for item in value]
            return [item for item in items if item is not _MISSING]
        if not isinstance(value, dict):
            return None if value is None else _MISSING  # keep null: it has no members to select
        place.names = place.names or list(value)
        made = {}
        for name, member in value.items():
            if (step := place.under(name, value)) is not None:
                step.reached = True
                # Search even a member that is returned whole: `notes` lists selected paths below it that match nothing.
                part = self._of(member, step) if step.steps else member
                if step.wanted or part is not _MISSING:
                    made[name] = member if step.wanted else part
        return made
