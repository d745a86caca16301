"""Test schemas into which alternatives were merged: they accept every value of each alternative.

They also use only keywords that every client accepts.
"""

from __future__ import annotations

from typing import Any

import jsonschema_rs
from hypothesis import given
from hypothesis import strategies as st

from mcpgen.check.catalog import outside_profile
from mcpgen.lower.schema.merge_unions import folded, tags_first

NAMES = st.sampled_from(["kind", "a", "b", "c"])
TEXTS = st.sampled_from(["x", "y", "z"])
SCALARS: st.SearchStrategy[Any] = st.one_of(
    st.builds(lambda values: {"type": "string", "enum": values}, st.lists(TEXTS, min_size=1, max_size=2, unique=True)),
    st.sampled_from([{"type": "string"}, {"type": "integer", "minimum": 0}, {"type": "number"}, {"type": "boolean"}]),
    st.builds(lambda text: {"type": "string", "description": text, "default": "x"}, TEXTS),
)


def objects(members: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    properties = st.dictionaries(NAMES, members, max_size=3)
    return st.builds(
        lambda held, count: {"type": "object", "properties": held, "required": sorted(held)[:count]},
        properties,
        st.integers(0, 2),
    )


def deeper(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(
        objects(inner),
        st.builds(lambda items: {"type": "array", "items": items}, inner),
        st.builds(lambda rest: {"type": "object", "additionalProperties": rest}, inner),
        st.builds(
            lambda some: {"anyOf": some},
            st.lists(inner, min_size=2, max_size=3).filter(lambda some: some[0] != some[1]),
        ),
    )


NODES = st.recursive(SCALARS, deeper, max_leaves=6)
SCHEMAS = st.lists(objects(NODES) | SCALARS, min_size=2, max_size=5)
VALUES = st.recursive(
    TEXTS | st.integers(-1, 2) | st.booleans(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)


def closed(schema: Any) -> Any:
    """Return a copy of the schema in which objects allow no unlisted members, unless `additionalProperties` describes
    these.

    Folding joins several object schemas into one. An unlisted member that one of them allows may have a name that
    another declares, and the joined schema may then refuse its value.
    """
    if not isinstance(schema, dict):
        return schema
    held = {name: closed(member) for name, member in schema.get("properties", {}).items()}
    inner = {key: closed(schema[key]) for key in ("items", "additionalProperties") if key in schema}
    some = {"anyOf": [closed(member) for member in schema["anyOf"]]} if "anyOf" in schema else {}
    rest = {"additionalProperties": False} if schema.get("type") == "object" else {}
    return {**schema, **({"properties": held} if held else {}), **rest, **inner, **some}


@given(SCHEMAS, VALUES)
def test_what_is_folded_takes_what_its_parts_take(members: list[Any], value: Any) -> None:
    whole: list[Any] = folded(members)
    assert not [reason for member in whole for reason in outside_profile(member)], whole
    if any(jsonschema_rs.is_valid(closed(member), value) for member in members):
        assert any(jsonschema_rs.is_valid(member, value) for member in whole), whole


@given(SCHEMAS, VALUES)
def test_the_order_of_members_says_nothing(members: list[Any], value: Any) -> None:
    for member, led in zip(members, tags_first(members), strict=True):
        assert member == led
