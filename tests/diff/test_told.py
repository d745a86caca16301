"""Compare limits that a tool's schema states as text, because clients do not accept the keyword (`minLength`).

Changes of these limits must be reported like changes of the keyword.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgen.lower.schema.constraints import FORMAT_WORDS, in_words
from mcpgen.regenerate.diff.limits_in_text import heard, limits

SMALL = st.integers(1, 4000)
NODES = [
    ("string", {"minLength": 1}), ("string", {"minLength": 3}), ("string", {"maxLength": 10}),
    ("string", {"maxLength": 1}),
    ("string", {"minLength": 2, "maxLength": 5}), ("string", {"minLength": 4, "maxLength": 4}),
    ("object", {"minProperties": 1}), ("object", {"maxProperties": 7}),
    ("object", {"minProperties": 2, "maxProperties": 3}),
    ("number", {"exclusiveMinimum": 0}), ("number", {"exclusiveMaximum": 1.5}),
    ("number", {"exclusiveMinimum": -1, "exclusiveMaximum": 2}), ("number", {"multipleOf": 0.25}),
    ("integer", {"multipleOf": 5}), ("array", {"uniqueItems": True}), ("integer", {"enum": [1, 5, 9]}),
    ("number", {"enum": [0.5, 2]}), ("integer", {"enum": [5]}),
    ("boolean", {"const": True}), ("boolean", {"const": False}),
    ("string", {"contentEncoding": "base64"}),
    *(("string", {"format": name}) for name in FORMAT_WORDS),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "node"), NODES, ids=str)
@pytest.mark.parametrize("before", ["", "The length. ", "A name, at most five words. "])
def test_every_limit_that_is_said_is_read_back(kind: str, node: dict[str, Any], before: str) -> None:
    assert limits(before + in_words(node, kind)) == node


@given(SMALL, SMALL, st.booleans())
def test_several_at_once(one: int, other: int, unique: bool) -> None:
    node: dict[str, Any] = {"minLength": min(one, other), "maxLength": max(one, other)}
    node |= {"uniqueItems": True} if unique else {}
    assert limits(f"Words. {in_words(node)}") == node


@pytest.mark.parametrize(
    "text",
    [
        "",
        "At most ten characters.",
        "At most 10 characters",
        "It has at most 10 characters.",
        "One of 3 values, such as a, b.",
        "x10 characters.",
    ],
)
def test_what_is_no_such_sentence_is_no_limit(text: str) -> None:
    assert limits(text) == {}


def test_keywords_win_over_words_and_values_are_left_alone() -> None:
    schema: Any = {
        "type": "string",
        "maxLength": 3,
        "description": "At most 9 characters.",
        "default": {"description": "Not empty.", "type": "x"},
    }
    assert heard(schema) == schema
    named: Any = {"type": "object", "properties": {"default": {"type": "string", "description": "Not empty."}}}
    found: Any = heard(named)
    assert found["properties"]["default"]["minLength"] == 1
    inner: Any = {"type": "object", "properties": {"a": {"type": "string", "description": "At most 9 characters."}}}
    assert heard(inner) == {"type": "object", "properties": {"a": {"maxLength": 9, **inner["properties"]["a"]}}}
