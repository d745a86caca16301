# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Shape what a program ends with for the model, and what one of its calls returns for the program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core.jsontext import NotJSON, loads
from ..core.wire_formats import ABSENT
from ..text.invisible import clean
from ..text.shortening import Shortened, written
from .stubs import MOST_NESTED, as_json

if TYPE_CHECKING:
    from ..core.wire_formats import Result

NO_VALUE = "The program ended without a value. End it with the value that you want to see, or print it."
TEXT = "_text"
"""Member of a structured value for text beside it (result/wrapping.py)."""


def value_of(result: Result, form: str) -> tuple[Any, str]:
    """Return the value that a call has inside a program, and what the result told beside it.

    It is the JSON of the answer, whole and not wrapped, or its text. `form`: how a tool with an output schema wraps it.
    """
    texts = [str(block["text"]) for block in result.content if block["type"] == "text"]
    others = [str(block["type"]) for block in result.content if block["type"] not in ("text", "resource_link")]
    if result.structured is not ABSENT:
        return _unwrapped(result.structured, form)
    first = texts[0] if texts else f"The answer is of the type {', '.join(others)}, which a program cannot read."
    try:
        return loads(first)[0], "\n".join(texts[1:])
    except NotJSON:
        return first, "\n".join(texts[1:])


def _unwrapped(value: Any, form: str) -> tuple[Any, str]:
    if not isinstance(value, dict):
        return value, ""
    told = str(value[TEXT]) if form != "written" and len(value) > 1 and TEXT in value else ""
    bare = {key: member for key, member in value.items() if key != TEXT} if told else value
    wrapper = form if form in ("items", "value") else ""
    return bare.get(wrapper, bare), told


def shown(value: Any, printed: str, most: int) -> str:
    """Return the text for the model: what was printed, and the last value, in at most about `most` bytes."""
    parts = [_cut(printed.rstrip("\n"), most // 2)] if printed.strip() else []
    if value is not None:
        parts.append(_value(value, most - sum(len(part.encode(errors="replace")) for part in parts)))
    text = clean("\n".join(parts))[0]
    return text or NO_VALUE


def _value(value: Any, most: int) -> str:
    """Return a value as JSON. Of a long one only the beginning is looked at, since other calls wait meanwhile."""
    if isinstance(value, str):
        return _cut(value, most)
    beginning = Beginning(2 * most)
    try:
        plain = as_json(beginning.of(value))
    except TypeError:
        return _cut(str(value)[: 2 * most], most)
    text = written(plain)
    if not beginning.cut and len(text.encode(errors="replace")) <= most:
        return text
    count = f" of {len(value):,} items" if isinstance(value, (list, tuple, dict, set)) else ""
    told = f"[Cut: the first part{count} is shown. Return less: pick, count or join in the program.]"
    return f"{written(Shortened(plain, most).value)}\n{told}"


class Beginning:
    """Copy of the beginning of a value, of about `room` characters. `cut`: the value is longer."""

    def __init__(self, room: int) -> None:
        self.cut = False
        self._room = room

    def of(self, value: Any, depth: int = 0) -> Any:
        """Return the beginning of a value. What follows once the room is used up is left out."""
        self._room -= 1 + (len(value) if isinstance(value, str) else 0)
        if depth > MOST_NESTED or not isinstance(value, (list, tuple, set, frozenset, dict)):
            return value
        found: list[Any] = []
        for each in value.items() if isinstance(value, dict) else value:
            if self._room <= 0:
                self.cut = True
                break
            found.append(
                (each[0], self.of(each[1], depth + 1)) if isinstance(value, dict) else self.of(each, depth + 1)
            )
        if isinstance(value, dict):
            return dict(found)
        return sorted(found, key=str) if isinstance(value, (set, frozenset)) else found


def _cut(text: str, most: int) -> str:
    content = text.encode(errors="replace")
    if len(content) <= most:
        return text
    start = content[:most].decode(errors="ignore")
    return f"{start}\n[Cut: the first {most:,} of {len(content):,} bytes are shown. Print or return less.]"
