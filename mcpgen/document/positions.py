"""Where parts of a text stand: one walk for all the pointers that are asked for, over JSON text or YAML events.

Only branches that lead to a wanted pointer are followed by name. The others are skipped: in JSON by the scanner of the
standard library, in YAML by counting brackets.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Literal

from mcpgen.jsonvalue import tokens

Position = tuple[int, int]
Token = tuple[Literal["{", "[", "end", "scalar", "alias"], str, Position]
_Trie = dict[str, "_Trie"]
_Path = tuple[str, ...]

_BLANKS = re.compile(r"[ \t\n\r]*")


def locate(text: str, syntax: Literal["json", "yaml"], pointers: Iterable[str]) -> dict[str, Position]:
    """Line and column, from 1, of every pointer in `pointers` (see `Document.positions`)."""
    wanted = set(pointers)
    trie: _Trie = {}
    for wanted_pointer in wanted:
        node = trie
        for token in tokens(wanted_pointer):
            node = node.setdefault(token, {})
    found: dict[_Path, Position] = {(): (1, 1)}
    if syntax == "json":
        found.update(_lines(text, _JsonWalk(text).offsets(trie)))
    else:
        _walk(_first_value(_yaml_tokens(text)), trie, found)
    return {pointer: _nearest(tuple(tokens(pointer)), found) for pointer in wanted}


def _nearest(path: _Path, found: dict[_Path, Position]) -> Position:
    while path not in found:
        path = path[:-1]
    return found[path]


# -- JSON -------------------------------------------------------------------------------------------------------------


class _JsonWalk:
    """Reads the text of a JSON value that is known to be one."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._decode = json.JSONDecoder(parse_int=str, parse_float=str, strict=False).raw_decode
        self._found: dict[_Path, int] = {}

    def offsets(self, trie: _Trie) -> dict[_Path, int]:
        """Path → where its key, or its item, begins."""
        self._value(self._blanks(0), trie, ())
        return self._found

    def _blanks(self, at: int) -> int:
        found = _BLANKS.match(self._text, at)
        assert found is not None
        return found.end()

    def _value(self, at: int, trie: _Trie, path: _Path) -> int:
        """The end of the value at `at`, noting what `trie` wants of it."""
        opening = self._text[at]
        if not trie or opening not in "{[":
            return self._decode(self._text, at)[1]
        at = self._blanks(at + 1)
        index = 0
        while self._text[at] not in "}]":
            start, key = at, str(index)
            if opening == "{":
                key, at = self._decode(self._text, at)
                at = self._blanks(self._blanks(at) + 1)
            inner = trie.get(key)
            if inner is not None:
                self._found[(*path, key)] = start
            at = self._blanks(self._value(at, inner or {}, (*path, key)))
            if self._text[at] == ",":
                at = self._blanks(at + 1)
            index += 1
        return at + 1


def _lines(text: str, offsets: dict[_Path, int]) -> dict[_Path, Position]:
    """Offsets as lines and columns."""
    found: dict[_Path, Position] = {}
    line, line_start, counted = 1, 0, 0
    for path, offset in sorted(offsets.items(), key=lambda entry: entry[1]):
        newlines = text.count("\n", counted, offset)
        if newlines:
            line += newlines
            line_start = text.rindex("\n", counted, offset) + 1
        counted = offset
        found[path] = (line, offset - line_start + 1)
    return found


# -- YAML -------------------------------------------------------------------------------------------------------------


def _first_value(stream: Iterator[Token]) -> Iterator[Token]:
    """The tokens of the first value alone: what follows it, a second YAML document, is not part of the `Document`."""
    depth = 0
    for token in stream:
        yield token
        depth += (token[0] in "{[") - (token[0] == "end")
        if depth == 0:
            return


def _walk(stream: Iterator[Token], trie: _Trie, found: dict[_Path, Position]) -> None:
    """Follow `trie` through the value of `stream`, noting places."""
    stack: list[tuple[Literal["{", "["], _Trie, _Path]] = []
    key: str | None = None
    index: list[int] = []
    skipping = 0
    for kind, text, position in stream:
        if skipping:
            skipping += (kind in "{[") - (kind == "end")
            continue
        if kind == "end":
            stack.pop()
            index.pop()
            key = None
            continue
        if stack and stack[-1][0] == "{" and key is None:
            key = text
            if key in stack[-1][1]:
                found[(*stack[-1][2], key)] = position
            continue
        node: _Trie = trie
        path: _Path = ()
        if stack:
            container, siblings, parent = stack[-1]
            name = key if container == "{" and key is not None else str(index[-1])
            if container == "[":
                index[-1] += 1
                if name in siblings:
                    found[(*parent, name)] = position
            node, path = siblings.get(name, {}), (*parent, name)
            key = None
        if kind == "{" or kind == "[":
            if not node:
                skipping = 1
            else:
                stack.append((kind, node, path))
                index.append(0)


def _yaml_tokens(text: str) -> Iterator[Token]:
    import yaml  # not needed to look into JSON

    # for the same reason
    from mcpgen.document.yaml_text import events, place, printable

    next_event = events(printable(text))
    while (event := next_event()) is not None:
        position = place(event)
        if isinstance(event, yaml.ScalarEvent):
            yield "scalar", event.value, position
        elif isinstance(event, yaml.AliasEvent):
            yield "alias", "", position
        elif isinstance(event, yaml.MappingStartEvent):
            yield "{", "", position
        elif isinstance(event, yaml.SequenceStartEvent):
            yield "[", "", position
        elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            yield "end", "", position
