"""What a lock remembers is what was recorded, and a lock that cannot be trusted ends the run."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgen.errors import CannotGoOn
from mcpgen.lock import Lock, digests, dump, load
from mcpgen.options import Options

TEXT = st.text(st.characters(codec="utf-8"), max_size=12)
SERVER = st.from_regex(r"[a-z][a-z0-9-]{0,39}", fullmatch=True)
PATHS = st.from_regex(r"[a-z]{1,4}_(/[a-z]{1,4}_){0,2}", fullmatch=True)
TEXTS = st.lists(TEXT, max_size=3).map(tuple)
OPTIONS = st.builds(Options, name=SERVER, base_url=st.none() | TEXT, include=TEXTS, ref_dir=TEXTS, server_var=TEXTS)
LOCKS = st.builds(
    Lock,
    source=TEXT,
    source_digest=TEXT,
    version=TEXT.filter(bool),
    options=OPTIONS,
    tools=st.dictionaries(TEXT, TEXT, max_size=3),
    files=st.dictionaries(PATHS, TEXT, max_size=3),
)


@given(LOCKS)
def test_a_lock_comes_back_as_it_was_written(lock: Lock) -> None:
    data = dump(lock)
    assert load(data, "f") == lock
    assert data.isascii()
    assert dump(load(data, "f")) == data


def test_one_fact_a_line_in_an_order_of_its_own() -> None:
    lock = Lock("s", "d", "0.1.0", Options(name="n"), tools={"GET /b": "b", "GET /a": "a"}, files={"b": "2", "a": "1"})
    lines = dump(lock).decode().splitlines()
    assert [line.strip(" ,") for line in lines if '"GET' in line or '"a"' in line][:2] == [
        '"GET /a": "a"',
        '"GET /b": "b"',
    ]


GOOD = {"lock": 1, "options": {"name": "n"}, "tools": {}, "files": {"a": "x"}}


@pytest.mark.parametrize(
    "value",
    [
        None, [], {}, {"lock": 2}, {**GOOD, "lock": "1"}, {**GOOD, "options": {}}, {**GOOD, "options": {"name": 5}},
        {**GOOD, "options": {"name": "../x"}}, {**GOOD, "options": {"name": "Upper"}}, {**GOOD, "files": {"../a": "x"}},
        {**GOOD, "files": {"/etc/passwd": "x"}}, {**GOOD, "files": {"a/../../b": "x"}}, {**GOOD, "files": {"": "x"}},
    ],
)  # fmt: skip
def test_a_lock_that_cannot_be_trusted_ends_the_run(value: object) -> None:
    with pytest.raises(CannotGoOn) as refused:
        load(json.dumps(value).encode(), "f")
    assert refused.value.diagnostic.code == "lock-unreadable"


@given(st.binary(max_size=80) | st.just(b"[" * 100_000))
def test_any_bytes_are_a_lock_or_end_the_run(data: bytes) -> None:
    with pytest.raises(CannotGoOn):
        load(data, "f")


def test_members_of_the_wrong_kind_are_read_as_nothing() -> None:
    lock = load(
        json.dumps({**GOOD, "options": {"name": "n", "include": 5}, "version": None, "tools": {"k": 5}}).encode(), "f"
    )
    assert (lock.options.include, lock.version, lock.tools) == ((), "0.1.0", {"k": ""})


@pytest.mark.parametrize(
    "value", [{"schema_profile": "x"}, {"max_tokens": 0}, {"max_tokens": "5"}, {"structured": 1}, {"fields": 1}]
)
def test_flags_that_no_command_line_takes_are_read_as_nothing(value: dict[str, object]) -> None:
    lock = load(json.dumps({**GOOD, "options": {"name": "n", **value}}).encode(), "f")
    assert lock.options == Options(name="n")


def test_flags_go_over_what_is_remembered() -> None:
    remembered = Options(name="n", include=("tag:a",), base_url="http://a")
    assert Options(include=("tag:b",)).over(remembered) == Options(name="n", include=("tag:b",), base_url="http://a")


def test_digests_are_sha_256() -> None:
    assert digests({"a": b""}) == {"a": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}
