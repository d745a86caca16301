# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Shorten a long JSON value along its structure, so that the result is still valid JSON.

A list keeps its first items unchanged. Each member of an object gets a share of the space; larger members also get what
small members do not need. A long text ends in `...[+N chars]`. A separate sentence says what was left out. If a text is
too long to parse, only its beginning is parsed, after open brackets and strings were closed.
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
"""Mark at the end of a text that was cut, if the number of missing characters is unknown."""

_MARK_ROOM = 20


def written(value: Any) -> str:
    """Return the value as compact JSON. Non-ASCII characters are not escaped."""
    return _ENCODER.encode(value)


def beginning(text: str) -> str:
    """Return the longest beginning of a JSON text that parses, with its open brackets and strings closed.

    To find it, only brackets, commas and quotes are examined. Return "" if `text` is not the beginning of a single
    value.
    """
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
    """Return a cut JSON string without an incomplete escape at its end, followed by `_MORE`, which says that more
    follows.
    """
    characters = _WHOLE_CHARACTERS.match(mark)
    return f'{characters[0] if characters else mark[0]}{_MORE}"'


class Shortened:
    """Result of shortening a value to about `limit` bytes of JSON.

    `left_out` lists phrases that say what is missing. `items` is how many items remain in the outermost shortened list,
    or 0.
    """

    __slots__ = ("_open", "items", "left_out", "value")

    def __init__(self, value: Any, limit: int, complete: bool = True) -> None:
        """Shorten `value`.

        `complete` is False if the value is only the beginning of a larger one, so that its last members and items may
        be incomplete.
        """
        self.left_out: list[str] = []
        self.items = 0
        self._open: set[int] = set()
        if not complete:
            self._find_open(value)
        self.value = self._fit(value, limit, "the answer")

    def _find_open(self, value: Any) -> None:
        """Record the lists and objects that are incomplete because the text was cut inside them.

        The last item of the outermost incomplete list is removed, since that item may be incomplete.
        """
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
            cut = len(value) - kept
            self.left_out.append(f"{cut:,} character{'s' * (cut != 1)} of {name}")
            return value[:kept] + _MARK.format(cut)
        if isinstance(value, list) and (size > room or id(value) in self._open):
            return self._items(value, room, name)
        if isinstance(value, dict) and (size > room or id(value) in self._open):
            return self._members(value, room, name)
        return value

    def _items(self, value: list[Any], room: int, name: str) -> list[Any]:
        """Return the items that fit into `room` bytes. At least one is kept; if it does not fit, it is shortened."""
        kept, left = [], room - 1  # one byte: two for the brackets, less one since the last item has no comma
        for item in value:
            left -= _size(item) + 1
            if left < 0:
                break
            kept.append(item)
        count = max(1, len(kept))
        if id(value) in self._open:
            self.left_out.append(f"all but the first {f'{count:,} items' if count > 1 else 'item'} of {name}")
        elif count < len(value):
            self.left_out.append(f"{len(value) - count:,} of {len(value):,} items of {name}")
        self.items = self.items or count
        return kept or [self._fit(value[0], room - 2, f"the first of {name}")]

    def _members(self, value: dict[str, Any], room: int, name: str) -> dict[str, Any]:
        """Return all members of an object, with the longest values shortened to fit into `room` bytes.

        If the names alone take more than half of `room`, return the first members unchanged, as many as fit.
        """
        if id(value) in self._open:
            self.left_out.append(f"what follows in {name}")
        names = {key: _size(key) + 2 for key in value}
        left = room - 1  # one byte: two for the braces, less one since the last member has no comma
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
        """Return a clause for a message that says what was left out, or ""."""
        more = len(self.left_out) - MOST_TOLD
        return "; ".join(self.left_out[:MOST_TOLD]) + (f"; and more in {more} places" if more > 0 else "")


def _size(value: Any) -> int:
    return len(written(value).encode(errors="replace"))
