"""Test the line and column of any JSON pointer against other readers: a small JSON parser, and PyYAML's nodes."""

from __future__ import annotations

import json
import re
import tracemalloc
from collections.abc import Callable, Iterator

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.jsonvalue import JsonValue, pointer
from mcpgen.read.document import budgets, load, yaml_text

Places = dict[str, tuple[int, int]]


class JsonPlaces:
    """Recursive descent parser that records where keys and items stand in a JSON text."""

    def __init__(self, text: str) -> None:
        self.text, self.at, self.found = text, 0, {"": (1, 1)}
        self.value("")

    def place(self) -> tuple[int, int]:
        before = self.text[: self.at]
        return before.count("\n") + 1, self.at - (before.rfind("\n") + 1) + 1

    def blank(self) -> None:
        while self.at < len(self.text) and self.text[self.at] in " \t\r\n":
            self.at += 1

    def take(self, pattern: str) -> str:
        self.blank()
        match = re.compile(pattern, re.DOTALL).match(self.text, self.at)
        assert match is not None, self.text[self.at :]
        self.at = match.end()
        return match[0]

    def value(self, here: str) -> None:
        self.blank()
        if self.text[self.at] not in "{[":
            self.take(r'"(?:[^"\\]|\\.)*"|[^\s,\]}]+')
            return
        opening = self.take(r"[{[]")
        index = 0
        self.blank()
        while self.text[self.at] not in "}]":
            place = self.place()
            token: str | int = json.loads(self.take(r'"(?:[^"\\]|\\.)*"')) if opening == "{" else index
            self.found[pointer(here, token)] = place
            if opening == "{":
                self.take(":")
            self.value(pointer(here, token))
            index += 1
            self.blank()
            if self.text[self.at] == ",":
                self.at += 1
                self.blank()
        self.at += 1


def yaml_places(text: str) -> Places:
    def walk(node: yaml.Node, here: str) -> Iterator[tuple[str, tuple[int, int]]]:
        children: list[tuple[str | int, yaml.Node, yaml.Node]] = []
        if isinstance(node, yaml.MappingNode):
            children = [(key.value, key, value) for key, value in node.value]
        elif isinstance(node, yaml.SequenceNode):
            children = [(index, item, item) for index, item in enumerate(node.value)]
        for token, marked, child in children:
            yield pointer(here, token), (marked.start_mark.line + 1, marked.start_mark.column + 1)
            yield from walk(child, pointer(here, token))

    root = yaml.compose(text, Loader=yaml.SafeLoader)
    assert root is not None
    return {"": (1, 1), **dict(walk(root, ""))}


KEYS = st.text("ab/~ \"'é😀\\\n", min_size=1, max_size=4)
TREES: st.SearchStrategy[JsonValue] = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab {}[]:,\"'\\", max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
COLLECTIONS = st.dictionaries(KEYS, TREES, min_size=1, max_size=3)


