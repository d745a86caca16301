"""Test the fingerprint of an operation. It covers the method, the path without a prefix such as `/api/v1`, and of each
argument the name, the type and whether it is required. It does not cover descriptions.
"""

from __future__ import annotations

import pytest

from mcpgen.base.jsonvalue import JsonObject
from mcpgen.lock.fingerprint import shape

TEXT: JsonObject = {"type": "string"}
ONE: JsonObject = {"type": "object", "properties": {"id": TEXT}, "required": ["id"]}


@pytest.mark.parametrize("request_", ["GET /v2/pets/{id}", "GET /api/v1/pets/{key}", "GET /pets/{}"])
def test_a_prefix_and_the_names_in_a_path_do_not_count(request_: str) -> None:
    assert shape(request_, ONE) == shape("GET /v1/pets/{id}", ONE)


@pytest.mark.parametrize("text", [{"description": "Its id."}, {"default": "a"}, {"enum": ["a", "b"]}])
def test_what_is_said_of_an_argument_does_not_count(text: JsonObject) -> None:
    said: JsonObject = {**ONE, "properties": {"id": {**TEXT, **text}}}
    assert shape("GET /pets/{id}", said) == shape("GET /pets/{id}", ONE)


@pytest.mark.parametrize(
    ("request_", "schema"),
    [
        ("PUT /pets/{id}", ONE),
        ("GET /dogs/{id}", ONE),
        ("GET /pets/{id}", {**ONE, "properties": {"id": {"type": "integer"}}}),
        ("GET /pets/{id}", {**ONE, "properties": {"id": TEXT, "name": TEXT}}),
        ("GET /pets/{id}", {**ONE, "required": []}),
    ],
    ids=["method", "path", "type", "one more", "no longer required"],
)
def test_method_path_and_arguments_count(request_: str, schema: JsonObject) -> None:
    assert shape(request_, schema) != shape("GET /pets/{id}", ONE)


def test_a_path_that_is_nothing_but_a_prefix_is_no_mark() -> None:
    assert shape("GET /api/v1", ONE) == ""
