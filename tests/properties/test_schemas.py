"""Test random schemas in bodies, parameters and responses: compiling them never crashes, and tools get only schemas
that every client accepts.

A tool must accept every value that is valid by the document's schema.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mcpgen.base.errors import FatalError
from mcpgen.model import BodyBinding, ToolSpec
from mcpgen.model.options import Options
from mcpgen.pipeline import Compiled, compile_source
from mcpgen.read.fetch import Fetched
from tests.hostile.emitted import assert_sound
from tests.properties import schemas
from tests.properties.schemas import Schema


def document(version: str, operation: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    return {
        "openapi": version,
        "info": {"title": "T", "version": "1"},
        "paths": {"/p": {"post": {"operationId": "make", "responses": {"200": {"description": "ok"}}, **operation}}},
        "components": {"schemas": definitions},
    }


def compiled(value: Any) -> Compiled:
    return compile_source(Fetched("f", json.dumps(value).encode()), Options())


def assert_meta_valid(tool: ToolSpec) -> None:
    jsonschema_rs.meta.validate({"$schema": "https://json-schema.org/draft/2020-12/schema", **tool.input_schema})


def nodes(schema: Any) -> Iterator[Schema]:
    if isinstance(schema, dict):
        yield schema
        for value in schema.values():
            yield from nodes(value)
    elif isinstance(schema, list):
        for item in schema:
            yield from nodes(item)


# -- Any value as a schema --------------------------------------------------------------------------------------------

PLACES: dict[str, Callable[[Any], dict[str, Any]]] = {
    "property": lambda schema: {"requestBody": json_body({"type": "object", "properties": {"v": schema}})},
    "body": lambda schema: {"requestBody": json_body(schema)},
    "query": lambda schema: {"parameters": [{"name": "v", "in": "query", "schema": schema}]},
    "header": lambda schema: {"parameters": [{"name": "v", "in": "header", "required": True, "schema": schema}]},
    "form": lambda schema: {"requestBody": {"content": {"application/x-www-form-urlencoded": {"schema": schema}}}},
    "multipart": lambda schema: {"requestBody": {"content": {"multipart/form-data": {"schema": schema}}}},
    "part": lambda schema: {
        "requestBody": {"content": {"multipart/form-data": {"schema": {"type": "object", "properties": {"v": schema}}}}}
    },
    "answer": lambda schema: {"responses": {"200": {"content": {"application/json": {"schema": schema}}}}},
    "content": lambda schema: {"parameters": [{"name": "v", "in": "query", "content": {"application/json": schema}}]},
}


def json_body(schema: Any) -> dict[str, Any]:
    return {"required": True, "content": {"application/json": {"schema": schema}}}


@given(
    st.sampled_from(["3.0.3", "3.1.0"]),
    st.sampled_from(sorted(PLACES)),
    schemas.GARBAGE | schemas.VALID,
    st.fixed_dictionaries(dict.fromkeys(schemas.NAMES, schemas.GARBAGE | schemas.VALID)),
)
def test_any_schema_ends_in_a_portable_tool_or_in_a_reason(
    version: str, place: str, schema: Any, definitions: dict[str, Any]
) -> None:
    try:
        result = compiled(document(version, PLACES[place](schema), definitions))
    except FatalError as end:
        result = None
        reason = end.diagnostic
    if result is None:
        assert reason.code == "no-operations"
        assert "The input schema of" not in reason.message, "the wall took a derived tool out"
        return
    assert_sound(result)
    for tool in result.catalog.tools:
        assert_meta_valid(tool)
        for node in nodes(tool.input_schema):
            assert not {"$ref", "allOf", "oneOf", "not", "title"} & (node.keys() - set(node.get("properties", ())))


# -- Values that a schema accepts -------------------------------------------------------------------------------------


def is_valid(value: Any, schema: Schema, definitions: dict[str, Schema]) -> bool:
    """Return True if an independent validator accepts `value` by the original schema."""
    whole = {"$ref": "#/root", "root": schema, "components": {"schemas": definitions}}
    return jsonschema_rs.Draft202012Validator(whole, offline=True).is_valid(value)


def without_optional_nulls(value: Any, still_valid: Callable[[Any], bool]) -> Any:
    """Return `value` without optional members that are null, because null counts as a missing argument."""

    def walk(node: Any, rebuild: Any) -> Any:
        if isinstance(node, dict):
            for key in [key for key, member in node.items() if member is None]:
                smaller = {other: member for other, member in node.items() if other != key}
                if still_valid(rebuild(smaller)):
                    node = smaller
            for key in list(node):
                node = {**node, key: walk(node[key], lambda inner, key=key, node=node: rebuild({**node, key: inner}))}
        elif isinstance(node, list):
            for at in range(len(node)):
                changed = walk(node[at], lambda inner, at=at, node=node: rebuild([*node[:at], inner, *node[at + 1 :]]))
                node = [*node[:at], changed, *node[at + 1 :]]
        return node

    return walk(value, lambda whole: whole)


def arguments_for(body: BodyBinding, value: Any) -> dict[str, Any]:
    """Return the arguments that send `value` as the body of the tool's request."""
    if body.argument is not None:
        return {body.argument: value}
    members = dict(value)
    found: dict[str, Any] = {}
    for field in body.fields:
        if field.name in members:
            member = members.pop(field.name)
            if field.argument is not None:
                found[field.argument] = member
            else:
                assert member == field.value
    if members and body.rest is not None:
        found[body.rest] = members
    return found


