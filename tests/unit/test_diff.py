"""What changed between two catalogs, in the words of who uses the tools."""

from __future__ import annotations

import json

import pytest

from mcpgen.diff import Change, Difference, compare
from mcpgen.fetch import Fetched
from mcpgen.jsonvalue import JsonObject, JsonValue
from mcpgen.model import Catalog
from mcpgen.options import Options
from mcpgen.pipeline import compile_source


def catalog(**operations: JsonValue) -> Catalog:
    paths: JsonObject = {f"/{name}": {"get": operation} for name, operation in operations.items()}
    document: JsonObject = {"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": paths}
    return compile_source(Fetched("f", json.dumps(document).encode()), Options()).catalog


def query(name: str, **more: JsonValue) -> JsonObject:
    return {"name": name, "in": "query", "schema": {"type": "string"}, **more}


OLD: JsonObject = {"summary": "Get the thing", "parameters": [query("x"), query("y")]}


def test_nothing_changed() -> None:
    assert not compare(catalog(a=OLD), catalog(a=OLD))


def test_tools_added_and_removed() -> None:
    assert compare(catalog(a=OLD, b=OLD), catalog(a=OLD, c=OLD)) == Difference(("get_c",), ("get_b",), ())


@pytest.mark.parametrize(
    ("new", "what"),
    [
        ({**OLD, "parameters": [query("x")]}, ("argument y removed",)),
        ({**OLD, "parameters": [query("x"), query("y"), query("z")]}, ("argument z added",)),
        ({**OLD, "parameters": [query("x"), query("y", schema={"type": "integer"})]}, ("argument y changed",)),
        ({**OLD, "parameters": [query("x"), query("y", required=True)]}, ("required arguments changed",)),
        ({**OLD, "description": "Quite another text."}, ("description changed",)),
        ({**OLD, "x-mcp": {"annotations": {"readOnlyHint": False}}}, ("annotations changed",)),
        ({**OLD, "parameters": [query("x"), query("y", explode=False)]}, ("request changed",)),
    ],
)
def test_what_changed_in_a_tool(new: JsonObject, what: tuple[str, ...]) -> None:
    assert compare(catalog(a=OLD), catalog(a=new)) == Difference((), (), (Change("get_a", what),))
