"""Find the positions of parts of a file in one walk over JSON text or YAML events, for all pointers at once.

Only branches that lead to a wanted pointer are entered. Other branches are skipped: in JSON by the scanner of the
standard library, in YAML by counting opened and closed collections. In YAML, the outline (`outline.py`) contains
positions of outer keys. A piece of the text is parsed only for wanted positions that the outline lacks.
"""

import codecs
import json
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from mcpgen.base.jsonvalue import tokens
from mcpgen.read.document.outline import Outline, Path, Position

if TYPE_CHECKING:
    import yaml

_Trie = dict[str, "_Trie"]

_BLANKS = re.compile(r"[ \t\n\r]*")


def locate(data: bytes, outline: Outline | None, pointers: Iterable[str]) -> dict[str, Position]:
    """Return pointer → (line, column) for every pointer, as `Document.positions` describes.

    `data`: the bytes of a JSON file. A YAML file is read from its `outline`.
    """
    wanted = {pointer: tuple(tokens(pointer)) for pointer in pointers}
    found: dict[Path, Position] = {(): (1, 1)}
    if outline is None:
        data = data.removeprefix(codecs.BOM_UTF8)
        found.update(_lines(data, _JsonWalk(data).offsets(_trie(wanted.values()))))
    else:
        found.update(_in_yaml(outline, wanted.values()))
    return {pointer: _nearest(path, found) for pointer, path in wanted.items()}


def _trie(paths: Iterable[Path]) -> _Trie:
    trie: _Trie = {}
    for path in paths:
        node = trie
        for token in path:
            node = node.setdefault(token, {})
    return trie


def _nearest(path: Path, found: dict[Path, Position]) -> Position:
    while path not in found:
        path = path[:-1]
    return found[path]


# -- JSON -------------------------------------------------------------------------------------------------------------


class _JsonWalk:
    """Walk over UTF-8 that is known to be valid JSON.

    Each character of `_text` stands for one byte: with one emoji in decoded text, Python stores four bytes for each
    character. All of JSON's own signs are ASCII, so only keys have to be decoded.
    """

    def __init__(self, data: bytes) -> None:
        self._text = data.decode("latin-1")
        # `len` in place of each object: skipping a branch then takes no memory for its members
        self._decode = json.JSONDecoder(parse_int=str, parse_float=str, strict=False, object_pairs_hook=len).raw_decode
        self._found: dict[Path, int] = {}

    def offsets(self, trie: _Trie) -> dict[Path, int]:
        """Return path → offset in the bytes at which the path's key, or its array item, begins.

        `trie`: tree of the wanted paths.
        """
        self._value(self._blanks(0), trie, ())
        return self._found

    def _blanks(self, at: int) -> int:
        found = _BLANKS.match(self._text, at)
        assert found is not None
        return found.end()

    def _key(self, at: int) -> tuple[str, int]:
        """Return the key that begins at the offset `at`, and the offset after the key."""
        key, end = self._decode(self._text, at)
        if not key.isascii():
            key, _ = self._decode(self._text[at:end].encode("latin-1").decode())
        return key, end

    def _value(self, at: int, trie: _Trie, path: Path) -> int:
        """Return the offset after the value that begins at the offset `at`. Record the offsets of the wanted paths that
        lead into the value. `trie`: tree of these paths, relative to the value.
        """
        opening = self._text[at]
        if not trie or opening not in "{[":
            return self._decode(self._text, at)[1]
        at = self._blanks(at + 1)
        index = 0
        while self._text[at] not in "}]":
            start, key = at, str(index)
            if opening == "{":
                key, at = self._key(at)
                at = self._blanks(self._blanks(at) + 1)
            inner = trie.get(key)
            if inner is not None:
                self._found[(*path, key)] = start
            at = self._blanks(self._value(at, inner or {}, (*path, key)))
            if self._text[at] == ",":
                at = self._blanks(at + 1)
            index += 1
        return at + 1


