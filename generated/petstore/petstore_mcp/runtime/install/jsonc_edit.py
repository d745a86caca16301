# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Change single values of a JSONC text (JSON with comments and trailing commas), and preserve every other byte.

Comments, trailing commas, indentation and line ends stay as they are. Added text has the style of the file. `remove`
removes exactly the text that `put` has added.

A scan first records the offsets of every value. Editors and MCP clients write their configuration in this form. Text
that is not valid JSONC raises SyntaxFault.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from .paths import SyntaxFault

if TYPE_CHECKING:
    from .paths import Path


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


_BLANKS = " \t\r\n"
_SHORT = 72
"""Maximum length in characters of a list that is written on one line."""


def parse(text: str) -> Any:
    """Return the value of a text; {} if the text is empty.

    Raise SyntaxFault if the text is not valid or holds no object.
    """
    root = read(text)
    if root is None:
        return {}
    if not isinstance(root.value, dict):
        raise SyntaxFault("the file must hold an object in braces", root.start)
    return root.value


def put(text: str, path: Path, value: Any) -> str:
    """Return the text with `value` set at a path. Missing objects on the path are added.

    Raise SyntaxFault if the text is not valid, or if the path leads through another type of value. If the last step is
    the length of an array, the value is appended to the array.
    """
    style = _Style(text)
    root = read(text)
    if root is None:
        blank = text if text.strip() else ""
        gap = style.newline if blank and not blank.endswith("\n") else ""
        return blank + gap + style.render(_nested(path, value), "") + style.newline
    node, steps = root, list(path)
    while steps:
        found = _member(node, steps[0])
        if found is None:
            return _inserted(text, style, node, steps[0], _nested(steps[1:], value))
        node = found
        del steps[0]
    return text[: node.start] + style.render_over(node, value) + text[node.end :]


def remove(text: str, path: Path) -> str:
    """Return the text without the member at a path, which must exist. Raise SyntaxFault if the text is not valid."""
    node = read(text)
    assert node is not None
    for step in path[:-1]:
        found = _member(node, step)
        assert found is not None
        node = found
    index = next(
        index for index, each in enumerate(node.members) if path[-1] == (index if each.key is None else each.key)
    )
    return _removed(text, node, index)


def _member(node: Node, step: str | int) -> Node | None:
    """Return the value of a member, or None if there is none.

    Raise SyntaxFault if `node` is not an object (or an array, for an index), or if the object has the key twice.
    """
    if not isinstance(node.value, list if isinstance(step, int) else dict):
        wanted = "a list in brackets" if isinstance(step, int) else "an object in braces"
        raise SyntaxFault(f"{wanted} is expected here", node.start)
    twice = [each for each in node.members if each.key is not None and each.key == step][1:]
    if twice:
        raise SyntaxFault(f'"{step}" stands here a second time', twice[0].start)
    found = node.member(step)
    return found.node if found else None


def _nested(path: Path | list[str | int], value: Any) -> Any:
    for step in reversed(path):
        value = [value] if isinstance(step, int) else {step: value}
    return value


def _inserted(text: str, style: _Style, node: Node, key: str | int, value: Any) -> str:
    """Return the text with one more member at the end of an object or array."""
    label = style.label(key)
    opened, closed = node.start + 1, node.end - 1
    if not node.members:
        inside = text[opened:closed]
        outer = style.indent_at(node.start)
        indent = outer + style.unit
        written = f"{style.newline}{indent}{label}{style.render(value, indent)}"
        if inside.strip(_BLANKS):  # keep the comments that the object contains
            end = opened + len(inside.rstrip(_BLANKS))
            tail = text[end:closed]
            return text[:end] + written + (tail if "\n" in tail else style.newline + outer) + text[closed:]
        return text[:opened] + written + style.newline + outer + text[closed:]
    last = node.members[-1]
    at = last.comma or last.node.end
    comma = "" if last.comma else ","
    if "\n" not in text[opened : node.members[0].start]:
        return text[:at] + comma + style.gap + label + style.line(value) + ("," if last.comma else "") + text[at:]
    indent = style.indent_at(node.members[0].start)
    close = len(text[:closed].rstrip(_BLANKS))
    written = f"{style.newline}{indent}{label}{style.render(value, indent)}" + ("," if last.comma else "")
    return text[:at] + comma + text[at:close] + written + text[close:]


def _removed(text: str, node: Node, index: int) -> str:
    """Return the text without one member, the white space before it, and the comma that `put` added with it."""
    member = node.members[index]
    start = len(text[: member.start].rstrip(_BLANKS))
    end = member.comma or member.node.end
    if index + 1 == len(node.members) and index and not member.comma:
        before = node.members[index - 1].comma
        assert before is not None
        return text[: before - 1] + text[before:start] + text[member.node.end :]
    if len(node.members) == 1 and not (text[node.start + 1 : start] + text[end : node.end - 1]).strip(_BLANKS):
        return text[: node.start + 1] + text[node.end - 1 :]
    return text[:start] + text[end:]


class _Style:
    """Formatting style of a text: line ends, indentation and separators."""

    def __init__(self, text: str) -> None:
        self._text = text
        first = text.find("\n")
        self.newline = "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"
        found = re.search(r"^([ \t]+)(?=[^\s/*])", text, re.MULTILINE)
        self.unit = found[1] if found else "  "
        dense = '":' in text and '": ' not in text
        self._separators = (",", ":") if dense else (", ", ": ")
        self.gap = "" if dense else " "

    def indent_at(self, offset: int) -> str:
        """Return the indentation of the line that contains an offset."""
        start = self._text.rfind("\n", 0, offset) + 1
        found = re.compile(r"[ \t]*").match(self._text, start)
        assert found is not None
        return found[0]

    def render_over(self, node: Node, value: Any) -> str:
        """Return a value formatted to replace the value of `node`: on one line if the old value is on one line."""
        if "\n" in self._text[node.start : node.end] or not isinstance(node.value, (dict, list)) or not node.members:
            return self.render(value, self.indent_at(node.start))
        return self.line(value)

    def render(self, value: Any, indent: str) -> str:
        """Return a value formatted over several lines. `indent` is the indentation of the line on which it begins."""
        inner = indent + self.unit
        if isinstance(value, dict) and value:
            rows = [self.label(key) + self.render(each, inner) for key, each in value.items()]
            return "{" + self._lines(rows, inner) + self.newline + indent + "}"
        if isinstance(value, list) and value and (len(self.line(value)) > _SHORT or isinstance(value[0], dict)):
            return "[" + self._lines([self.render(each, inner) for each in value], inner) + self.newline + indent + "]"
        return self.line(value)

    def _lines(self, rows: list[str], indent: str) -> str:
        return ",".join(f"{self.newline}{indent}{row}" for row in rows)

    def line(self, value: Any) -> str:
        """Return a value formatted as JSON on one line."""
        return json.dumps(value, ensure_ascii=False, separators=self._separators)

    def label(self, key: str | int) -> str:
        """Return the text before a value: the key and a colon, or "" for an item of an array."""
        return json.dumps(key, ensure_ascii=False) + self._separators[1] if isinstance(key, str) else ""
