# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Read JSON with comments and trailing commas (JSONC), and record the offsets of every value.

Editors and MCP clients write their configuration in this form. Text that is not valid JSONC raises SyntaxFault.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from .faults import SyntaxFault

DEEPEST = 200
"""Maximum depth of nested values. Configuration files have fewer than ten levels."""

_BLANK = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_OTHER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null")
_WORD = re.compile(r"[A-Za-z0-9_$.+-]")


@dataclass(frozen=True, slots=True)
class Node:
    """One value of a JSONC text, from offset `start` to `end`.

    `members` holds the members of an object, or the items of an array.
    """

    start: int
    end: int
    value: Any
    members: list[Member] = field(default_factory=list)

    def member(self, key: str | int) -> Member | None:
        """Return an object's member by its key or an array's item by its index, or None if there is none."""
        if isinstance(self.value, list):
            return self.members[key] if isinstance(key, int) and key < len(self.members) else None
        return next((each for each in self.members if each.key == key), None)


@dataclass(frozen=True, slots=True)
class Member:
    """One member of an object, or one item of an array. `key` is None for an item.

    `start` is the offset of the key or item. `comma` is the offset after the comma that follows, None without a comma.
    """

    key: str | None
    start: int
    node: Node
    comma: int | None


@lru_cache(maxsize=4)  # cached, because one edit parses the same text several times, and a text can have megabytes
def read(text: str) -> Node | None:
    """Return the value of a whole text, or None if the text has only white space and comments.

    Raise SyntaxFault if the text is not valid. The value is cached, so it must not be changed.
    """
    reader = _Reader(text)
    start = reader.skip(0)
    if start == len(text):
        return None
    node = reader.value(start, 0)
    if (end := reader.skip(node.end)) != len(text):
        raise SyntaxFault("there is more behind the end of the value", end)
    return node


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text

    def skip(self, at: int) -> int:
        """Return the offset after white space and comments. Raise SyntaxFault if a comment does not end."""
        found = _BLANK.match(self._text, at)
        assert found is not None
        if self._text.startswith("/*", found.end()):
            raise SyntaxFault("a comment does not end", found.end())
        return found.end()

    def value(self, at: int, depth: int) -> Node:
        """Return the value at an offset. Raise SyntaxFault if there is no valid value, or if it is nested too deep."""
        if depth > DEEPEST:
            raise SyntaxFault(f"values are nested more than {DEEPEST} deep", at)
        first = self._text[at : at + 1]
        if first == "{":
            return self._object(at, depth)
        if first == "[":
            return self._array(at, depth)
        if first == '"':
            return self._string(at)
        found = _OTHER.match(self._text, at)
        if found is None or _WORD.match(self._text, found.end()):
            raise SyntaxFault("a value is expected here" if first else "the file ends too early", at)
        return Node(at, found.end(), json.loads(found[0]))

    def _string(self, at: int) -> Node:
        found = _STRING.match(self._text, at)
        if found is None:
            raise SyntaxFault("this string does not end on its line, or has a wrong escape", at)
        return Node(at, found.end(), json.loads(found[0]))

    def _object(self, at: int, depth: int) -> Node:
        members: list[Member] = []
        here = self.skip(at + 1)
        while not self._text.startswith("}", here):
            if members and members[-1].comma is None:
                raise SyntaxFault("a comma or } is expected here", here)
            if not self._text.startswith('"', here):
                raise SyntaxFault("a name in double quotes or } is expected here", here)
            name = self._string(here)
            colon = self.skip(name.end)
            if not self._text.startswith(":", colon):
                raise SyntaxFault("a colon is expected here", colon)
            node = self.value(self.skip(colon + 1), depth + 1)
            comma, here_next = self._comma(node.end)
            members.append(Member(name.value, here, node, comma))
            here = here_next
        return Node(at, here + 1, {each.key: each.node.value for each in members}, members)

    def _array(self, at: int, depth: int) -> Node:
        members: list[Member] = []
        here = self.skip(at + 1)
        while not self._text.startswith("]", here):
            if members and members[-1].comma is None:
                raise SyntaxFault("a comma or ] is expected here", here)
            node = self.value(here, depth + 1)
            comma, here_next = self._comma(node.end)
            members.append(Member(None, here, node, comma))
            here = here_next
        return Node(at, here + 1, [each.node.value for each in members], members)

    def _comma(self, at: int) -> tuple[int | None, int]:
        """Return the offset after the next comma, and the offset of the token after the comma.

        If the next token is no comma, return None and the offset of that token.
        """
        here = self.skip(at)
        if self._text.startswith(",", here):
            return here + 1, self.skip(here + 1)
        return None, here
