"""Where parts of a text stand: one walk for all the pointers that are asked for, over JSON tokens or YAML events.

Only branches that lead to a wanted pointer are followed by name; the others are skipped by counting brackets.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Literal

from mcpgen.jsonvalue import tokens

Position = tuple[int, int]
Token = tuple[Literal["{", "[", "end", "scalar", "alias"], str, Position]
_Trie = dict[str, "_Trie"]

_JSON = re.compile(r'"([^"\\]*(?:\\.[^"\\]*)*)"|([{\[])|([}\]])|[^\s,:{}\[\]"]+', re.DOTALL)


def locate(text: str, syntax: Literal["json", "yaml"], pointers: Iterable[str]) -> dict[str, Position]:
    """Line and column, from 1, of every pointer in `pointers` (see `Document.positions`)."""
    wanted = set(pointers)
    trie: _Trie = {}
    for wanted_pointer in wanted:
        node = trie
        for token in tokens(wanted_pointer):
            node = node.setdefault(token, {})
    found: dict[tuple[str, ...], Position] = {(): (1, 1)}
    stream = _json_tokens(text) if syntax == "json" else _yaml_tokens(text)
    _walk(_first_value(stream), trie, found)
    return {pointer: _nearest(tuple(tokens(pointer)), found) for pointer in wanted}


def _nearest(path: tuple[str, ...], found: dict[tuple[str, ...], Position]) -> Position:
    while path not in found:
        path = path[:-1]
    return found[path]


def _first_value(stream: Iterator[Token]) -> Iterator[Token]:
    """The tokens of the first value alone: what follows it, a second YAML document, is not part of the `Document`."""
    depth = 0
    for token in stream:
        yield token
        depth += (token[0] in "{[") - (token[0] == "end")
        if depth == 0:
            return


def _walk(stream: Iterator[Token], trie: _Trie, found: dict[tuple[str, ...], Position]) -> None:
    """Follow `trie` through the value of `stream`, noting places."""
    stack: list[tuple[Literal["{", "["], _Trie, tuple[str, ...]]] = []
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
        path: tuple[str, ...] = ()
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


def _json_tokens(text: str) -> Iterator[Token]:
    line, line_start, counted = 1, 0, 0
    for match in _JSON.finditer(text):
        start = match.start()
        newlines = text.count("\n", counted, start)
        if newlines:
            line += newlines
            line_start = text.rindex("\n", counted, start) + 1
        counted = start
        position = (line, start - line_start + 1)
        string, opening, closing = match.groups()
        if opening:
            yield ("{" if opening == "{" else "["), "", position
        elif closing:
            yield "end", "", position
        else:
            yield "scalar", _unescape(string) if string else "", position


def _unescape(string: str) -> str:
    return str(json.loads(f'"{string}"', strict=False)) if "\\" in string else string


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
