"""Generate a document shaped like Elasticsearch's: a query language of recursive schemas, used in hundreds of bodies.

Every clause of a query contains queries, every aggregation contains aggregations, and most operations have a body with
both. On this document, a compiler that expands schemas again for each tool spends most of its time on the expansion.
"""

from __future__ import annotations

import json
from typing import Any

OPERATIONS, CLAUSES, AGGREGATIONS, SETTINGS = 450, 55, 75, 30
_WORDS = "The meaning of this member is told in a sentence or two, as the writers of such documents do it. "
_LANGUAGES = 2
"""Number of groups of recursive schemas. Elasticsearch's document has such groups for queries, mappings and
pipelines.
"""

_ANSWERED = 54
"""Number of members of a response, chosen so that an operation has about as many bytes as one of Elasticsearch's."""

Schema = dict[str, Any]


def document(operations: int = OPERATIONS, *, every: int = 1) -> str:
    """Return a document of this many operations as JSON.

    The body of each operation whose number is a multiple of `every` also has search queries and aggregations.
    """
    schemas: dict[str, Schema] = {}
    for group in range(_LANGUAGES):
        schemas |= _query_language(f"g{group}.")
    paths = {
        f"/index-{number}/{{index}}/_act": _operation(number, schemas, number % every == 0)
        for number in range(operations)
    }
    info = {"title": "Deep", "version": "1"}
    return json.dumps({"openapi": "3.0.3", "info": info, "paths": paths, "components": {"schemas": schemas}})


def _operation(number: int, schemas: dict[str, Schema], searches: bool) -> Schema:
    """Return a path item with a body of settings. If `searches`, the body also has queries and aggregations."""
    group = f"g{number % _LANGUAGES}."
    body = f"_body{number}"
    settings = {f"setting_{place}": _reference(f"{group}Setting{(number + place) % SETTINGS}") for place in range(12)}
    schemas[body] = _object({**(_search(group) if searches else {}), **settings})
    answer = f"_answer{number}"
    schemas[answer] = _object({f"member_{place}": _answered(group, place) for place in range(_ANSWERED)})
    operation = {
        "operationId": f"act_{number}",
        "summary": f"Act on the index in the way {number}",
        "parameters": [{"name": "index", "in": "path", "required": True, "schema": {"type": "string"}}],
        "requestBody": {"required": True, "content": {"application/json": {"schema": _reference(body)}}},
        "responses": {
            "200": {"description": "What was done.", "content": {"application/json": {"schema": _reference(answer)}}}
        },
    }
    return {"post": operation}


def _search(group: str) -> dict[str, Schema]:
    """Return the properties of a request body with queries and aggregations."""
    return {
        "query": _reference(f"{group}Query"),
        "aggregations": _map(_reference(f"{group}Aggregation")),
        "post_filter": _reference(f"{group}Query"),
        "rescore": {"oneOf": [_reference(f"{group}Rescore"), _list(_reference(f"{group}Rescore"))]},
    }


def _answered(group: str, place: int) -> Schema:
    """Return the schema of a property of a response: a reference, a reference with a description, or a string."""
    reference = _reference(f"{group}Setting{place % SETTINGS}")
    return (reference, {"allOf": [reference], "description": _WORDS}, {"type": "string", "description": _WORDS})[
        place % 3
    ]


def _query_language(group: str) -> dict[str, Schema]:
    """Return schemas of queries and aggregations, and of settings in them. Their names begin with `group`."""
    clauses = {f"clause_{number}": _reference(f"{group}Clause{number}") for number in range(CLAUSES)}
    kinds = {f"kind_{number}": _reference(f"{group}Kind{number}") for number in range(AGGREGATIONS)}
    schemas = {
        f"{group}Base": _object({"boost": {"type": "number"}, "_name": {"type": "string"}}),
        f"{group}Query": _object(clauses, minProperties=1, maxProperties=1),
        f"{group}Queries": {"oneOf": [_reference(f"{group}Query"), _list(_reference(f"{group}Query"))]},
        f"{group}Aggregation": {
            "allOf": [
                _object({"aggregations": _map(_reference(f"{group}Aggregation")), "meta": _map({})}),
                _object(kinds, minProperties=1, maxProperties=1),
            ]
        },
        f"{group}Rescore": _object({"query": _reference(f"{group}Query"), "window_size": {"type": "integer"}}),
    }
    schemas |= {f"{group}Clause{number}": _clause(group, number) for number in range(CLAUSES)}
    schemas |= {f"{group}Kind{number}": _kind(group, number) for number in range(AGGREGATIONS)}
    return schemas | {f"{group}Setting{number}": _setting(group, number) for number in range(SETTINGS)}


def _clause(group: str, number: int) -> Schema:
    """Return the schema of a query clause, with properties for queries, for a field, and for options.

    A field is a string, or an object of a schema `Setting`.
    """
    held = (_reference(f"{group}Query"), _reference(f"{group}Queries"), _map(_reference(f"{group}Query")))[number % 3]
    own = _object(
        {
            "filter": held,
            "field": {"oneOf": [{"type": "string"}, _reference(f"{group}Setting{number % SETTINGS}")]},
            **{f"option_{place}": {"type": "string", "description": _WORDS} for place in range(6)},
        }
    )
    return {"allOf": [_reference(f"{group}Base"), own]}


def _kind(group: str, number: int) -> Schema:
    """Return the schema of one kind of aggregation, with properties for a filter, a format, an order, and options."""
    own = _object(
        {
            "filter": _reference(f"{group}Query"),
            "format": {"anyOf": [{"type": "string"}, _reference(f"{group}Setting{number % SETTINGS}")]},
            "order": {"oneOf": [_map({"type": "string"}), _list(_map({"type": "string"}))]},
            **{f"option_{place}": {"type": "integer", "description": _WORDS} for place in range(5)},
        }
    )
    return {"allOf": [_reference(f"{group}Base"), own]}


def _setting(group: str, number: int) -> Schema:
    """Return the schema of a setting, which refers to two other settings."""
    following = [_reference(f"{group}Setting{(number * step + 1) % SETTINGS}") for step in (2, 3)]
    return _object(
        {
            "kind": {"type": "string", "enum": [f"a{number}", f"b{number}"], "description": _WORDS},
            "then": {"oneOf": following},
            "otherwise": _list(following[0]),
            "limits": _object({"low": {"type": "integer"}, "high": {"type": "integer"}}),
        }
    )


def _object(properties: dict[str, Schema], **bounds: int) -> Schema:
    return {"type": "object", "properties": properties, **bounds}


def _map(schema: Schema) -> Schema:
    return {"type": "object", "additionalProperties": schema}


def _list(schema: Schema) -> Schema:
    return {"type": "array", "items": schema}


def _reference(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}