def _lines(data: bytes, offsets: dict[Path, int]) -> dict[Path, Position]:
    """Convert offsets in UTF-8 to lines and columns (in characters), counted from 1."""
    found: dict[Path, Position] = {}
    line, column, counted = 1, 1, 0
    for path, offset in sorted(offsets.items(), key=lambda entry: entry[1]):
        if newlines := data.count(b"\n", counted, offset):
            line, column, counted = line + newlines, 1, data.rindex(b"\n", counted, offset) + 1
        column += len(data[counted:offset].decode())
        counted = offset
        found[path] = (line, column)
    return found


# -- YAML -------------------------------------------------------------------------------------------------------------


def _in_yaml(outline: Outline, paths: Iterable[Path]) -> dict[Path, Position]:
    """Return path → position of its key or array item.

    `outline`, an index of the outer keys, contains some positions. Any other path is searched in the piece of text of
    its nearest ancestor in the index, or in the whole text if there is none.
    """
    found: dict[Path, Position] = {}
    inside: dict[Path, list[Path]] = {}
    for path in paths:
        if near := outline.nearest(path):
            found[near] = outline.position(near)
        if near != path:
            inside.setdefault(near, []).append(path)
    for near, wanted in inside.items():
        text, above = outline.piece(near) if near else (outline.text, 0)
        for path, (line, column) in _YamlWalk(text).positions(_trie(wanted), near).items():
            found[path] = line + above, column
    return found


class _YamlWalk:
    """Walk over the events of a valid YAML text. Only the first document of the text is read."""

    def __init__(self, text: str) -> None:
        import yaml  # imported late: JSON documents do not need YAML

        from mcpgen.read.document.yaml_text import events, place  # imported late: JSON documents do not need YAML

        self._next = events(text)
        self._place = place
        self._scalar = yaml.ScalarEvent
        self._opening = {yaml.MappingStartEvent, yaml.SequenceStartEvent}
        self._ends = {yaml.MappingEndEvent, yaml.SequenceEndEvent}
        self._mapping = yaml.MappingStartEvent
        self._before = {yaml.StreamStartEvent, yaml.DocumentStartEvent}
        self._found: dict[Path, Position] = {}

    def positions(self, trie: _Trie, path: Path) -> dict[Path, Position]:
        """Return, by path, where the key or array item of each path in `trie` is in the text. Paths begin at the
        document's root, even if the text is only a piece of the document.

        `path`: the path at which this piece begins, () if the text is the whole document.
        """
        event = self._next()
        while type(event) in self._before:
            event = self._next()
        if path:
            for token in path[:-1]:
                trie = trie[token]
            self._member(self._next(), trie, path[:-1])
        else:
            self._value(event, trie, ())
        return self._found

    def _value(self, event: "yaml.Event | None", trie: _Trie, path: Path) -> None:
        """Read the value that begins with `event`. Record the positions of the wanted paths (`trie`) in it."""
        if type(event) not in self._opening:
            return
        if not trie:
            self._skip()
        elif type(event) is self._mapping:
            self._members(trie, path)
        else:
            self._items(trie, path)

    def _members(self, trie: _Trie, path: Path) -> None:
        while type(event := self._next()) not in self._ends:
            self._member(event, trie, path)

    def _member(self, event: "yaml.Event | None", trie: _Trie, path: Path) -> None:
        """Read one member of a mapping. `event`: the event of the YAML parser for the member's key."""
        key = event.value if isinstance(event, self._scalar) else ""
        self._inside(key, event, self._next(), trie, path)

    def _items(self, trie: _Trie, path: Path) -> None:
        index = 0
        while type(event := self._next()) not in self._ends:
            self._inside(str(index), event, event, trie, path)
            index += 1

    def _inside(
        self, name: str, begin: "yaml.Event | None", value: "yaml.Event | None", trie: _Trie, path: Path
    ) -> None:
        inner = trie.get(name)
        if inner is not None:
            assert begin is not None
            self._found[(*path, name)] = self._place(begin)
        self._value(value, inner or {}, (*path, name))

    def _skip(self) -> None:
        """Skip to the end of the collection that was just opened."""
        next_event, opening, ends, depth = self._next, self._opening, self._ends, 1
        while depth:
            kind = type(next_event())
            if kind in opening:
                depth += 1
            elif kind in ends:
                depth -= 1
