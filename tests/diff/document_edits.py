"""Define a document and independent single edits of it, each with the grade (breaking, additive or cosmetic) and the
rule that mcpgen must report.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, NamedTuple

import yaml

BASE: dict[str, Any] = yaml.safe_load("""
openapi: 3.1.0
info: {title: Shop, version: "1"}
servers: [{url: https://shop.example/v1}]
components:
  securitySchemes:
    key: {type: apiKey, in: header, name: X-Key}
    token:
      type: oauth2
      flows: {clientCredentials: {tokenUrl: https://shop.example/token, scopes: {read: r, write: w}}}
  schemas:
    Part:
      type: object
      properties: {size: {type: integer}, parts: {type: array, items: {$ref: '#/components/schemas/Part'}}}
paths:
  /a/{id}:
    get:
      operationId: readA
      summary: Read an a
      security: [{key: []}]
      parameters:
        - {name: id, in: path, required: true, schema: {type: string}}
        - {name: kind, in: query, schema: {type: string, enum: [old, new]}}
        - {name: code, in: query, schema: {type: string, pattern: '^[a-z]+$'}}
        - {name: limit, in: query, schema: {type: integer, default: 10, maximum: 100}}
        - {name: day, in: query, schema: {type: string, format: date}}
        - {name: sort, in: query, schema: {type: string}}
        - {name: also, in: query, schema: {type: string}}
      responses:
        "200":
          description: Ok.
          content: {application/json: {schema: {type: object, properties: {n: {type: integer}}}}}
  /b:
    post:
      operationId: createB
      summary: Create a b
      security: [{token: [read]}]
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [name]
              properties:
                name: {type: [string, "null"]}
                labels: {type: object, additionalProperties: {type: [string, integer]}}
                shape: {oneOf: [{type: object, required: [r], properties: {r: {type: number}}}, {type: string}]}
                whole:
                  allOf:
                    - {type: object, properties: {p: {type: string}}}
                    - {type: object, properties: {q: {type: string}}}
                part: {$ref: '#/components/schemas/Part'}
      responses: {"201": {description: Done.}}
  /c:
    put:
      operationId: writeC
      summary: Write a c
      security: []
      requestBody: {content: {application/json: {schema: {type: object, properties: {x: {type: string}}}}}}
      responses: {"200": {description: Ok.}}
  /d/one:
    get: {operationId: readD, summary: Read a d, security: [], responses: {"200": {description: Ok.}}}
  /e:
    get: {operationId: readE, summary: Read an e, security: [], responses: {"200": {description: Ok.}}}
""")

Apply = Callable[[dict[str, Any]], None]


class Edit(NamedTuple):
    what: str
    grade: str
    code: str
    back: str
    """The grade of the reverse change."""
    apply: Apply


def at(*path: str | int) -> Callable[[dict[str, Any]], Any]:
    def find(document: dict[str, Any]) -> Any:
        for step in path:
            document = document[step]  # type: ignore[index]
        return document

    return find


A = ("paths", "/a/{id}", "get")
B = ("paths", "/b", "post")
C = ("paths", "/c", "put")
BODY = (*B, "requestBody", "content", "application/json", "schema")
ANSWER = (*A, "responses", "200", "content", "application/json", "schema")
KIND, CODE, LIMIT, DAY, SORT, ALSO = ((*A, "parameters", place) for place in range(1, 7))


def put(path: tuple[str | int, ...], key: str, value: Any) -> Apply:
    """Return an edit that sets `key` of the node at `path`; None removes the key."""

    def apply(document: dict[str, Any]) -> None:
        node = at(*path)(document)
        node.pop(key, None)
        if value is not None:
            node[key] = copy.deepcopy(value)

    return apply


def move(old: str, new: str) -> Apply:
    def apply(document: dict[str, Any]) -> None:
        document["paths"][new] = document["paths"].pop(old)

    return apply


def swap_media_type(document: dict[str, Any]) -> None:
    body = at(*C, "requestBody")(document)
    body["content"] = {"application/x-www-form-urlencoded": body["content"].pop("application/json")}


MEMBERS = (*BODY, "properties")
EDITS = (
    Edit("a value gone", "breaking", "argument-values-gone", "additive", put((*KIND, "schema"), "enum", ["new"])),
    Edit("a pattern gone", "additive", "argument-pattern", "breaking", put((*CODE, "schema"), "pattern", None)),
    Edit("another default", "cosmetic", "argument-default", "cosmetic", put((*LIMIT, "schema"), "default", 20)),
    Edit("a format gone", "additive", "argument-format", "breaking", put((*DAY, "schema"), "format", None)),
    Edit("required", "breaking", "argument-required", "additive", put(SORT, "required", True)),
    Edit("renamed", "breaking", "argument-member-gone", "breaking", put(ALSO, "name", "too")),
    Edit("no null", "breaking", "argument-type-gone", "additive", put((*MEMBERS, "name"), "type", "string")),
    Edit("a map narrowed", "breaking", "argument-type-gone", "additive",
         put((*MEMBERS, "labels"), "additionalProperties", {"type": "string"})),
    Edit("an arm gone", "breaking", "argument-type-gone", "additive",
         put((*MEMBERS, "shape"), "oneOf", [{"type": "string"}])),
    Edit("a part of the whole gone", "breaking", "argument-member-gone", "additive",
         put((*MEMBERS, "whole"), "allOf", [{"type": "object", "properties": {"p": {"type": "string"}}}])),
    Edit("inside recursion", "breaking", "argument-type", "breaking",
         put(("components", "schemas", "Part", "properties"), "size", {"type": "string"})),
    Edit("one more scope", "breaking", "scopes-added", "breaking", put(B, "security", [{"token": ["read", "write"]}])),
    Edit("an alternative of credentials", "additive", "credentials-accepted", "breaking",
         put(A, "security", [{"key": []}, {"token": []}])),
    Edit("another host", "breaking", "origin", "breaking", put((), "servers", [{"url": "https://store.example/v1"}])),
    Edit("another media type", "cosmetic", "request", "cosmetic", swap_media_type),
    Edit("moved", "cosmetic", "tool-moved", "cosmetic", move("/d/one", "/d/two")),
    Edit("another id", "cosmetic", "", "cosmetic", put(C, "operationId", "storeC")),
    Edit("gone", "breaking", "tool-removed", "additive", put(("paths",), "/e", None)),
    Edit("another type in the result", "breaking", "result-type", "breaking",
         put((*ANSWER, "properties"), "n", {"type": "string"})),
)  # fmt: skip


def edited(*edits: Edit) -> dict[str, Any]:
    """Return a copy of BASE with all `edits` applied."""
    document = copy.deepcopy(BASE)
    for edit in edits:
        edit.apply(document)
    return document
