"""Test merging of `allOf` and references into one schema, with tables of cases."""

from __future__ import annotations

import pytest

from mcpgen.base.jsonvalue import JsonObject, JsonValue
from mcpgen.lower.schema.compose import Composer, alternatives, members, types

DEFINITIONS: dict[str, JsonObject] = {
    "Base": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"], "description": "Base"},
    "Alias": {"$ref": "Base"},
    "Left": {"allOf": [{"$ref": "Base"}, {"properties": {"l": {}}}]},
    "Right": {"allOf": [{"$ref": "Base"}, {"properties": {"r": {}}}]},
    "Loop": {"$ref": "Pool"},
    "Pool": {"allOf": [{"$ref": "Loop"}, {"type": "integer"}]},
    "Pet": {"properties": {"kind": {}}, "oneOf": [{"$ref": "Cat"}, {"$ref": "Dog"}], "discriminator": {}},
    "Cat": {"allOf": [{"$ref": "Pet"}, {"properties": {"meow": {}}}]},
    "Self": {"anyOf": [{"$ref": "Self"}, {"type": "string"}]},
    **{f"S{n}": {"allOf": [{"$ref": f"S{n - 1}"}, {"$ref": f"S{n - 1}"}]} for n in range(1, 200)},
    "S0": {"type": "object", "properties": {"x": {}}},
}  # fmt: skip


@pytest.mark.parametrize(
    ("schema", "node", "followed"),
    [
        ({"type": "string"}, {"type": "string"}, ()),
        ({"$ref": "Alias"}, DEFINITIONS["Base"], ("Alias", "Base")),
        ({"$ref": "Base", "description": "Own"}, {**DEFINITIONS["Base"], "description": "Own"}, ("Base",)),
        ({"$ref": "Loop"}, {"type": "integer"}, ("Loop", "Pool")),
        ({"$ref": "Self"}, {}, ("Self",)),
        ({"$ref": "Cat"}, {"properties": {"kind": {}, "meow": {}}}, ("Cat", "Pet")),
        ({"$ref": "Pet"}, DEFINITIONS["Pet"], ("Pet",)),
        (
            {"allOf": [{"$ref": "Left"}, {"$ref": "Right"}]},
            {**DEFINITIONS["Base"], "properties": {"id": {"type": "string"}, "l": {}, "r": {}}},
            ("Left", "Base", "Right"),
        ),
    ],
)
def test_a_node_is_what_its_references_and_parts_say(
    schema: JsonObject, node: JsonObject, followed: tuple[str, ...]
) -> None:
    assert Composer(DEFINITIONS).node(schema) == (node, followed)


def test_a_ladder_of_parts_is_climbed_once() -> None:
    """Visit each schema only once (SPEC-22). There are 2^199 paths through the references, but 200 steps are enough."""
    assert Composer(DEFINITIONS).node({"$ref": "S199"})[0] == DEFINITIONS["S0"]


MAP: JsonObject = {"additionalProperties": {"type": "string"}}


