"""Test bounds, defaults, and the words that descriptions use for constraints, with tables of cases."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgen.base.jsonvalue import JsonObject, JsonValue, compact
from mcpgen.lower.schema.constraints import bounds, fitting, in_words

HUGE = 10**400


@pytest.mark.parametrize(
    ("node", "kind", "expected"),
    [
        ({}, "integer", {}),
        ({"minimum": 1, "maximum": 2}, "number", {"minimum": 1, "maximum": 2}),
        ({"minimum": 1.0, "maximum": 2.5}, "integer", {"minimum": 1, "maximum": 2.5}),
        ({"minimum": 1.0}, "number", {"minimum": 1.0}),
        ({"exclusiveMinimum": 0, "exclusiveMaximum": 10}, "integer", {"minimum": 1, "maximum": 9}),
        ({"exclusiveMinimum": 0, "exclusiveMaximum": 10}, "number", {}),
        ({"exclusiveMinimum": 0.5}, "integer", {}),
        ({"minimum": 0, "exclusiveMinimum": -5}, "integer", {"minimum": 0}),
        ({"minimum": -9, "exclusiveMinimum": -5}, "integer", {"minimum": -4}),
        ({"maximum": 0, "exclusiveMaximum": 5}, "integer", {"maximum": 0}),
        ({"enum": [3, 1, 2]}, "integer", {"minimum": 1, "maximum": 3}),
        ({"enum": [1, 2.0, 3]}, "integer", {"minimum": 1, "maximum": 3}),
        ({"enum": [1, 2, 10.5]}, "number", {}),
        ({"enum": [1, 2, None, "a"]}, "integer", {"minimum": 1, "maximum": 2}),
        ({"enum": [1, 3]}, "integer", {}),
        ({"enum": [1]}, "integer", {}),
        ({"enum": [True, False]}, "integer", {}),
        ({"enum": [0, 10**15]}, "integer", {}),
        ({"minimum": HUGE, "maximum": -HUGE, "exclusiveMinimum": HUGE}, "integer", {}),
        ({"minimum": True, "maximum": "9"}, "integer", {}),
        ({"minimum": 2**60 + 1}, "integer", {"minimum": 2**60 + 1}),
    ],
)
def test_bounds(node: JsonObject, kind: str, expected: JsonObject) -> None:
    assert compact(bounds(node, kind)) == compact(expected)


INTEGER: JsonObject = {"type": "integer"}
NUMBER: JsonObject = {"type": "number"}
TEXT: JsonObject = {"type": "string"}
TEXTS: JsonObject = {"type": "array", "items": TEXT}


@pytest.mark.parametrize(
    ("value", "member", "expected"),
    [
        (5, INTEGER, 5),
        ("5", INTEGER, 5),
        ("-5", INTEGER, -5),
        (5.0, INTEGER, 5),
        ("5.0", INTEGER, 5),
        (5.5, INTEGER, None),
        ("five", INTEGER, None),
        (True, INTEGER, None),
        (None, INTEGER, None),
        ([5], INTEGER, None),
        (2**53 + 1, INTEGER, 2**53 + 1),
        (str(2**53 + 1), INTEGER, 2**53 + 1),
        (HUGE, INTEGER, None),
        (str(HUGE), INTEGER, None),
        (9, {"type": "integer", "maximum": 5}, None),
        (1, {"type": "integer", "minimum": 5}, None),
        ("1.5", NUMBER, 1.5),
        ("1e3", NUMBER, 1000.0),
        ("nan", NUMBER, None),
        ("inf", NUMBER, None),
        ("1e999", NUMBER, None),
        ("1_0", NUMBER, None),
        (" 1 ", NUMBER, None),
        ("\u0661", NUMBER, None),
        (2.0, NUMBER, 2.0),
        ("true", {"type": "boolean"}, True),
        ("False", {"type": "boolean"}, False),
        (1, {"type": "boolean"}, None),
        (5, TEXT, "5"),
        (True, TEXT, None),
        ({}, TEXT, None),
        ("b", {"type": "string", "enum": ["a"]}, None),
        (1, {"type": "string", "enum": ["1"]}, "1"),
        (["a"], TEXTS, ["a"]),
        ([], TEXTS, []),
        ([1], TEXTS, None),
        ([None], TEXTS, None),
        ("a", TEXTS, None),
        ({"a": 1}, {"type": "object"}, None),
        ("a", {"anyOf": [TEXT, INTEGER]}, None),
    ],
)
def test_a_default_is_kept_where_it_is_a_value_of_the_node(
    value: JsonValue, member: JsonObject, expected: JsonValue
) -> None:
    found = fitting(value, member)
    assert (found, type(found)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("node", "kind", "expected"),
    [
        ({}, "string", ""),
        ({"minLength": 1}, "string", "Not empty."),
        ({"minLength": 2, "maxLength": 2}, "string", "2 characters."),
        ({"minLength": 1, "maxLength": 9}, "string", "1 to 9 characters."),
        ({"maxLength": 1}, "string", "At most 1 character."),
        ({"maxLength": 2_147_483_647}, "string", ""),
        ({"minLength": HUGE}, "string", ""),
        ({"minProperties": 2}, "object", "At least 2 members."),
        ({"uniqueItems": True}, "array", "No duplicates."),
        ({"multipleOf": 5}, "integer", "A multiple of 5."),
        ({"multipleOf": 1}, "integer", ""),
        ({"exclusiveMinimum": 0, "exclusiveMaximum": 1}, "number", "More than 0 and less than 1."),
        ({"format": "uri"}, "string", "A URI."),
        ({"format": "uri"}, "integer", ""),
        ({"contentEncoding": "base64"}, "string", "Base64."),
        ({"deprecated": True, "minLength": 1}, "string", "Deprecated. Not empty."),
        ({"enum": [1, "a", True, 3]}, "integer", "One of 1, 3."),
        ({"enum": ["a"]}, "integer", ""),
        ({"const": 5}, "integer", "Always 5."),
        ({"enum": [*range(41)]}, "integer", f"One of {', '.join(map(str, range(40)))}, …."),
        ({"enum": [True]}, "boolean", "Always true."),
        ({"enum": [True, False]}, "boolean", ""),
        ({"enum": [f"v{n}" for n in range(251)]}, "string", "One of 251 values, such as v0, v1, v2, v3, v4."),
    ],
)
def test_words(node: JsonObject, kind: str, expected: str) -> None:
    assert in_words(node, kind) == expected


@given(st.lists(st.text(st.characters()), min_size=251, max_size=251))
def test_words_about_values_are_short_and_hide_nothing(values: list[str]) -> None:
    """Test TXT-01: the words about enum values are short, and hidden characters in the values are visible."""
    words = in_words({"enum": [*values]}, "string")
    assert words.isprintable()
    assert len(words) < 3000
