"""Families of hostile texts: descriptions, names, patterns and YAML that make regular expressions backtrack."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.hostile.fuzz.documents.frame import PATTERNS, VERSIONS, api, well
from tests.hostile.fuzz.pumps import PUMPS, pumped


def texts(chance: Random, size: int) -> Any:
    """Return a document that has texts which are slow to process, at every place for a text."""
    said = [pumped(chance, min(size * 2, 40_000)) for _ in range(chance.choice((1, 2, 4)))]

    def some() -> str:
        return chance.choice(said)

    schema = {
        "type": "object",
        "title": some(),
        "description": some(),
        "properties": {"a": {"type": "string", "description": some()}},
    }
    name = chance.choice(("q", some()[:300]))
    parameter = {
        "name": name,
        "in": "query",
        "description": some(),
        "schema": {"type": "string", "enum": [some(), "x"]},
    }
    one = {
        **well(),
        "operationId": some(),
        "summary": some(),
        "description": some(),
        "tags": [some()],
        "parameters": [parameter],
        "requestBody": {"description": some(), "content": {"application/json": {"schema": schema}}},
        "responses": {"200": {"description": some(), "content": {some()[:200]: {"schema": schema}}}},
        "externalDocs": {"url": some()},
    }
    servers = [
        {"url": "https://a.example/{v}", "description": some(), "variables": {"v": {"default": some()}}},
        {"url": some()},
    ]
    schemes = {
        "k": {"type": "http", "scheme": "bearer", "description": some()},
        some()[:200]: {"type": "apiKey", "in": "query", "name": some()},
    }
    return {
        "openapi": chance.choice(VERSIONS[1:]),
        "info": {"title": some(), "version": some(), "description": some()},
        "servers": chance.choice((servers, [])),
        "tags": [{"name": some(), "description": some()}],
        "security": [{"k": []}],
        "paths": {
            "/a": {"post": one},
            f"/b{chance.choice(('', some()[:2000]))}": {"get": one},
            "/well": {"get": well()},
        },
        "components": {"securitySchemes": schemes},
    }


def patterns(chance: Random, size: int) -> Any:
    """Return a document with thousands of different values of `pattern`."""
    made = {
        f"p{number}": {"type": "string", "pattern": f"{chance.choice(PATTERNS)}{number}", "default": "a" * 50}
        for number in range(size)
    }
    return api(chance, {"S": {"type": "object", "properties": made, "required": list(made)[:5]}})


def aliased(chance: Random, size: int) -> str:
    """Return YAML whose nodes are anchored and used again by aliases or merges."""
    lines = ["openapi: 3.1.0", "info: {title: t, version: '1'}", "x-parts:"]
    count = max(2, min(size, 3000))
    sign = chance.choice(("items: *s{}", "<<: *s{}", "anyOf: [*s{0}, *s{0}]", "properties: {{a: *s{0}, b: *s{0}}}"))
    lines += ["  s0: &s0 {type: object, properties: {a: {type: string}}}"]
    step = chance.choice((0, 0, 1, 1, 2))  # lines from an alias back to its anchor; 0: always the first anchor
    for number in range(1, count):
        above = 0 if step == 0 else max(0, number - step)
        lines.append(f"  s{number}: &s{number} {{type: object, x: {number}, {sign.format(above)}}}")
    last = chance.choice((count - 1, count // 2, 1))
    body = f"{{content: {{application/json: {{schema: *s{last}}}}}}}"
    answer = f"{{'200': {{description: x, content: {{application/json: {{schema: *s{last}}}}}}}}}"
    lines += ["paths:", f"  /a: {{post: {{requestBody: {body}, responses: {answer}}}}}", "  /b: {get: {}}"]
    return "\n".join(lines)


def written(chance: Random, size: int) -> str:
    """Return YAML with scalars of every style, long ones, and duplicate keys."""
    kinds = ("'{}'", '"{}"', "|\n    {}", ">\n    {}", "[{}]", "{{a: {}}}", "!!str {}", "&a {}", "? {}\n  : b", "{}")
    lines = ["openapi: 3.0.3", "info: {title: t, version: '1'}", "paths: {/a: {get: {}}}"]
    for number in range(max(1, size // 20)):
        unit = chance.choice((*PUMPS[:30], "a ", "- ", "[", "{", "a: ", "\\n", "*a ", "0.", "-"))
        lines.append(f"x-{number % 50}: {chance.choice(kinds).format(unit * chance.randrange(20))}")
    return "\n".join(lines)
