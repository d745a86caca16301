# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""JSON that is too long, cut along its structure, so that what is left is still such a value. Pure.

Whole items of a list are kept from the first on; what members of an object do not need goes to those that need more;
a long text ends in `...[+N chars]`. What was left out is told beside the value. Where a text is too long to be parsed,
its beginning is, with whatever is open at its end closed.
"""

from __future__ import annotations

import json
import re
from typing import Any

MOST_TOLD = 5

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:(")|\\?\Z)|[\[\]{},]', re.DOTALL)
_WHOLE_CHARACTERS = re.compile(r'"(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*')
_CLOSING = {"{": "}", "[": "]"}
_MARK = "\u2026[+{} chars]"
_MORE = "\u2026[+more]"
"""The same where nobody has counted."""

_MARK_ROOM = 20


def written(value: Any) -> str:
    """The value as compact JSON, readable as it is."""
    return _ENCODER.encode(value)


def beginning(text: str) -> str:
    """The longest beginning of a text that can be read as JSON, with what is open at its end closed; "" where the text
    is not one value. Looks at brackets, commas and quotes alone."""
    opened: list[str] = []
    end = 0
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark in _CLOSING:
            opened.append(_CLOSING[mark])
        elif mark in ("}", "]"):
            if not opened or opened.pop() != mark:
                return ""
        elif mark[0] == '"':
            if token[1] is None and opened and (opened[-1] == "]" or text[end : token.start()].rstrip().endswith(":")):
                return text[: token.start()] + _broken_off(mark) + "".join(reversed(opened))
            continue
        end = token.start() if mark == "," else token.end()
        if not opened and text[end:].strip():
            return ""
    return text[:end] + "".join(reversed(opened))


def _broken_off(mark: str) -> str:
    """A text without its end, as one with a mark."""
    characters = _WHOLE_CHARACTERS.match(mark)
    return f'{characters[0] if characters else mark[0]}{_MORE}"'


class Shortened:
    """A value with at most about `limit` bytes of JSON. `left_out` says in words what is missing, and `items` is how
    many items are left of the outermost list that was cut, 0 where none was."""

    __slots__ = ("_open", "items", "left_out", "value")

    def __init__(self, value: Any, limit: int, complete: bool = True) -> None:
        """`complete` is whether nothing followed it; otherwise its last members and items were cut where they stood."""
        self.left_out: list[str] = []
        self.items = 0
        self._open: set[int] = set()
        if not complete:
            self._find_open(value)
        self.value = self._fit(value, limit, "the answer")

    def _find_open(self, value: Any) -> None:
        """What more would have followed in. The last item of the outermost such list is only a part, and goes."""
        while isinstance(value, (dict, list)) and value:
            self._open.add(id(value))
            if isinstance(value, list) and len(value) > 1:
                value.pop()
                return
            value = value[-1] if isinstance(value, list) else value[next(reversed(value))]

    def _fit(self, value: Any, room: int, name: str) -> Any:
        size = _size(value)
        if isinstance(value, str) and size > room:
            kept = max(0, room - 2 - _MARK_ROOM) * len(value) // (size - 2)
            if value.endswith(_MORE):
                self.left_out.append(f"the end of {name}")
                return value[:kept] + _MORE
            self.left_out.append(f"{len(value) - kept:,} characters of {name}")
            return value[:kept] + _MARK.format(len(value) - kept)
        if isinstance(value, list) and (size > room or id(value) in self._open):
            return self._items(value, room, name)
        if isinstance(value, dict) and (size > room or id(value) in self._open):
            return self._members(value, room, name)
        return value

    def _items(self, value: list[Any], room: int, name: str) -> list[Any]:
        """The items that fit, one at least: the first is cut where even that does not."""
        kept, left = [], room - 1  # the last item has no comma behind it
        for item in value:
            left -= _size(item) + 1
            if left < 0:
                break
            kept.append(item)
        count = max(1, len(kept))
        if id(value) in self._open:
            self.left_out.append(f"all but the first {count:,} items of {name}")
        elif count < len(value):
            self.left_out.append(f"{len(value) - count:,} of {len(value):,} items of {name}")
        self.items = self.items or count
        return kept or [self._fit(value[0], room - 2, f"the first of {name}")]

    def _members(self, value: dict[str, Any], room: int, name: str) -> dict[str, Any]:
        """Every member, the longest cut; where the names alone take most of the room, the first members."""
        if id(value) in self._open:
            self.left_out.append(f"what follows in {name}")
        names = {key: _size(key) + 2 for key in value}
        left = room - 1  # as above
        if sum(names.values()) > room // 2:
            kept = {}
            for key, member in value.items():
                left -= names[key] + _size(member)
                if left < 0:
                    break
                kept[key] = member
            self.left_out.append(f"{len(value) - len(kept):,} of {len(value):,} members of {name}")
            return kept
        left -= sum(names.values())
        sizes = sorted((_size(member), key) for key, member in value.items())
        fitted = {}
        for index, (size, key) in enumerate(sizes):
            share = left // (len(sizes) - index)
            fitted[key] = self._fit(value[key], share, key[:64])
            left -= min(size, share)
        return {key: fitted[key] for key in value}

    def told(self) -> str:
        """What was left out, as one clause."""
        more = len(self.left_out) - MOST_TOLD
        return "; ".join(self.left_out[:MOST_TOLD]) + (f"; and more in {more} places" if more > 0 else "")


def _size(value: Any) -> int:
    return len(written(value).encode(errors="replace"))
