"""Test that a written lock file is read back unchanged, and that an invalid lock file ends the run."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgen.base.errors import FatalError
from mcpgen.base.names import VERSION_NUMBER, WRITTEN_ARGUMENT_NAME
from mcpgen.lock.lockfile import Lock, digests, dump, load
from mcpgen.model.options import PROGRAMS, SURFACES, Options, read_options, recorded
from mcpgen.model.pins import NOTHING, Pin, Pins, Retired

TEXT = st.text(st.characters(codec="utf-8"), max_size=12)
SERVER = st.from_regex(r"[a-z][a-z0-9-]{0,39}", fullmatch=True)
PATHS = st.from_regex(r"[a-z]{1,4}_(/[a-z]{1,4}_){0,2}", fullmatch=True)
TEXTS = st.lists(TEXT, max_size=3).map(tuple)
OPTIONS = st.builds(
    Options,
    name=SERVER,
    base_url=st.none() | TEXT,
    include=TEXTS,
    ref_dir=TEXTS,
    server_var=TEXTS,
    accept_origin=TEXTS,
)
KEYS = st.text(st.characters(codec="utf-8"), max_size=12)
SLOTS = st.dictionaries(
    st.tuples(st.sampled_from(["path", "query", "body"]), TEXT),
    st.from_regex(WRITTEN_ARGUMENT_NAME, fullmatch=True),
    max_size=3,
)
NAMES = st.from_regex(r"[a-z]{1,12}", fullmatch=True)
PROMISES = st.builds(
    Pin,
    name=NAMES,
    arguments=SLOTS,
    renamed=SLOTS,
    id=TEXT,
    shape=TEXT,
    words=TEXT,
    surface=TEXT,
    by_hand=st.booleans(),
)
TOOLS = st.lists(st.tuples(KEYS, PROMISES), max_size=3, unique_by=(lambda row: row[0], lambda row: row[1].name)).map(
    dict
)
RETIRED = st.dictionaries(NAMES, st.builds(Retired, operation=KEYS, id=TEXT), max_size=3)
LOCKS = st.builds(
    Lock,
    source=TEXT,
    source_digest=TEXT,
    version=st.from_regex(VERSION_NUMBER, fullmatch=True),
    options=OPTIONS,
    promises=st.builds(Pins, tools=TOOLS, retired=RETIRED),
    files=st.dictionaries(PATHS, TEXT, max_size=3),
    origins=st.none() | st.dictionaries(TEXT, st.booleans(), max_size=3),
    offered=st.lists(TEXT, max_size=2).map(tuple),
)


@given(LOCKS)
def test_a_lock_comes_back_as_it_was_written(lock: Lock) -> None:
    data = dump(lock)
    assert load(data, "f") == lock
    assert data.isascii()
    assert dump(load(data, "f")) == data


def test_one_fact_a_line_in_an_order_of_its_own() -> None:
    tools = {"GET /b": Pin("b", id="x"), "GET /a": Pin("a", {("query", "z"): "z", ("path", "id"): "id"})}
    lock = Lock("s", "d", "0.1.0", Options(name="n"), Pins(tools), files={"b": "2", "a": "1"})
    lines = [line.strip(" ,") for line in dump(lock).decode().splitlines()]
    start = lines.index('"GET /a": {')
    assert lines[start : start + 10] == [
        '"GET /a": {', '"name": "a"', '"arguments": {', '"path id": "id"', '"query z": "z"', "}", "}",
        '"GET /b": {', '"name": "b"', '"id": "x"',
    ]  # fmt: skip
    assert lines.index('"a": "1"') < lines.index('"b": "2"')


GOOD = {"lock": 1, "options": {"name": "n"}, "tools": {}, "files": {"a": "x"}}


@pytest.mark.parametrize(
    "value",
    [
        None, [], {}, {"lock": 3}, {**GOOD, "lock": "1"}, {**GOOD, "options": {}}, {**GOOD, "options": {"name": 5}},
        {**GOOD, "options": {"name": "../x"}}, {**GOOD, "options": {"name": "Upper"}}, {**GOOD, "files": {"../a": "x"}},
        {**GOOD, "files": {".git/config": "x"}}, {**GOOD, "files": {"a/.GIT/b": "x"}},
        {**GOOD, "files": {"/etc/passwd": "x"}}, {**GOOD, "files": {"a/../../b": "x"}}, {**GOOD, "files": {"": "x"}},
        {**GOOD, "files": {"\ud800": "x"}}, {**GOOD, "tools": []}, {**GOOD, "tools": "x"}, {**GOOD, "retired": [1]},
        {**GOOD, "origins": None}, {**GOOD, "origins": ["https://a.example"]},
    ],
)  # fmt: skip
def test_a_lock_that_cannot_be_trusted_ends_the_run(value: object) -> None:
    with pytest.raises(FatalError) as refused:
        load(json.dumps(value).encode(), "f")
    assert refused.value.diagnostic.code == "lock-unreadable"


def test_a_key_that_stands_there_twice_ends_the_run() -> None:
    """Refuse a lock file with a repeated key. Otherwise one of the two values would be lost, with its names of tools,
    which must not change.
    """
    text = json.dumps({**GOOD, "tools": {"GET /a": {"name": "a"}}})
    load(text.encode(), "f")
    with pytest.raises(FatalError):
        load(text.replace('"files"', '"tools": {}, "files"').encode(), "f")


@given(st.binary(max_size=80) | st.just(b"[" * 100_000))
def test_any_bytes_are_a_lock_or_end_the_run(data: bytes) -> None:
    with pytest.raises(FatalError):
        load(data, "f")


def test_members_of_the_wrong_kind_are_read_as_nothing() -> None:
    lock = load(
        json.dumps({**GOOD, "options": {"name": "n", "include": 5}, "version": None, "tools": {"k": 5}}).encode(), "f"
    )
    assert (lock.options.include, lock.version, lock.promises) == ((), "0.1.0", NOTHING)


@pytest.mark.parametrize(
    ("tools", "names"),
    [
        ({"GET /a": "get_a"}, {"GET /a": "get_a"}),
        ({"GET /b": {"name": "x"}, "GET /a": {"name": "X"}}, {"GET /a": "X"}),
        ({"GET /a": {"name": "../x"}, "GET /b": {"name": "a b"}, "GET /c": {}}, {}),
    ],
    ids=["the first format", "one name twice", "no names"],
)
def test_of_tools_what_can_be_kept_is_kept(tools: dict[str, object], names: dict[str, str]) -> None:
    assert load(json.dumps({**GOOD, "tools": tools}).encode(), "f").promises.names == names


def test_an_argument_that_cannot_be_called_so_is_not_promised() -> None:
    tools = {"GET /a": {"name": "a", "arguments": {"query x": "x y", "query z": "z"}}}
    promise = load(json.dumps({**GOOD, "tools": tools}).encode(), "f").promises.tools["GET /a"]
    assert promise.arguments == {("query", "z"): "z"}


@pytest.mark.parametrize(
    "value", [{"schema_profile": "x"}, {"max_tokens": 0}, {"max_tokens": "5"}, {"structured": 1}, {"fields": 1}]
)
def test_flags_that_no_command_line_takes_are_read_as_nothing(value: dict[str, object]) -> None:
    lock = load(json.dumps({**GOOD, "options": {"name": "n", **value}}).encode(), "f")
    assert lock.options == Options(name="n")


WORDS = {"schema_profile": "full", "security": "none", "tools": SURFACES[-1], "programs": PROGRAMS[-1]}
"""Flags that allow only some words → one of the words."""


def example(name: str, kind: Any) -> Any:
    """Return a value that a command line may give to a flag of this type."""
    kinds = (kind, *get_args(kind))
    plain: object = True if bool in kinds else 5 if int in kinds else "x"
    return WORDS.get(name, ("x", "y") if kind == tuple[str, ...] else plain)


def test_each_flag_is_read_from_the_lock_as_it_was_recorded() -> None:
    for field in fields(Options):
        options = replace(Options(), **{field.name: example(field.name, field.type)})
        assert options != Options()
        assert read_options(recorded(options)) == options


def test_flags_go_over_what_is_remembered() -> None:
    remembered = Options(name="n", include=("tag:a",), base_url="http://a")
    assert Options(include=("tag:b",)).over(remembered) == Options(name="n", include=("tag:b",), base_url="http://a")


def test_digests_are_sha_256() -> None:
    assert digests({"a": b""}) == {"a": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}


@pytest.mark.parametrize(
    ("word", "is_accepted"),
    [("accepted", True), ("not accepted", False), ("Accepted", False), ("yes", False), (True, False), (None, False)],
)
def test_one_word_alone_accepts_an_origin(word: object, is_accepted: bool) -> None:
    """Accept the origin of a URL only if the lock file has the exact word `accepted` for it.

    People merge lock files, and leftovers of a merge conflict must accept nothing.
    """
    lock = load(json.dumps({**GOOD, "origins": {"https://a.example": word}}).encode(), "f")
    assert lock.origins == {"https://a.example": is_accepted}
