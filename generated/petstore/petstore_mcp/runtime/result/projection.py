# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""The parts of a JSON answer that a model asked for: dotted paths, joined by commas, that pass through lists. Pure.

What is left is such a value as the answer, in its order. A path that leads nowhere is no error: what is there is told.
Where none leads anywhere all is shown, since a call that changed something cannot be made again.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Container
from typing import TYPE_CHECKING, Any

from ..core.jsontext import MAX_DEPTH
from ..text.sanitize import brief
from ..text.shortening import Shortened, written

if TYPE_CHECKING:
    from ..http.exchange import Sent

MOST_PATHS = 20
"""What the description of the argument says."""

MOST_TOLD = 5
MOST_NAMES = 20

_LIST = re.compile(r"^\.?(?:\[\*?\])+\.?|\[\*?\]|\.\*(?=\.|$)|^\*\.")
_NUMBER = r'"{}(-?[0-9][0-9.eE+-]*)"'
_ESCAPED = re.compile(r"\\u([EeFf][0-9A-Fa-f]{3})")
_MISSING: Any = object()


def shortened(value: Any, sent: Sent, room: int, complete: bool) -> tuple[Shortened, list[str]]:
    """An answer, or what was asked for of it, cut as any is; and notes on what is not there."""
    if not sent.fields:
        return Shortened(value, room, complete), []
    whole = Shortened(value, sys.maxsize, complete)  # what is open at its end goes before its parts are taken
    asked = sent.fields.split(",", MOST_PATHS)
    paths = dict.fromkeys(_LIST.sub("", path.strip()) for path in asked[:MOST_PATHS])
    # What the answer as a whole is called in the output schema may begin a path.
    root = {"items": "items.", "value": "value."}.get(sent.tool.binding.get("output", ""), "")
    picked = _Picked([path.removeprefix(root) for path in paths if path])
    found = picked.of(whole.value)
    cut = Shortened(found if picked.found else whole.value, room)
    cut.left_out[:0] = whole.left_out
    cut.items = cut.items or whole.items
    unread = [f"Only the first {MOST_PATHS} paths of fields were read."] if len(asked) > MOST_PATHS else []
    return cut, [*unread, *picked.notes()]


def mark(text: str) -> str:
    """A character that the text does not hold, written out or not: for numbers that a double cannot hold as they are
    written, which `exact` keeps as texts behind it. "" where the text holds all that there are for private use."""
    held = {*text, *(chr(int(code, 16)) for code in _ESCAPED.findall(text))}
    return next((mark for mark in map(chr, range(0xE000, 0xF8FF)) if mark not in held), "")


def exact(value: Any, marked: str) -> str:
    """The value as compact JSON, its numbers as they were written."""
    text = written(value)
    return re.sub(_NUMBER.format(marked), r"\1", text).replace(marked, "") if marked else text


class _Place:
    """A place that paths lead to or through. `wanted` is whether one ends there, `reached` whether the answer has it;
    `names` are those of the first object that is there. `steps` are the places one name further.
    """

    __slots__ = ("names", "reached", "steps", "wanted")

    def __init__(self) -> None:
        self.steps: dict[str, _Place] = {}
        self.wanted = self.reached = False
        self.names: list[str] = []

    def under(self, name: str, names: Container[str]) -> _Place | None:
        """The place that a member leads to, None where no path does; a name may hold dots itself, and then it leads as
        far as its parts would, where the first of them is none of the `names`."""
        if (step := self.steps.get(name)) is not None or "." not in name:
            return step
        place: _Place | None = self
        for part in () if (parts := name.split("."))[0] in names else parts:
            place = place.steps.get(part) if place is not None else None
        return place if place is not self else None


class _Picked:
    """Takes the parts that paths lead to, in one walk however many they are. `found` is whether one leads anywhere."""

    def __init__(self, paths: list[str]) -> None:
        self._root = _Place()
        self._trails = {path: self._trail(path) for path in paths}

    def _trail(self, path: str) -> list[tuple[str, _Place]]:
        """The names of a path, each with its place."""
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
        """The value with nothing but what was asked for."""
        made = self._of(value, self._root)
        return None if made is _MISSING else made

    def notes(self) -> list[str]:
        """What was asked for and is not there."""
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
        """What of the value at a place is further, where paths lead."""
        if isinstance(value, list):
            items = [self._of(item, place) for item in value]
            return [item for item in items if item is not _MISSING]
        if not isinstance(value, dict):
            return None if value is None else _MISSING  # a null says that there is nothing further
        place.names = place.names or list(value)
        made = {}
        for name, member in value.items():
            if (step := place.under(name, value)) is not None:
                step.reached = True
                part = self._of(member, step) if step.steps else member  # under a whole one only whether it is there
                if step.wanted or part is not _MISSING:
                    made[name] = member if step.wanted else part
        return made