def assert_accepted(version: str, schema: Schema, definitions: dict[str, Schema], value: Any) -> None:
    try:
        result = compiled(document(version, {"requestBody": json_body(schema)}, definitions))
    except FatalError as end:
        pytest.fail(f"{end.diagnostic.message}")
    (tool,) = result.catalog.tools
    body = tool.binding.body
    assert body is not None
    arguments = arguments_for(body, value)
    errors = [error.message for error in jsonschema_rs.Draft202012Validator(tool.input_schema).iter_errors(arguments)]
    assert not errors, f"{arguments} is refused by {json.dumps(tool.input_schema)}"


@given(st.data(), schemas.VALID, schemas.DEFINITIONS)
def test_whatever_a_schema_accepts_is_accepted_3_1(
    data: st.DataObject, schema: Schema, definitions: dict[str, Schema]
) -> None:
    value = schemas.instance(data.draw, schema, definitions)
    assume(is_valid(value, schema, definitions))
    value = without_optional_nulls(value, lambda smaller: is_valid(smaller, schema, definitions))
    assert_accepted("3.1.0", schema, definitions, value)


@given(st.data(), schemas.VALID, schemas.DEFINITIONS)
def test_whatever_a_schema_accepts_is_accepted_3_0(
    data: st.DataObject, schema: Schema, definitions: dict[str, Schema]
) -> None:
    schema, definitions = schemas.as_3_0(schema), schemas.as_3_0(definitions)
    meant, known = schemas.meaning_of_3_0(schema), schemas.meaning_of_3_0(definitions)
    value = schemas.instance(data.draw, meant, known)
    assume(is_valid(value, meant, known))
    value = without_optional_nulls(value, lambda smaller: is_valid(smaller, meant, known))
    assert_accepted("3.0.3", schema, definitions, value)


@given(schemas.VALID, schemas.DEFINITIONS)
def test_a_default_is_a_value_of_its_node(schema: Schema, definitions: dict[str, Schema]) -> None:
    try:
        result = compiled(document("3.1.0", PLACES["property"](schema), definitions))
    except FatalError:
        return
    for tool in result.catalog.tools:
        for node in nodes(tool.input_schema):
            if "default" in node and isinstance(node.get("type"), str):
                kept: Schema = {
                    key: node[key] for key in ("type", "enum", "minimum", "maximum", "items") if key in node
                }
                assert jsonschema_rs.Draft202012Validator(kept).is_valid(node["default"]), node