@given(COLLECTIONS, st.sampled_from([None, 0, 1, 4]), st.booleans())
def test_places_in_json(value: dict[str, JsonValue], indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    expected = JsonPlaces(text).found
    assert load("f", text.encode(), Diagnostics()).positions(expected) == expected


@given(COLLECTIONS, st.sampled_from([True, False, None]), st.booleans(), st.integers(2, 4))
def test_places_in_yaml(value: dict[str, JsonValue], flow: bool | None, unicode: bool, indent: int) -> None:
    text = yaml.dump(value, default_flow_style=flow, allow_unicode=unicode, indent=indent)
    expected = yaml_places(text)
    assert load("f", text.encode(), Diagnostics()).positions(expected) == expected


DEEP = st.recursive(
    TREES,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(KEYS, st.dictionaries(KEYS, DEEP, max_size=3), min_size=1, max_size=3), st.integers(2, 4))
def test_a_place_in_yaml_is_the_same_for_whoever_asks_for_it_alone(value: dict[str, JsonValue], indent: int) -> None:
    text = "# a comment\n" + yaml.dump(value, default_flow_style=False, indent=indent)
    expected = yaml_places(text)
    document = load("f", text.encode(), Diagnostics())
    assert {pointer: document.positions([pointer])[pointer] for pointer in expected} == expected


OUTER = "a:\n  b:\n    c:\n      d:\n      - e: 1\n        f: 2\n"
"""YAML with nested keys. If a document has more keys than `most`, only the positions of its outer keys are recorded."""


@pytest.mark.parametrize("most", [1, 100], ids=["more keys than are noted", "all noted"])
@pytest.mark.parametrize(
    ("text", "wanted", "place"),
    [
        (OUTER, "/a/b/c", (3, 5)),
        (OUTER, "/a/b/c/d", (4, 7)),
        (OUTER, "/a/b/c/d/0/f", (6, 9)),
        (OUTER, "/a/b/c/d/1", (4, 7)),
        (OUTER + "    # of none\n    g:\n      h: 1\n", "/a/b/g/h", (9, 7)),
        (OUTER + "  a:\n    c: {d: 1,\n k: 2}\n  i: 3\n", "/a/a/c/k", (9, 2)),
        (OUTER + "  a:\n    c: {d: 1,\n k: 2}\n  i: 3\n", "/a/i", (10, 3)),
        (OUTER + "    c:\n      d: 1\n", "/a/b/c/d", (8, 7)),
        (OUTER + "    ? c d\n    : e: 1\n", "/a/b/c d", (7, 7)),
        (OUTER + "    ? c d\n    : e: 1\n", "/a/b/c d/e", (8, 7)),
        (OUTER + "    ? c d\n    : e: 1\n", "/a/b/c/d/0/f", (6, 9)),
        (OUTER + "    !!str g: {h: &h i}\n    *h : {j: 1}\n", "/a/b/g/h", (7, 15)),
        (OUTER + "    <<: {g: {h: 1}}\n    i: {j: 1}\n", "/a/b/i/j", (8, 9)),
        (OUTER + "---\na:\n  b:\n    c: [\n", "/a/b/c/d/0/e", (5, 9)),
        (OUTER + "...\n@\n", "/a/b/c/d/0/e", (5, 9)),
        (OUTER + "    g: |\n      c: 1\n\n      h\n    i: [1, 2]\n", "/a/b/i/1", (11, 12)),
        (OUTER + "    g: 'x\n  c: 1'\n    i: [1, 2]\n", "/a/b/i/1", (9, 12)),
        ("%TAG !t! tag:yaml.org,2002:\n---\na:\n  b:\n    c: {d: !t!str 1}\n", "/a/b/c/d", (5, 9)),
        ("\x07a:\n  b:\n    c: {d: 1}\n", "/a/b/c/d", (3, 9)),
        ("\ufeffa:\r\n  b:\r\n    c: {é: 1, d: 1}\r\n", "/a/b/c/d", (3, 15)),
        ("--- !!map\na:\n  b:\n    😀: {d: 1}\n    c: {d: 1}\n", "/a/b/c/d", (5, 9)),
    ],
)
def test_places_around_the_outline_of_yaml(
    text: str, wanted: str, place: tuple[int, int], most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budgets, "OUTLINE", most)
    assert load("f", text.encode(), Diagnostics()).positions([wanted]) == {wanted: place}


def test_of_yaml_only_the_pieces_are_read_again_that_something_is_looked_for_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = "".join(f"a{n}:\n  b:\n    c: {{d: {n}}}\n    e: 1\n" for n in range(9))
    document = load("f", text.encode(), Diagnostics())
    read: list[str] = []
    events = yaml_text.events

    def noted(piece: str) -> Callable[[], yaml.Event | None]:
        read.append(piece)
        return events(piece)

    monkeypatch.setattr(yaml_text, "events", noted)
    expected = {"": (1, 1), "/a3": (13, 1), "/a4/b": (18, 3), "/a5/b/c": (23, 5)}
    assert document.positions(expected) == expected
    assert not read
    assert document.positions(["/a6/b/c/d", "/a6/b/c/f"]) == {"/a6/b/c/d": (27, 9), "/a6/b/c/f": (27, 5)}
    assert read == ["    c: {d: 6}\n"]


@pytest.mark.parametrize(
    ("text", "wanted", "place"),
    [
        ("a:\n  - b: 1\n", "/a/0/b", (2, 5)),
        ("a:\n  - b: 1\n", "/a/0", (2, 5)),
        ("a:\n  - b: 1\n", "/a/5/nowhere", (1, 1)),
        ("a:\n  - b: 1\n", "/nowhere", (1, 1)),
        ("x: &x {y: 1}\nz: *x\n", "/z/y", (2, 1)),
        ("x: &x {y: 1}\nz: {<<: *x, w: 2}\n", "/z/y", (2, 1)),
        ("x: &x {y: 1}\nz: {<<: *x, w: 2}\n", "/z/w", (2, 13)),
        ("a: 1\na: 2\n", "/a", (2, 1)),
        ("a: {b: 1}\n---\na: {b: 2}\n", "/a/b", (1, 5)),
        ("a: 1\n---\n*nothing : [\n", "/a", (1, 1)),
        ("just text\n", "/a", (1, 1)),
        ("# comment\n\n? a\n: b\n", "/a", (3, 3)),
        ("'a/b':\n  'c~d': 1\n", "/a~1b/c~0d", (2, 3)),
        ("200: {}\n", "/200", (1, 1)),
        ('{"a": {"b": [0, {"c": 1}]}}', "/a/b/1/c", (1, 18)),
        ('{\n "\\u0061\\ud83d\\ude00": 1}', "/a😀", (2, 2)),
        ('{"a": 1, "a": 2}', "/a", (1, 10)),
        ('{"a": "}]{[", "b": 1}', "/b", (1, 15)),
    ],
)
def test_places(text: str, wanted: str, place: tuple[int, int]) -> None:
    assert load("f", text.encode(), Diagnostics()).positions([wanted]) == {wanted: place}


def test_all_places_come_from_one_walk_in_any_order() -> None:
    text = json.dumps({"a": [{"b": index} for index in range(50)]}, indent=1)
    document = load("f", text.encode(), Diagnostics())
    wanted = [f"/a/{index}/b" for index in reversed(range(50))]
    assert document.positions(wanted) == {place: document.positions([place])[place] for place in wanted}


def test_skipped_branches_take_little_memory() -> None:
    """Compare the memory of a walk over skipped branches with that of their values."""
    large = {f"k{number}": {"type": "string", "format": str(number)} for number in range(20_000)}
    text = json.dumps({"skipped": large, "wanted": 1})
    document = load("f", text.encode(), Diagnostics())
    tracemalloc.start()
    json.loads(text)
    _, whole = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    before, _ = tracemalloc.get_traced_memory()
    document.positions(["/wanted"])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak - before < whole / 2
