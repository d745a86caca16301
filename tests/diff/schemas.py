"""Draw schemas from all of JSON Schema 2020-12, and list small values.

With them, a validator checks mcpgen's proofs that one schema includes another.
"""

from __future__ import annotations

import itertools
from typing import Any, TypeAlias

import jsonschema
from hypothesis import strategies as st

Schema: TypeAlias = Any
KEYS = ("a", "b", "c")
UNLISTED = "z"
"""Name of an object member that none of these schemas lists."""

SCALARS: list[Any] = [None, True, False, -1, 0, 1, 2, 2.5, 3, 4, 10, "", "a", "ab", "b", "abc"]
_FEW: list[Any] = [None, True, 0, 1, 2.5, "a", "ab"]
_ARRAYS: list[Any] = [
    [],
    *([each] for each in SCALARS),
    *map(list, itertools.product(_FEW, repeat=2)),
    [1, 1, 1],
    [[1]],
]
_MEMBERS: list[Any] = [*_FEW, {}, {"a": 1}, {"b": "a"}, {"a": {"a": 1}}, ["a"], [1]]
_OBJECTS: list[Any] = [
    {},
    *({key: value} for key in (*KEYS, UNLISTED) for value in (*SCALARS, *_MEMBERS[7:])),
    *({"a": one, "b": two} for one in _MEMBERS for two in _MEMBERS),
    *({"a": 1, "b": "a", "c": value} for value in _FEW),
    {"a": 1, UNLISTED: 1},
    {"a": "a", "b": "b", UNLISTED: None},
]
VALUES: list[Any] = [*SCALARS, *_ARRAYS, *_OBJECTS]


def _some(base: dict[str, Any], **optional: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=optional).map(lambda found: {**base, **found})


NUMBERS = st.sampled_from([-1, 0, 1, 2, 2.5, 3])
LENGTHS = st.integers(0, 3)
LEAVES: st.SearchStrategy[Schema] = st.one_of(
    st.sampled_from([True, False, {}, {"type": "null"}, {"type": "boolean"}, {"$ref": "#/$defs/D"}]),
    st.lists(st.sampled_from(["null", "boolean", "integer", "number", "string", "array", "object"]), min_size=1).map(
        lambda types: {"type": sorted(set(types))}
    ),
    _some(
        {},
        type=st.sampled_from(["integer", "number"]),
        minimum=NUMBERS,
        maximum=NUMBERS,
        exclusiveMinimum=NUMBERS,
        exclusiveMaximum=NUMBERS,
        multipleOf=st.sampled_from([1, 2, 0.5, 2.5]),
    ),
    _some(
        {"type": "string"},
        minLength=LENGTHS,
        maxLength=LENGTHS,
        pattern=st.sampled_from(["^a", "b$", "^(?=a)"]),
        format=st.sampled_from(["date", "uri"]),
    ),
    st.lists(st.sampled_from(SCALARS), min_size=1, max_size=4).map(lambda values: {"enum": values}),
    st.sampled_from([*SCALARS, [1], {"a": 1}]).map(lambda value: {"const": value}),
)


def _nested(inner: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
    several = st.lists(inner, min_size=1, max_size=3)
    objects = _some(
        {},
        type=st.just("object"),
        properties=st.dictionaries(st.sampled_from(KEYS), inner, max_size=3),
        required=st.lists(st.sampled_from(KEYS), max_size=2, unique=True),
        additionalProperties=inner,
        patternProperties=st.dictionaries(st.sampled_from(["^a", "z$", "^[bc]"]), inner, max_size=2),
        propertyNames=st.sampled_from([{"maxLength": 1}, {"enum": ["a", "b"]}, {"pattern": "^[ab]$"}]),
        minProperties=st.integers(0, 2),
        maxProperties=st.integers(0, 3),
        dependentRequired=st.sampled_from([{"a": ["b"]}, {"b": ["a", "c"]}]),
    )
    arrays = _some(
        {},
        type=st.just("array"),
        items=inner,
        prefixItems=several,
        contains=inner,
        minContains=st.integers(0, 2),
        minItems=st.integers(0, 2),
        maxItems=st.integers(0, 3),
        uniqueItems=st.booleans(),
    )
    return st.one_of(
        objects,
        objects,
        arrays,
        st.builds(lambda whole, found: {**whole, "anyOf": found}, objects | st.just({}), several),
        st.builds(lambda whole, found: {**whole, "oneOf": found}, objects | st.just({}), several),
        st.builds(lambda whole, found: {**whole, "allOf": found}, objects | st.just({}), several),
        st.builds(
            lambda whole, no: {**whole, "not": no}, objects | LEAVES.filter(lambda one: isinstance(one, dict)), inner
        ),
        st.builds(lambda one, two, three: {"if": one, "then": two, "else": three}, inner, inner, inner),
        st.builds(lambda whole, found: {**whole, "anyOf": found, "unevaluatedProperties": False}, objects, several),
    )


ANY: st.SearchStrategy[Schema] = st.recursive(LEAVES, _nested, max_leaves=6)


def rooted(schema: Schema, definition: Schema) -> dict[str, Any]:
    """Return a schema document with `schema` at its root, and `definition` under `#/$defs/D`."""
    return {"allOf": [schema], "$defs": {"D": definition}}


GUARDED = st.sampled_from(
    [
        {"type": "integer"},
        {"type": "object", "properties": {"a": {"$ref": "#/$defs/D"}}},
        {"type": "object", "properties": {"a": {"$ref": "#/$defs/D"}, "b": {"type": "integer"}}},
        {"type": "object", "properties": {"a": {"$ref": "#/$defs/D"}}, "additionalProperties": False},
        {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"$ref": "#/$defs/D"}}]},
        {"anyOf": [{"type": "number"}, {"type": "object", "additionalProperties": {"$ref": "#/$defs/D"}}]},
    ]
)
"""Definitions that refer to themselves only for a member or item, so that the recursion ends with the value."""


def accepted(schema: dict[str, Any]) -> list[bool]:
    """Return for each value in VALUES True if an independent validator accepts it."""
    validator = jsonschema.Draft202012Validator(schema)
    return [validator.is_valid(value) for value in VALUES]
