# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""The parts of a JSON answer that a model asked for: dotted paths, joined by commas, that pass through lists. Pure.

What is left is such a value as the answer, in its order. A path that leads nowhere is no error: what is there is told.
Where none leads anywhere all is shown, since a call that changed something cannot be made again.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from .readable import brief
from .shortening import Shortened, written

if TYPE_CHECKING:
    from .exchange import Sent

MOST_PATHS = 100
MOST_TOLD = 5
MOST_NAMES = 20

_LIST = re.compile(r"^\.?(?:\[\*?\])+\.?|\[\*?\]|\.\*(?=\.|$)|^\*\.")
_NUMBER = r'"{}(-?[0-9][0-9.eE+-]*)"'
_MISSING: Any = object()


def shortened(value: Any, sent: Sent, room: int, complete: bool) -> tuple[Shortened, list[str]]:
    """An answer, or what was asked for of it, cut as any is; and notes on what is not there."""
    if not sent.fields:
        return Shortened(value, room, complete), []
    whole = Shortened(value, sys.maxsize, complete)  # what is open at its end goes before its parts are taken
    paths = dict.fromkeys(_LIST.sub("", path.strip()) for path in sent.fields.split(",")[:MOST_PATHS])
    # What the answer as a whole is called in the output schema may begin a path.
    root = {"items": "items.", "value": "value."}.get(sent.tool.binding.get("output", ""), "")
    picked = _Picked([path.removeprefix(root) for path in paths if path])
    found = picked.of(whole.value)
    cut = Shortened(found if picked.found else whole.value, room)
    cut.left_out[:0] = whole.left_out
    cut.items = cut.items or whole.items
    return cut, picked.notes()


def mark(text: str) -> str:
    """A character that the text does not hold, written out or not: for numbers that a double cannot hold as they are
    written, which `exact` keeps as texts behind it."""
    plain = text.lower()
    return next(chr(code) for code in range(0xE000, 0xF8FF) if chr(code) not in text and f"\\u{code:04x}" not in plain)


def exact(value: Any, marked: str) -> str:
    """The value as compact JSON, its numbers as they were written."""
    text = written(value)
    return re.sub(_NUMBER.format(marked), r"\1", text).replace(marked, "") if marked else text


class _Picked:
    """Takes the parts that paths lead to. `found` are the paths that lead somewhere."""

    def __init__(self, paths: list[str]) -> None:
        self._paths = paths
        self._there: dict[str, tuple[str, list[str]]] = {}
        self.found: set[str] = set()

    def of(self, value: Any) -> Any:
        """The value with nothing but what was asked for."""
        made = self._of(value, [(path, path) for path in self._paths])
        return None if made is _MISSING else made

    def notes(self) -> list[str]:
        """What was asked for and is not there."""
        missing = [path for path in self._paths if path not in self.found]
        told = [self._told(path) for path in missing[:MOST_TOLD]]
        if len(missing) > MOST_TOLD:
            told.append(f"Nor are {len(missing) - MOST_TOLD} more paths of fields.")
        return [*told, "So all of the answer is shown."] if missing and not self.found else told

    def _told(self, path: str) -> str:
        rest, names = self._there.get(path, (path, []))
        if not names:
            return f"{brief(path, 60)} of fields is not in the answer."
        above = path[: -len(rest)].rstrip(".") if rest != path else "the answer"
        listed = ", ".join(brief(name, 60) for name in names[:MOST_NAMES])
        more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
        return f"{brief(path, 60)} of fields is not in the answer; in {brief(above, 60)} there is {listed}{more}."

    def _of(self, value: Any, paths: list[tuple[str, str]]) -> Any:
        """`paths` are what is left of each, and the path."""
        done = [path for rest, path in paths if not rest]
        self.found.update(done)
        if done:
            if others := [pair for pair in paths if pair[0]]:
                self._of(value, others)  # what they lead to is a part of it; only whether it is there counts
            return value
        if isinstance(value, list):
            items = [self._of(item, paths) for item in value]
            return [item for item in items if item is not _MISSING]
        if not isinstance(value, dict):
            return None if value is None else _MISSING  # a null says that there is nothing further
        wanted: dict[str, list[tuple[str, str]]] = {}
        for rest, path in paths:
            name, further = _step(rest, value)
            if name in value:
                wanted.setdefault(name, []).append((further, path))
            elif path not in self._there or len(rest) < len(self._there[path][0]):  # the furthest that it leads
                self._there[path] = (rest, [*value])
        made = {name: self._of(value[name], wanted[name]) for name in value if name in wanted}
        return {name: member for name, member in made.items() if member is not _MISSING}


def _step(path: str, names: Iterable[str]) -> tuple[str, str]:
    """The first name of a path and the rest of it; a name may hold dots itself."""
    first, _, rest = path.partition(".")
    if rest and first not in names:
        for name in names:
            if path == name or path.startswith(f"{name}."):
                return name, path[len(name) + 1 :]
    return first, rest
