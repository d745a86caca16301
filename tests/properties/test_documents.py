"""Test the compiler with random documents: bytes, values of any type at any place, any text, any order of keys."""

from __future__ import annotations

import contextlib
import json
import random
from typing import Any

import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from mcpgen.base.errors import FatalError
from mcpgen.base.jsonvalue import JsonValue
from mcpgen.lock.lockfile import NAME
from mcpgen.model.options import Options
from mcpgen.pipeline import Compiled, compile_source
from mcpgen.read.fetch import Fetched
from tests.hostile.documents import everywhere, tools_file
from tests.hostile.emitted import assert_reproducible, assert_sound
from tests.properties.schemas import DEFINITIONS, GARBAGE, VALID

MINIMAL = b"openapi: 3.1.0\npaths: {/a: {get: {}}}\n"


def compiled(data: bytes, name: str = "f") -> Compiled | None:
    """Compile `data`, and return the result, or None after FatalError. Any other exception fails the test."""
    with contextlib.suppress(FatalError):
        return compile_source(Fetched(name, data), Options())
    return None


# -- Random bytes -----------------------------------------------------------------------------------------------------

SYNTAX = st.text("{}[]:,-&*!|>'\"#%@?<~\\/ab01.\n\t ", max_size=40)


@given(st.binary(max_size=100) | SYNTAX.map(str.encode))
@example(b"&a &b c")
@example(b'{"openapi": "3.1.0", "paths": ' + b'{"/a": ' * 150 + b"1" + b"}" * 150 + b"}")
def test_any_bytes_compile_or_cannot_go_on(data: bytes) -> None:
    compiled(data)


@given(st.integers(0, len(MINIMAL)), st.binary(max_size=8) | SYNTAX.map(str.encode), st.integers(0, 8))
def test_a_document_that_is_damaged_anywhere_compiles_or_cannot_go_on(at: int, put: bytes, drop: int) -> None:
    result = compiled(MINIMAL[:at] + put + MINIMAL[at + drop :])
    if result is not None:
        assert_sound(result)


# -- Values of any type at any place ----------------------------------------------------------------------------------

FIELDS = [
    "openapi", "info", "title", "version", "servers", "url", "variables", "default", "enum", "paths", "/a", "/a/{x}",
    "/b?q=1", "get", "post", "patch", "trace", "parameters", "name", "in", "required", "style", "explode", "schema",
    "allowReserved", "content", "application/json", "multipart/form-data", "application/x-www-form-urlencoded", "*/*",
    "text/plain", "encoding", "contentType", "requestBody", "responses", "200", "204", "operationId", "summary", "tags",
    "description", "deprecated", "security", "components", "schemas", "securitySchemes", "type", "scheme", "$ref",
    "x-mcp", "annotations", "headers", "properties", "items",
]  # fmt: skip
VALUES = [
    "query", "path", "header", "cookie", "form", "deepObject", "simple", "object", "string", "array", "apiKey", "http",
    "bearer", "https://api.example.com/{x}", "#/components/schemas/s", "#/paths/~1a", "#", "x", "", "3.1.0", "2XX",
]  # fmt: skip
SHAPES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 3) | st.sampled_from(VALUES) | st.text(st.characters(), max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=5),
    max_leaves=30,
)
OPERATION = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(("parameters", "requestBody", "responses", "security", "servers"), SHAPES),
        **dict.fromkeys(("operationId", "x-mcp"), SHAPES),
        "summary": SHAPES | st.text(max_size=10),
        "deprecated": st.booleans() | SHAPES,
    },
)  # fmt: skip
ITEM = st.fixed_dictionaries({}, optional={"get": OPERATION, "post": OPERATION, "parameters": SHAPES, "$ref": SHAPES})
DOCUMENTS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "openapi": st.sampled_from(["3.0.3", "3.1.0"]),
        "paths": st.dictionaries(st.sampled_from(["/a", "/b/{x}", "/c"]), ITEM),
    },
    optional={
        "info": SHAPES | st.fixed_dictionaries({"title": st.text(max_size=8)}),
        **dict.fromkeys(("servers", "security", "tags"), SHAPES),
        "components": SHAPES | st.fixed_dictionaries({}, optional={"schemas": SHAPES, "securitySchemes": SHAPES}),
    },
)
TOOL = st.fixed_dictionaries(
    {
        "name": st.sampled_from(["a", "b", "A"]) | SHAPES,
        "request": st.sampled_from(["GET /a", "POST /{x}"]) | SHAPES,
    },
    optional=dict.fromkeys(("parameters", "body", "title", "description"), SHAPES),
)
TOOLS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {"mcpgen": st.just(1)},
    optional={
        **dict.fromkeys(("server", "base_url", "security", "components", "serve"), SHAPES),
        "tools": SHAPES | st.lists(TOOL, max_size=3),
    },
)


