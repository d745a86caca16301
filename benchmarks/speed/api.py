"""Define the measured API: a document of 20 operations, the bodies of its responses, and the calls.

Every compiler and library keeps these operation ids as names of tools. Bodies are compact JSON in ASCII, so that
results can be compared byte for byte.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

KEY = "bench-key"
ITEM = {
    "type": "object",
    "properties": {
        "number": {"type": "integer"},
        "name": {"type": "string"},
        "price": {"type": "number"},
        "open": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
}
ANSWER = {"type": "object", "properties": {"page": {"type": "integer"}, "items": {"type": "array", "items": ITEM}}}
SIZES = {"small": 200, "medium": 10_000, "large": 1_000_000}
"""Name of a size → bytes of the response body of `get_NAME`."""
WIDE = 30
"""Number of arguments of `get_wide`."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call of one tool: its arguments, its request, and the body of the response."""

    tool: str
    arguments: Mapping[str, object]
    target: str
    body: bytes


def bodies() -> dict[str, bytes]:
    """Return a mapping from the first segment of a path to its response body."""
    return {name: _body(size) for name, size in SIZES.items()} | {"wide": _body(SIZES["small"])}


def calls() -> dict[str, Call]:
    """Return one call for each size of body, and one with many arguments."""
    found = {
        name: Call(f"get_{name}", {"number": 7}, f"/{name}/7", content)
        for name, content in bodies().items()
        if name in SIZES
    }
    wide = {name: _example(schema) for name, schema in _wide().items()}
    query = "&".join(f"{name}={str(value).lower()}" for name, value in wide.items() if name != "number")
    return found | {"wide": Call("get_wide", wide, f"/wide/{wide['number']}?{query}", bodies()["wide"])}


def document() -> dict[str, Any]:
    """Return an OpenAPI 3.1 document with 20 operations, schemas for all responses, and one API key."""
    paths = {f"/{name}/{{number}}": {"get": _get(f"get_{name}", f"Get a {name} page")} for name in SIZES}
    paths["/wide/{number}"] = {"get": _get("get_wide", "Search with many conditions", _wide())}
    for thing in ("order", "customer", "product", "invoice"):
        paths |= _resource(thing)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Bench", "version": "1.0.0"},
        "servers": [{"url": "http://127.0.0.1:9"}],
        "security": [{"apiKey": []}],
        "paths": paths,
        "components": {"securitySchemes": {"apiKey": {"type": "apiKey", "in": "header", "name": "X-API-Key"}}},
    }


def _body(size: int) -> bytes:
    """Return compact JSON of exactly `size` bytes. Padding in the last item's name fills up the size."""
    page: dict[str, Any] = {"page": 7, "items": []}
    each = len(_compact({**page, "items": [_item(0), _item(0)]})) - len(_compact({**page, "items": [_item(0)]}))
    page["items"] = [_item(number) for number in range(max(1, size // each - 1))]
    page["items"][-1]["name"] += "x" * (size - len(_compact(page)))
    return _compact(page)


def _item(number: int) -> dict[str, Any]:
    return {"number": 10_000 + number, "name": 'a "thing"', "price": 12.5, "open": True, "tags": ["new", "in stock"]}


def _compact(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def _wide() -> dict[str, dict[str, Any]]:
    """Return the schemas of the arguments of `get_wide`, with five kinds of schema in turn."""
    kinds: tuple[dict[str, Any], ...] = (
        {"type": "integer", "minimum": 1, "maximum": 1000},
        {"type": "string", "minLength": 1, "maxLength": 40},
        {"type": "string", "enum": ["new", "used", "broken"]},
        {"type": "number", "minimum": 0},
        {"type": "boolean"},
    )
    return {"number": kinds[0]} | {f"condition_{each}": kinds[each % len(kinds)] for each in range(1, WIDE)}


def _example(schema: Mapping[str, Any]) -> object:
    if "enum" in schema:
        return schema["enum"][1]
    return {"integer": 7, "string": "plain", "number": 2.5, "boolean": True}[schema["type"]]


def _get(name: str, summary: str, arguments: Mapping[str, dict[str, Any]] | None = None) -> dict[str, Any]:
    given = arguments or {"number": {"type": "integer", "minimum": 1}}
    parameters = [
        {"name": each, "in": "path" if each == "number" else "query", "required": each == "number", "schema": schema}
        for each, schema in given.items()
    ]
    return {"operationId": name, "summary": summary, "parameters": parameters, "responses": _ok(ANSWER)}


def _resource(thing: str) -> dict[str, Any]:
    """Return four operations on one kind of resource."""
    one = {"name": "number", "in": "path", "required": True, "schema": {"type": "integer", "minimum": 1}}
    page = {"name": "page", "in": "query", "description": "Which page.", "schema": {"type": "integer", "default": 1}}
    body = {"required": True, "content": {"application/json": {"schema": ITEM}}}

    def operation(verb: str, *parameters: dict[str, Any], **more: Any) -> dict[str, Any]:
        known = {"operationId": f"{verb}_{thing}", "summary": f"{verb.capitalize()} a {thing}"}
        return {**known, "parameters": list(parameters), "responses": _ok(ITEM), **more}

    return {
        f"/{thing}s": {
            "get": operation("list", page, responses=_ok(ANSWER)),
            "post": operation("create", requestBody=body),
        },
        f"/{thing}s/{{number}}": {
            "get": operation("get", one),
            "delete": operation("delete", one, responses={"204": {"description": "gone"}}),
        },
    }


def _ok(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"200": {"description": "ok", "content": {"application/json": {"schema": schema}}}}
