"""Test JSON Pointers (RFC 6901), their evaluation, and canonical JSON text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgen.base.jsonvalue import JsonValue, compact, lookup, pointer, tokens

RFC_6901: JsonValue = {
    "foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, 'k"l': 6, " ": 7, "m~n": 8,
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", RFC_6901), ("/foo", ["bar", "baz"]), ("/foo/0", "bar"), ("/", 0), ("/a~1b", 1), ("/c%d", 2), ("/e^f", 3),
        ("/g|h", 4), ("/i\\j", 5), ('/k"l', 6), ("/ ", 7), ("/m~0n", 8),
    ],
)  # fmt: skip
def test_the_examples_of_the_standard(text: str, value: JsonValue) -> None:
    assert lookup(RFC_6901, tokens(text)) == value


@pytest.mark.parametrize(
    "path", ["/foo/2", "/foo/-", "/foo/01", "/foo/-1", "/foo/1e0", "/foo/\u0661", "/foo/0/x", "/x"]
)
def test_pointers_that_lead_nowhere(path: str) -> None:
    with pytest.raises(KeyError):
        lookup(RFC_6901, tokens(path))


def test_an_index_of_any_length_leads_nowhere() -> None:
    with pytest.raises(KeyError):
        lookup([1], ["9" * 10_000])


@given(st.lists(st.text("ab/~01 é", max_size=5), max_size=5))
def test_tokens_undo_a_pointer(parts: list[str]) -> None:
    assert tokens(pointer("", *parts)) == parts


ANY_TEXT = st.text(st.characters(), max_size=20)
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)


@given(
    st.recursive(
        st.none() | st.booleans() | NUMBERS | ANY_TEXT,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
        max_leaves=8,
    )
)
def test_compact_text_is_one_line_of_ascii_that_is_data_in_any_markup(value: JsonValue) -> None:
    text = compact(value)
    assert json.loads(text) == value
    assert text.isascii()
    assert text.isprintable()
    assert "<" not in text


@pytest.mark.parametrize("value", [float("nan"), float("inf"), [float("-inf")]])
def test_compact_refuses_what_json_does_not_have(value: JsonValue) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        compact(value)
