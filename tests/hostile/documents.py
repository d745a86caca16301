"""Build documents and tools files with the same text at every place that section 3.3 of `security.md` names."""

from __future__ import annotations

import json

from mcpgen.base.jsonvalue import JsonObject, JsonValue
from mcpgen.model.options import Options
from mcpgen.pipeline import Compiled, compile_source
from mcpgen.read.fetch import Fetched


def compiled(document: JsonValue, name: str = "openapi.json") -> Compiled:
    return compile_source(Fetched(name, json.dumps(document).encode()), Options())


def everywhere(text: str) -> JsonObject:
    """Return a document with `text` at every place for a text.

    One operation is without it, so that at least one tool remains.
    """
    schema: JsonObject = {
        "type": "object",
        "title": text,
        "description": text,
        "required": [text, "a"],
        "properties": {
            text: {"type": "string", "description": text},
            "a": {"type": "string", "enum": [text, "x"], "default": text, "example": text},
            "b": {"const": text, "x-note": text},
            "c": {"type": "string", "pattern": text, "format": text},
            "d": {"oneOf": [{"$ref": "#/components/schemas/S"}], "discriminator": {"propertyName": text}},
        },
        "externalDocs": {"url": text, "description": text},
        f"x-{text}": text,
    }
    parameters: list[JsonValue] = [
        {"name": text, "in": "query", "description": text, "schema": {"type": "string", "enum": [text, "y"]}},
        {"name": text, "in": "header", "schema": {"type": "string", "default": text}},
        {"name": text, "in": "cookie", "schema": {"const": text}},
        {"name": "example", "in": "query", "example": text, "examples": {text: {"value": text}}, "schema": {}},
    ]
    variable: JsonObject = {"default": "a", "enum": [text], "description": text}
    answer: JsonObject = {"description": text, "content": {"application/json": {"schema": schema}, text: {}}}
    operation: JsonObject = {
        "operationId": text,
        "summary": text,
        "description": text,
        "tags": [text],
        "parameters": parameters,
        "requestBody": {"description": text, "content": {"application/json": {"schema": schema}, text: {"schema": {}}}},
        "responses": {"200": answer, text: answer},
        "x-mcp": {"name": text},
        "externalDocs": {"url": text},
    }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": text, "version": text, "description": text, "termsOfService": text,
            "contact": {"name": text, "url": text, "email": text}, "license": {"name": text, "url": text},
        },
        "servers": [
            {"url": "https://{v}.example.com", "description": text, "variables": {"v": variable}},
            {"url": text},
            {"url": f"http://h/{text}"},
        ],
        "tags": [{"name": text, "description": text}],
        "security": [{text: [text]}],
        "paths": {
            "/a": {"post": operation, "get": {**operation, "operationId": f"get{text}", "requestBody": None}},
            f"/{text}": {"put": operation},
            f"/b/{{{text}}}": {"delete": {**operation, "parameters": []}},
            "/plain": {"get": {"operationId": "plain"}},
        },
        "components": {
            "schemas": {"S": {"type": "object", "properties": {text: {"type": "string"}}}, text: {"type": "string"}},
            "securitySchemes": {text: {"type": "apiKey", "in": "header", "name": "X-Key", "description": text}},
        },
        f"x-{text}": text,
    }  # fmt: skip


def tools_file(text: str) -> JsonObject:
    """Return a tools file with `text` at every place where the text comes from the owner and is trusted."""
    return {
        "mcpgen": 1,
        "server": {"title": text, "instructions": text},
        "base_url": "https://api.example.com",
        "security": {text: {"type": "http", "scheme": "bearer", "description": text}},
        "tools": [
            {
                "name": "one",
                "title": text,
                "description": text,
                "request": "GET /a",
                "parameters": [{"name": text, "in": "query", "description": text, "schema": {"enum": [text, "x"]}}],
            },
            {"name": "two", "request": "POST /b", "body": {"type": "object", "properties": {text: {"default": text}}}},
        ],
    }
