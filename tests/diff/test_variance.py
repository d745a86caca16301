"""Check, by an independent validator, mcpgen's proofs that one schema includes another.

If mcpgen says that a schema accepts all values of another, the validator must refuse none of them.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgen.regenerate.diff import compare
from mcpgen.regenerate.diff.variance import Inclusion, Scope
from tests.diff.schemas import ANY, GUARDED, VALUES, accepted, rooted
from tests.diff.surfaces import grade, of_parts


def holds(inner: dict[str, Any], outer: dict[str, Any]) -> bool:
    return Inclusion().holds(Scope(inner).terms(inner), Scope(outer).terms(outer))


def assert_sound(inner: dict[str, Any], outer: dict[str, Any]) -> None:
    pairs = zip(VALUES, accepted(inner), accepted(outer), strict=True)
    refused = [value for value, before, after in pairs if before and not after]
    assert not (refused and holds(inner, outer)), refused[:3]


@given(ANY, GUARDED, ANY, GUARDED)
def test_two_schemas(one: Any, its: Any, other: Any, others: Any) -> None:
    assert_sound(rooted(one, its), rooted(other, others))


@st.composite
def edited(draw: st.DrawFn) -> tuple[Any, Any]:
    """Draw a schema, and a copy with one place changed."""
    schema = draw(ANY)
    return schema, _edited(draw, schema, draw(st.integers(0, 4)))


def _edited(draw: st.DrawFn, schema: Any, depth: int) -> Any:
    if not isinstance(schema, dict) or not schema or depth == 0:
        return draw(ANY)
    key = draw(st.sampled_from(sorted(schema)))
    value = schema[key]
    if draw(st.booleans()) and depth < 3:
        return {name: member for name, member in schema.items() if name != key}
    if key in ("items", "additionalProperties", "not", "contains", "if", "then", "else"):
        return {**schema, key: _edited(draw, value, depth - 1)}
    if key in ("anyOf", "oneOf", "allOf", "prefixItems"):
        place = draw(st.integers(0, len(value) - 1))
        return {**schema, key: [*value[:place], _edited(draw, value[place], depth - 1), *value[place + 1 :]]}
    if key == "properties" and value:
        name = draw(st.sampled_from(sorted(value)))
        return {**schema, key: {**value, name: _edited(draw, value[name], depth - 1)}}
    return {**schema, **{name: found for name, found in _as_dict(draw(ANY)).items() if name not in ("$defs",)}}


def _as_dict(schema: Any) -> dict[str, Any]:
    return schema if isinstance(schema, dict) else {}


@given(edited(), GUARDED)
def test_two_schemas_that_differ_in_one_place(pair: tuple[Any, Any], definition: Any) -> None:
    old, new = rooted(pair[0], definition), rooted(pair[1], definition)
    assert_sound(old, new)
    assert_sound(new, old)


@given(ANY, GUARDED)
def test_a_schema_holds_itself_and_is_held_by_anything(schema: Any, definition: Any) -> None:
    whole = rooted(schema, definition)
    assert holds(whole, rooted(schema, definition))
    assert holds(whole, {})


@given(ANY, GUARDED)
def test_what_is_said_to_have_no_value_has_none(schema: Any, definition: Any) -> None:
    whole = rooted(schema, definition)
    if Inclusion().is_empty(Scope(whole).terms(whole)):
        assert not any(accepted(whole))


def kind(value: str) -> dict[str, Any]:
    """Return a schema of objects whose required member `kind` has this value."""
    return {"type": "object", "properties": {"kind": {"const": value}}, "required": ["kind"]}


PROVEN: list[tuple[str, Any, Any]] = [
    ("one type of several", {"type": "integer"}, {"type": ["number", "null"]}),
    ("a value of a list", {"const": 1}, {"enum": [2, 1.0]}),
    ("each value of a list", {"enum": [1, "a"]}, {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
    ("ranges that join", {"type": "number", "minimum": 0, "maximum": 9},
     {"anyOf": [{"type": "number", "minimum": 4}, {"type": "number", "maximum": 4}]}),
    ("whole numbers of a range", {"type": "integer", "minimum": 1, "maximum": 3}, {"enum": [1, 2, 3, 4]}),
    ("an open bound of whole numbers", {"type": "integer", "exclusiveMinimum": 0}, {"type": "number", "minimum": 1}),
    ("multiples", {"type": "integer", "multipleOf": 6}, {"type": "number", "multipleOf": 1.5}),
    ("an object taken apart by its kind",
     {"type": "object", "properties": {"a": {"enum": ["p", "q"]}}, "required": ["a"]},
     {"anyOf": [{"type": "object", "properties": {"a": {"const": each}}} for each in ("p", "q")]}),
    ("what is not", {"type": "string", "enum": ["a"]}, {"not": {"enum": ["b", 1]}}),
    ("one of alternatives that have nothing in common", {"type": "integer"},
     {"oneOf": [{"type": "number"}, {"type": "string"}]}),
    ("one of objects that are told apart by what they must have", kind("a"), {"oneOf": [kind("b"), kind("a")]}),
    ("alternatives that became wider apart from each other",
     {"oneOf": [{"type": "string", "pattern": "^a"}, {"type": "string", "minLength": 3}, {"type": "integer"}]},
     {"oneOf": [{"type": "string", "pattern": "^a"}, {"type": "string", "minLength": 3}, {"type": "number"}]}),
    ("a tuple in a list", {"type": "array", "prefixItems": [{"type": "integer"}], "items": False},
     {"type": "array", "items": {"type": "number"}, "maxItems": 1}),
    ("names", {"type": "object", "properties": {"a": {}}, "additionalProperties": False},
     {"propertyNames": {"enum": ["a", "b"]}}),
    ("members in a map",
     {"type": "object", "properties": {"a": {"const": 1}}, "additionalProperties": {"type": "integer"}},
     {"type": "object", "additionalProperties": {"type": "number"}}),
    ("the same condition",
     {"if": {"required": ["a"]}, "then": {"required": ["b"]}, "type": "object", "required": ["c"]},
     {"if": {"required": ["a"]}, "then": {"required": ["b"]}}),
    ("nothing", {"type": "integer", "minimum": 2, "maximum": 1}, {"type": "string"}),
    ("a draft 7 reference stands alone",
     {"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"D": {"type": "integer"}},
      "type": "object", "properties": {"a": {"$ref": "#/definitions/D", "maximum": 1}}},
     {"properties": {"a": {"type": "number"}}}),
]  # fmt: skip


@pytest.mark.parametrize(("inner", "outer"), [pair[1:] for pair in PROVEN], ids=[pair[0] for pair in PROVEN])
def test_what_can_be_proven(inner: Any, outer: Any) -> None:
    assert holds(inner, outer)
    assert not holds(outer, inner)


REFUSED: list[tuple[str, Any, Any]] = [
    ("one of objects of which two are the same kind", kind("a"), {"oneOf": [kind("a"), {"type": "object"}]}),
    ("names by a pattern that nobody can look up", {**kind("a"), "additionalProperties": False},
     {"patternProperties": {"^(?=k)": {"type": "integer"}}}),
    ("no more than it was not", {"type": "string", "not": {"const": "a"}}, {"not": {"enum": ["a", "b"]}}),
    ("a member that only one of two patterns allows",
     {"type": "object", "patternProperties": {"^a": {"type": "integer"}}},
     {"type": "object", "patternProperties": {"^ab": {"type": "string"}}}),
    ("too many combinations", {"allOf": [{"anyOf": [{"minimum": each}, {"maximum": -each}]} for each in range(1, 10)]},
     {"type": "number"}),
    ("a condition under another condition", {"if": {"required": ["a"]}, "then": {"required": ["b"]}},
     {"if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": {"required": ["c"]}}),
]  # fmt: skip


@pytest.mark.parametrize(("inner", "outer"), [pair[1:] for pair in REFUSED], ids=[pair[0] for pair in REFUSED])
def test_what_does_not_hold(inner: Any, outer: Any) -> None:
    assert not holds(inner, outer)


def chained(length: int, last: Any) -> dict[str, Any]:
    """Return a schema that leads to `last` through a chain of `length` definitions."""
    definitions = {
        f"D{each}": {"type": "object", "properties": {"n": {"$ref": f"#/$defs/D{each + 1}"}}} for each in range(length)
    }
    return {"$ref": "#/$defs/D0", "$defs": {**definitions, f"D{length}": last}}


def nested(depth: int, last: Any) -> dict[str, Any]:
    schema: dict[str, Any] = last
    for _ in range(depth):
        schema = {"type": "object", "properties": {"n": schema}, "required": ["n"]}
    return schema


@pytest.mark.parametrize(("build", "depth"), [(chained, 500), (nested, 90)])
def test_no_depth_is_too_deep(build: Any, depth: int) -> None:
    one, other = build(depth, {"type": "integer"}), build(depth, {"type": "number"})
    assert holds(one, other)
    assert not holds(other, one)
    both = [
        of_parts({key: each[key] for key in each if key != "$defs"}, defs=each.get("$defs")) for each in (one, other)
    ]
    assert grade(compare(both[0], both[1])) == "additive"
    assert grade(compare(both[1], both[0])) == "breaking"


def list_of(value: Any, name: str) -> dict[str, Any]:
    """Return the schema of a linked list of values. It is recursive through a definition called `name`."""
    node = {
        "type": "object",
        "properties": {"value": value, "next": {"$ref": f"#/$defs/{name}"}},
        "required": ["value"],
    }
    return {"$defs": {name: node}, "$ref": f"#/$defs/{name}"}


def test_recursion_is_compared_whatever_its_name() -> None:
    one, other = list_of({"type": "integer"}, "Node"), list_of({"type": "number"}, "List")
    assert holds(one, other)
    assert not holds(other, one)


def test_what_was_found_under_an_assumption_that_failed_is_forgotten() -> None:
    """Check that a result based on a failed assumption is forgotten.

    The member `a` is compared first, under the assumption that the comparison of the roots succeeds. That comparison
    later fails for another reason.
    """

    def rooted_at(b: str) -> dict[str, Any]:
        inner = {"type": "object", "properties": {"back": {"$ref": "#"}}}
        return {"type": "object", "properties": {"a": {"$ref": "#/$defs/I"}, "b": {"type": b}}, "$defs": {"I": inner}}

    old, new = rooted_at("string"), rooted_at("integer")
    judge, before, after = Inclusion(), Scope(old), Scope(new)
    assert not judge.holds(before.terms(old), after.terms(new))
    assert not judge.holds(before.terms(old["$defs"]["I"]), after.terms(new["$defs"]["I"]))
