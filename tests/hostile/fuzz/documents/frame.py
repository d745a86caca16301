"""Build a document around hostile schemas: use them as bodies, responses and parameters of a few operations."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from tests.hostile.fuzz.pumps import PUMPS

Schema = dict[str, Any]
VERSIONS = ("2.0", "3.0.3", "3.1.0", "3.1.0", "3.2.0")
KEYWORDS = ("anyOf", "oneOf", "allOf", "properties", "items", "additionalProperties", "prefixItems", "not", "$ref")
TYPES = ("string", "integer", "number", "boolean", "null", "object", "array")
PATTERNS = ("^a*$", "(a+)+$", "^(?:[a-z]{1,60}){1,60}$", "\\p{L}{50}", "(?=a)", "a" * 300, "(" * 40 + ")" * 40, "[", "")


def api(chance: Random, schemas: dict[str, Schema], **more: Any) -> dict[str, Any]:
    """Return a document that uses the first schema, and every fifth one, as a body, a response and a parameter."""
    version = chance.choice(VERSIONS)
    names = list(schemas)[:: max(1, len(schemas) // 5)][:5]
    paths = {f"/p{number}": operation(chance, version, name) for number, name in enumerate(names)}
    frame: dict[str, Any] = {"info": {"title": "t", "version": "1"}, "paths": {**paths, "/well": {"get": well()}}}
    if version == "2.0":
        definitions = json.loads(json.dumps(schemas).replace("#/components/schemas/", "#/definitions/"))
        return {"swagger": "2.0", **frame, "definitions": definitions, **more}
    return {"openapi": version, **frame, "components": {"schemas": schemas}, **more}


def well() -> dict[str, Any]:
    """Return a valid operation."""
    return {"operationId": "getWell", "summary": "Get what is well", "responses": {"200": {"description": "Good"}}}


def operation(chance: Random, version: str, name: str) -> dict[str, Any]:
    method = chance.choice(("post", "put", "patch"))
    if version == "2.0":
        schema = {"$ref": f"#/definitions/{name}"}
        body: dict[str, Any] = {"parameters": [{"name": "body", "in": "body", "schema": schema}]}
        return {method: {**body, "responses": {"200": {"description": "x", "schema": schema}}}}
    schema = ref(name)
    media = chance.choice(("application/json", "application/json", "multipart/form-data", "application/xml", "*/*"))
    media = chance.choice((media, media, "application/x-www-form-urlencoded", "application/merge-patch+json"))
    answer = {"200": {"description": "x", "content": {"application/json": {"schema": schema}}}}
    parameter = {"name": "q", "in": "query", "schema": schema, "style": chance.choice(("form", "deepObject"))}
    inputs = {"requestBody": {"content": {media: {"schema": schema}}}, "parameters": [parameter]}
    return {method: {**inputs, "responses": answer}}


def ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def within(keyword: str, schemas: list[Schema]) -> Schema:
    """Return one schema that contains the given schemas under this keyword."""
    if keyword in ("anyOf", "oneOf", "allOf", "prefixItems"):
        return {keyword: schemas}
    if keyword == "properties":
        return {"type": "object", "properties": {f"p{number}": each for number, each in enumerate(schemas)}}
    if keyword == "$ref":
        return schemas[0] if "$ref" in schemas[0] else {"allOf": schemas[:1]}
    one = schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
    return {"type": "array", "items": one} if keyword == "items" else {keyword: one}


def leaf(chance: Random) -> Schema:
    """Return a random schema without subschemas."""
    kind = chance.choice(TYPES)
    made: Schema = {"type": chance.choice((kind, [kind, "null"], TYPES, kind))}
    extra = chance.randrange(8)
    if extra == 0:
        made["enum"] = [chance.choice((number, f"v{number}", None, {"a": number})) for number in range(5)]
    elif extra == 1:
        made["const"] = chance.choice(("a", 1, None, [1], {"a": {"b": 1}}))
    elif extra == 2:
        made |= {"pattern": chance.choice(PATTERNS), "minLength": 1, "maxLength": chance.choice((1, 10**9))}
    elif extra == 3:
        made |= {"minimum": chance.choice((0, -1e300, 10**30)), "multipleOf": 1e-9, "format": "int32"}
    elif extra == 4:
        made |= {"description": chance.choice(PUMPS) * 200, "title": "x", "default": chance.choice(("x", 1, {}, []))}
    elif extra == 5:
        made |= {"readOnly": True, "nullable": True, "deprecated": True}
    elif extra == 6:
        made = chance.choice(({}, made, {"not": {}}, {"type": "object"}, {"type": "array"}))
    return made
