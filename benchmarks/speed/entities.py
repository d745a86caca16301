"""Generate documents shaped like those of Microsoft Graph and Shopware: entities that refer to each other, in most
bodies.

Each entity leads to others, and over them back to itself. In the first shape, entities extend others, and are reached
by thousands of nested paths. In the second, entities are flat, and many of their members have patterns.
"""

from __future__ import annotations

import json
from typing import Any

GRAPH_OPERATIONS, SHOP_OPERATIONS = 11_000, 1_000
_TYPES, _SHOP_TYPES, _COMPLEX = 1_400, 190, 500
_WORDS = "The meaning of this member is told in a sentence or two, as the writers of such documents do it. Read-only."
_TIME = (
    r"^[0-9]{4,}-(0[1-9]|1[012])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
    r"([.][0-9]{1,12})?(Z|[+-][0-9][0-9]:[0-9][0-9])$"
)
_ID = "^[0-9a-f]{32}$"
_STEPS = (7, 31, 131, 401)
"""Distances between an entity and those to which its members lead, by their numbers."""

Schema = dict[str, Any]


def graph(operations: int = GRAPH_OPERATIONS) -> str:
    """Return a document of entities that extend others, with five operations for each nested path.

    All of Graph's operations make 14 megabytes.
    """
    types = max(operations * _TYPES // GRAPH_OPERATIONS, 8)
    schemas = {f"Entity{number}": _extended(number, types) for number in range(types)}
    schemas |= {f"Complex{number}": _complex(number) for number in range(_COMPLEX)}
    schemas |= {f"Kind{number}": {"type": "string", "enum": [f"a{number}", f"b{number}"]} for number in range(90)}
    paths: dict[str, Schema] = {}
    for number in range(operations // 5):
        paths |= _nested(number, types)
    return _document(paths, schemas, "Directory")


def shop(operations: int = SHOP_OPERATIONS) -> str:
    """Return a document of about a megabyte: flat entities with associations, at five operations for each."""
    types = max(operations * _SHOP_TYPES // SHOP_OPERATIONS, 8)
    schemas = {f"Item{number}": _associated(number, types) for number in range(types)}
    paths: dict[str, Schema] = {}
    for number in range(operations // 5):
        item = _reference(f"Item{number % types}")
        paths |= _collection(f"/item-{number}", f"Item{number}", item, [])
    return _document(paths, schemas, "Shop")


def _document(paths: dict[str, Schema], schemas: dict[str, Schema], title: str) -> str:
    info = {"title": title, "version": "1"}
    servers = [{"url": "https://api.example.com/v1"}]
    return json.dumps(
        {"openapi": "3.0.4", "info": info, "servers": servers, "paths": paths, "components": {"schemas": schemas}}
    )


def _nested(number: int, types: int) -> dict[str, Schema]:
    """Return the paths of a collection that belongs to an entity of another collection."""
    owner = f"/holders-{number % 40}/{{holder-id}}/parts-{number % 300}/{{part-id}}"
    above = [_parameter("holder-id", "path"), _parameter("part-id", "path")]
    entity = _reference(f"Entity{number * 3 % types}")
    return _collection(f"{owner}/entities-{number}", f"Part{number}Entity", entity, above)


def _collection(path: str, name: str, entity: Schema, above: list[Schema]) -> dict[str, Schema]:
    """Return the paths of a collection and of its items, with the operations of both."""
    item = [*above, _parameter("item-id", "path")]
    chosen = [_parameter(each, "query", _list({"type": "string"})) for each in ("orderby", "select", "expand")]
    listed = _object({"value": _list(entity), "nextLink": {"type": "string", "nullable": True}})
    shown = {"200": {"description": "The item.", "content": _json(entity)}}
    body = {"description": "New values", "required": True, "content": _json(entity)}
    return {
        path: {
            "get": _operation(
                f"List{name}", [*above, *chosen], {"200": {"description": "All.", "content": _json(listed)}}
            ),
            "post": {**_operation(f"Create{name}", above, shown), "requestBody": body},
        },
        f"{path}/{{item-id}}": {
            "get": _operation(f"Get{name}", [*item, *chosen[1:]], shown),
            "patch": {**_operation(f"Update{name}", item, shown), "requestBody": body},
            "delete": _operation(f"Delete{name}", item, {"204": {"description": "Success"}}),
        },
    }


def _operation(name: str, parameters: list[Schema], responses: Schema) -> Schema:
    operation = {"operationId": name, "summary": f"{name} of the holder", "description": _WORDS}
    return {**operation, "parameters": parameters, "responses": responses}


def _extended(number: int, types: int) -> Schema:
    """Return an entity that extends another one, and whose members lead to complex values and to entities."""
    own: dict[str, Schema] = {
        "name": {"type": "string", "description": _WORDS, "nullable": True},
        "createdDateTime": {"type": "string", "format": "date-time", "pattern": _TIME, "nullable": True},
        "count": {"type": "number", "format": "int32", "minimum": -2147483648, "maximum": 2147483647},
        "kind": {"anyOf": [_reference(f"Kind{number % 90}"), {"type": "object", "nullable": True}]},
        "settings": _reference(f"Complex{number % _COMPLEX}"),
        "history": _list(_reference(f"Complex{number * 7 % _COMPLEX}")),
        **{f"text{place}_": {"type": "string", "description": _WORDS, "nullable": True} for place in range(6)},
    }
    for place, step in enumerate(_STEPS):
        leads = _reference(f"Entity{(number * (place + 1) + step) % types}")
        own[f"link{place}"] = _list(leads) if place else leads
    own = {f"{name}{number}": schema for name, schema in own.items()}  # a property of its own, none of the other entity
    if number == 0:
        return _object({"id": {"type": "string", "description": _WORDS}})
    return {"allOf": [_reference(f"Entity{number // 40}"), {"title": f"entity{number}", **_object(own)}]}


def _complex(number: int) -> Schema:
    """Return a value without an identity, with members of scalar types and of another such value."""
    members = {f"member{place}": {"type": "string", "description": _WORDS, "nullable": True} for place in range(5)}
    members["from"] = {"type": "string", "format": "date-time", "pattern": _TIME}
    inner = {"inner": _reference(f"Complex{number // 3}")} if number % 3 else {}
    return _object({**members, **inner})


def _associated(number: int, types: int) -> Schema:
    """Return an entity with many members of scalar types, and with those that lead to other entities."""
    members: dict[str, Schema] = {
        f"key{place}": {"type": "string", "pattern": _ID, "description": _WORDS} for place in range(9)
    }
    members |= {f"number{place}": {"type": "integer", "format": "int64"} for place in range(4)}
    members |= {f"text{place}": {"type": "string", "description": _WORDS} for place in range(6)}
    members["createdAt"] = {"type": "string", "format": "date-time", "readOnly": True}
    for place, step in enumerate(_STEPS[:3]):
        leads = _reference(f"Item{(number * (place + 1) + step) % types}")
        members[f"link{place}"] = _list(leads) if place % 2 else leads
    return _object(members, required=["key0", "text0"])


def _parameter(name: str, place: str, schema: Schema | None = None) -> Schema:
    required = {"required": True} if place == "path" else {}
    return {"name": name, "in": place, "description": f"The {name}", **required, "schema": schema or {"type": "string"}}


def _json(schema: Schema) -> Schema:
    return {"application/json": {"schema": schema}}


def _object(properties: dict[str, Schema], **further: Any) -> Schema:
    return {"type": "object", "properties": properties, **further}


def _list(schema: Schema) -> Schema:
    return {"type": "array", "items": schema}


def _reference(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}
