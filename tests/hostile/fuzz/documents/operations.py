"""Generate hostile documents: with very many operations, with one operation that has very many inputs, or with long
paths.
"""

from __future__ import annotations

from random import Random
from typing import Any

from tests.hostile.fuzz.documents.frame import VERSIONS, Schema, api, leaf, ref, well, within


def operations(chance: Random, size: int) -> Any:
    """Return a document with very many operations.

    Some are nearly the same, and each has random parameters and bodies.
    """
    shared = chance.choice(("getThing", "get_a_b", "", None))
    schemas = {
        "S": within("anyOf", [ref("S"), leaf(chance), ref("S")]),
        "T": {"type": "object", "properties": {"t": ref("S")}},
    }
    made = api(chance, schemas)
    place = "#/definitions/" if "swagger" in made else "#/components/schemas/"
    extra = chance.randrange(8)
    for number in range(size):
        path = chance.choice((f"/r{number}/{{id}}", f"/a/{{id{number}}}", f"/a/b/c{number}", f"/things{number}"))
        one: dict[str, Any] = {"responses": {"200": {"description": "x"}}}
        if shared is not None:
            one["operationId"] = shared if extra == 0 else f"{shared}{number}"
        if extra == 1:
            one["servers"] = [{"url": f"https://s{number}.example.com"}]
        elif extra == 2:
            one["tags"] = [f"t{number}", "all"]
        elif extra == 3:
            one["description"] = f"One sentence that all of these have in common. And {number} of its own here."
        elif extra == 4:
            one["parameters"] = [{"name": f"q{number}", "in": "query", "schema": {"$ref": f"{place}T"}}]
        elif extra == 5:
            one["security"] = [{f"k{number}": []}]
        elif extra == 6:
            one["x-mcp"] = {"name": f"tool_{number % 7}"}
        made["paths"].setdefault(path, {})[chance.choice(("get", "put", "delete"))] = one
    return made


def inputs(chance: Random, size: int) -> Any:
    """Return a document with one operation that has very many parameters or body members of one kind."""
    many = range(size)
    schema: Schema = {"type": "string"}
    one: dict[str, Any] = well()
    made: dict[str, Any] = {
        "openapi": chance.choice(VERSIONS[1:]),
        "info": {"title": "t", "version": "1"},
        "paths": {"/a": {"post": one}},
    }
    kind = chance.randrange(12)
    if kind in (0, 1):
        place = chance.choice(("query", "header", "cookie", "path"))
        same = "q" if kind else None
        one["parameters"] = [{"name": same or f"q{number}", "in": place, "schema": schema} for number in many]
    elif kind == 2:
        one["requestBody"] = {"content": {f"application/x{number}+json": {"schema": schema} for number in many}}
    elif kind == 3:
        one["responses"] = {f"{200 + number}": {"description": "x" * 50} for number in many}
    elif kind == 4:
        properties = {f"f{number}": {"type": "string", "format": "binary"} for number in many}
        encoding = {name: {"contentType": "a/b", "headers": {"X-A": {"schema": schema}}} for name in properties}
        media = {"schema": {"type": "object", "properties": properties}, "encoding": encoding}
        one["requestBody"] = {"content": {"multipart/form-data": media}}
    elif kind == 5:
        one["tags"] = [f"t{number}" for number in many]
        made["tags"] = [{"name": f"t{number}", "description": "x"} for number in many]
    elif kind == 6:
        variables = {f"v{number}": {"default": "a", "enum": ["a", "b"]} for number in many}
        made["servers"] = [
            {"url": "https://a.example/" + "".join(f"{{{name}}}" for name in variables), "variables": variables}
        ]
    elif kind == 7:
        made["servers"] = [
            {"url": f"https://s{number}.example.com/{{v}}", "variables": {"v": {"default": "a"}}} for number in many
        ]
    elif kind == 8:
        one["security"] = [{f"k{number}": ["s"]} for number in many]
        schemes = {f"k{number}": {"type": "apiKey", "in": "header", "name": f"X-{number}"} for number in many}
        made["components"] = {"securitySchemes": schemes}
    elif kind == 9:
        one["callbacks"] = {f"c{number}": {"{$request.body#/url}": {"post": well()}} for number in many}
        links = {f"l{number}": {"operationId": "getWell", "parameters": {"a": "$response.body#/a"}} for number in many}
        one["responses"]["200"]["links"] = links
    elif kind == 10:
        one["parameters"] = [{"$ref": f"#/components/parameters/P{number}"} for number in many]
        made["components"] = {
            "parameters": {f"P{number}": {"$ref": f"#/components/parameters/P{number + 1}"} for number in many}
        }
    else:
        examples = {f"e{number}": {"value": {"a": number}} for number in many}
        one["requestBody"] = {"content": {"application/json": {"schema": {}, "examples": examples}}}
        one["externalDocs"] = {"url": "https://a.example", "description": "x" * size}
    return made


def templates(chance: Random, size: int) -> Any:
    """Return a document of long paths, each with very many copies or numbered variants of one part, such as `/{a}`."""
    part = chance.choice(
        ("/a", "/{a}", "/v1", "{a}", "/aB", "/{a}{b}", "/:x", "//", "/%20", "/a.json", "/{", "/}", "{" * 3)
    )
    paths: dict[str, Any] = {}
    length = max(1, min(size, chance.choice((100, 3000, 20_000))))
    for number in range(max(1, min(50, size // length))):
        counted = (part.replace("a", f"a{turn}") if chance.random() < 0.5 else part for turn in range(length))
        path = f"/t{number}" + "".join(counted)
        one = {**well(), "operationId": chance.choice((path, "get" + path.replace("/", "_"), f"get{number}"))}
        paths[path] = {chance.choice(("get", "delete", "post")): one}
    return {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": {**paths, "/well": {"get": well()}}}