@pytest.mark.parametrize(
    ("first", "second", "result"),
    [
        ({}, {"type": "string"}, {"type": "string"}),
        ({"type": "string"}, {}, {"type": "string"}),
        ({"type": "number"}, {"type": "integer"}, {"type": "integer"}),
        ({"type": "integer"}, {"type": "number"}, {"type": "integer"}),
        ({"type": ["string", "null"]}, {"type": ["null", "integer"]}, {"type": "null"}),
        ({"type": ["string", "null"]}, {"type": ["string", "null"]}, {"type": ["string", "null"]}),
        ({"enum": ["a", "b", "c"]}, {"enum": ["c", "b"]}, {"enum": ["b", "c"]}),
        ({"const": "b"}, {"enum": ["a", "b"]}, {"enum": ["b"]}),
        ({"enum": ["a", "b"]}, {"const": "b"}, {"enum": ["b"]}),
        ({"const": "b"}, {"const": "b"}, {"const": "b"}),
        ({"multipleOf": 4}, {"multipleOf": 6}, {"multipleOf": 12}),
        ({"multipleOf": 0.5}, {"multipleOf": 0.5}, {"multipleOf": 0.5}),
        ({"uniqueItems": True}, {"uniqueItems": False}, {"uniqueItems": True}),
        ({"not": {"const": 1}}, {"not": {"const": 2}}, {"not": {"anyOf": [{"const": 1}, {"const": 2}]}}),
        ({"pattern": "^a"}, {"pattern": "^a"}, {"pattern": "^a"}),
        ({"minimum": 1, "maximum": 9}, {"minimum": 3, "maximum": 20}, {"minimum": 3, "maximum": 9}),
        ({"minLength": 5, "maxItems": 2}, {"minLength": 1, "maxItems": 3}, {"minLength": 5, "maxItems": 2}),
        ({"required": ["a", "b"]}, {"required": ["b", "c"]}, {"required": ["a", "b", "c"]}),
        ({"description": "a", "default": 1}, {"description": "b", "default": 2}, {"description": "b", "default": 2}),
        ({"properties": {"a": {}}}, {"properties": {"b": {}}}, {"properties": {"a": {}, "b": {}}}),
        ({"properties": {"a": {"type": "string"}}}, {"properties": {"a": {"minLength": 1}}},
         {"properties": {"a": {"allOf": [{"type": "string"}, {"minLength": 1}]}}}),
        ({"properties": {"a": {"type": "string"}}}, {"properties": {"a": {"type": "string"}}},
         {"properties": {"a": {"type": "string"}}}),
        ({"items": {"type": "string"}}, {"items": {"minLength": 1}},
         {"items": {"allOf": [{"type": "string"}, {"minLength": 1}]}}),
        ({"items": {"type": "string"}}, {"minItems": 1}, {"items": {"type": "string"}, "minItems": 1}),
        (MAP, {"additionalProperties": True}, MAP),
        (MAP, {"additionalProperties": False}, {"additionalProperties": False}),
        ({"oneOf": [{"type": "string"}]}, {"type": "string"}, {"oneOf": [{"type": "string"}], "type": "string"}),
        ({"oneOf": [{"a": 1}, {"a": 2}]}, {"anyOf": [{"b": 1}]},
         {"anyOf": [{"allOf": [{"a": 1}, {"b": 1}]}, {"allOf": [{"a": 2}, {"b": 1}]}]}),
    ],
)  # fmt: skip
def test_merging_keeps_what_both_demand(first: JsonObject, second: JsonObject, result: JsonObject) -> None:
    composer = Composer({})
    before = repr((first, second))
    assert composer.merged(first, second) == result
    assert composer.contradictions == []
    assert repr((first, second)) == before, "a value that was given was changed"


LONG: list[JsonValue] = [{"type": "string", "enum": [str(number)]} for number in range(5)]


@pytest.mark.parametrize(
    ("first", "second", "result", "sentence"),
    [
        ({"type": "string"}, {"type": "integer"}, {"type": "integer"}, "string and integer"),
        ({"enum": ["a"]}, {"enum": ["b"]}, {"enum": ["b"]}, "two lists of values without a common one"),
        ({"const": "a"}, {"const": "b"}, {"enum": ["b"]}, "two lists of values without a common one"),
        ({"pattern": "^a"}, {"pattern": "b$"}, {"pattern": "b$"}, "two different values of `pattern`"),
        ({"multipleOf": 0.5}, {"multipleOf": 2}, {"multipleOf": 2}, "two different values of `multipleOf`"),
        (
            {"multipleOf": 2**52 - 1},
            {"multipleOf": 2**52},
            {"multipleOf": 2**52},
            "two different values of `multipleOf`",
        ),
        ({"anyOf": LONG}, {"anyOf": [*LONG[:3]]}, {"anyOf": [*LONG[:3]]}, "two long sets of alternatives"),
    ],
)
def test_the_later_one_wins_a_contradiction_and_the_caller_hears_of_it(
    first: JsonObject, second: JsonObject, result: JsonObject, sentence: str
) -> None:
    composer = Composer({})
    assert composer.merged(first, second) == result
    assert composer.contradictions == [sentence]


def test_readers_of_a_node() -> None:
    assert types({"type": "string"}) == ["string"]
    assert types({"type": ["string", "null", 5]}) == ["string", "null"]
    assert types({}) == types({"type": {}}) == []
    assert alternatives({"oneOf": [{"a": 1}], "anyOf": [{"b": 1}, 5]}) == [{"a": 1}, {"b": 1}, {}]
    node: JsonObject = {"properties": {"b": {}, "c": 1, "a": {"x": 1}}, "required": ["c", "missing", 5]}
    assert members(node) == [("c", {}), ("a", {"x": 1}), ("b", {})]
