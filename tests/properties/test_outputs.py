"""Test output schemas with random responses: results satisfy them, and a response that matches the document is returned
unchanged.
"""

from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
from hypothesis import assume, given
from hypothesis import strategies as st
from package.runtime.core.catalog import Tool
from package.runtime.http.exchange import Response, Sent
from package.runtime.result.response import interpret
from package.runtime.results.structured import OutputChecker
from package.runtime.text.redaction import Redactor

from mcpgen.base.errors import FatalError
from mcpgen.emit.table import bindings_json, tools_json
from mcpgen.model.options import Options
from mcpgen.pipeline import compile_source
from mcpgen.read.fetch import Fetched
from tests.properties import schemas
from tests.properties.schemas import Schema

JSON = st.recursive(
    schemas.SCALAR_VALUES | st.floats(allow_nan=False, allow_infinity=False) | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(schemas.KEYS), inner, max_size=4),
    max_leaves=12,
)


def promising(schema: Any, definitions: dict[str, Any]) -> Any:
    """Return the tool as the runtime reads it, or None if the compiler derives no output schema for it."""
    answer = {"200": {"description": "ok", "content": {"application/json": {"schema": schema}}}}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "paths": {"/p": {"get": {"operationId": "get_p", "responses": answer}}},
        "components": {"schemas": definitions},
    }
    try:
        catalog = compile_source(Fetched("f", json.dumps(document).encode()), Options(structured=True)).catalog
    except FatalError:
        return None
    [tool] = json.loads(tools_json(catalog))
    [binding] = json.loads(bindings_json(catalog, b"", {}))["bindings"]
    found = tool.get("outputSchema")
    return Tool("get_p", tool["inputSchema"], binding, output_schema=found) if found is not None else None


def structured(tool: Tool, answer: bytes) -> Any:
    response = Response(200, "", [("Content-Type", "application/json")], answer)
    result = interpret(response, Sent(tool, "GET", "/p", [], "x://1"), Redactor([]))
    kept = OutputChecker().keep(tool, result)
    assert not kept.is_error
    return kept.structured


@given(
    schemas.GARBAGE | schemas.VALID,
    st.fixed_dictionaries(dict.fromkeys(schemas.NAMES, schemas.GARBAGE | schemas.VALID)),
    JSON.map(lambda value: json.dumps(value).encode()) | st.binary(max_size=20),
)
def test_whatever_comes_back_keeps_what_was_promised(
    schema: Any, definitions: dict[str, Schema], answer: bytes
) -> None:
    tool = promising(schema, definitions)
    assume(tool is not None)
    assert jsonschema_rs.is_valid(tool.output_schema, structured(tool, answer))


@given(schemas.VALID, schemas.DEFINITIONS, st.data())
def test_what_the_document_describes_needs_no_mending(
    schema: Schema, definitions: dict[str, Schema], data: st.DataObject
) -> None:
    said = json.dumps([schema, definitions])
    # Schemas with both properties and alternatives are left out. Their output schema has the members of all
    # alternatives, so that a value may fit one alternative and violate a member's schema of another.
    assume('"properties"' not in said or ('"anyOf"' not in said and '"oneOf"' not in said))
    answer = schemas.instance(data.draw, schema, definitions)
    whole = {"$ref": "#/root", "root": schema, "components": {"schemas": definitions}}
    assume(jsonschema_rs.Draft202012Validator(whole, offline=True).is_valid(answer))
    tool = promising(schema, definitions)
    assume(tool is not None)
    assert "_unexpected" not in structured(tool, json.dumps(answer).encode())