@given(DOCUMENTS | TOOLS)
def test_any_values_in_any_place_compile_or_cannot_go_on(document: dict[str, Any]) -> None:
    result = compiled(json.dumps(document).encode())
    if result is not None:
        assert_sound(result)


@given(SHAPES, st.sampled_from(["openapi", "mcpgen", "swagger", "other"]))
def test_any_value_as_a_document_compiles_or_cannot_go_on(value: Any, key: str) -> None:
    compiled(json.dumps({**value, key: value.get(key, 1)} if isinstance(value, dict) else value).encode())


# -- Random texts -----------------------------------------------------------------------------------------------------


@given(st.text(st.characters(), max_size=40) | st.text("\"'`\\<>{}$#|\n\r\u2028\u202e\x00\x1b%;:/. ", max_size=40))
def test_any_text_in_every_place_is_data(text: str) -> None:
    result = compiled(json.dumps(everywhere(text)).encode())
    assert result is not None
    assert_sound(result)
    assert_reproducible(result)


@given(st.text(st.characters(), max_size=40))
def test_any_text_in_every_place_of_a_tools_file_is_data(text: str) -> None:
    result = compiled(json.dumps(tools_file(text)).encode())
    assert result is not None
    assert_sound(result)


# -- Keys in any order ------------------------------------------------------------------------------------------------


def shuffled(value: JsonValue, chance: random.Random) -> JsonValue:
    if isinstance(value, dict):
        keys = list(value)
        chance.shuffle(keys)
        return {key: shuffled(value[key], chance) for key in keys}
    return [shuffled(item, chance) for item in value] if isinstance(value, list) else value


@given(DOCUMENTS | TOOLS, st.randoms(use_true_random=False))
def test_the_order_of_keys_changes_nothing(document: dict[str, Any], chance: random.Random) -> None:
    one, other = (compiled(json.dumps(value).encode()) for value in (document, shuffled(document, chance)))
    assert (one is None) == (other is None)
    if one is not None and other is not None:
        assert {path for path in one.tree if one.tree[path] != other.tree[path]} <= {NAME}


@given(VALID | GARBAGE, DEFINITIONS, st.randoms(use_true_random=False))
def test_the_order_of_keys_in_schemas_changes_nothing(
    schema: Any, definitions: dict[str, Any], chance: random.Random
) -> None:
    operation = {"requestBody": {"content": {"application/json": {"schema": schema}}}}
    document: Any = {"openapi": "3.1.0", "paths": {"/a": {"post": operation}}, "components": {"schemas": definitions}}
    one, other = (compiled(json.dumps(value).encode()) for value in (document, shuffled(document, chance)))
    assert (one is None) == (other is None)
    if one is not None and other is not None:
        assert {path for path in one.tree if one.tree[path] != other.tree[path]} <= {NAME}


@given(DOCUMENTS)
def test_json_and_yaml_of_one_document_are_one_server(document: dict[str, Any]) -> None:
    written = json.dumps(document)
    if "\\u" in written:
        return
    one = compiled(written.encode())
    other = compiled(yaml.dump(document, Dumper=yaml.SafeDumper).encode())
    assert (one is None) == (other is None)
    if one is not None and other is not None:
        assert {path for path in one.tree if one.tree[path] != other.tree[path]} <= {NAME}
