"""Mutate documents in one random place, as a publisher might."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

Node = dict[str, Any]
Mutation = Callable[[Node, Random], None]
"""Function that changes a node of a document in place."""

METHODS = ("get", "put", "post", "delete", "patch")
_SCHEMA_WORDS = frozenset({"type", "properties", "items", "enum", "allOf", "anyOf", "oneOf", "additionalProperties"})
_TYPES = ("string", "integer", "number", "boolean", "array", "object")
_SIMPLE: tuple[Node, ...] = (
    {"type": "string"},
    {"type": "integer", "minimum": 1},
    {"type": "string", "enum": ["a", "b"]},
    {"type": "array", "items": {"type": "integer"}},
    {"type": "object", "properties": {"a": {"type": "string"}}},
)


def _put(key: str, *values: Any) -> Mutation:
    """Return a mutation that sets `key` to a random one of `values`, or removes the key."""

    def apply(node: Node, chance: Random) -> None:
        if key in node and chance.random() < 0.4:
            del node[key]
        else:
            node[key] = copy.deepcopy(chance.choice(values))

    return apply


def _drop_one(key: str) -> Mutation:
    def apply(node: Node, chance: Random) -> None:
        if held := node.get(key):
            held.pop(chance.choice(list(held)) if isinstance(held, dict) else chance.randrange(len(held)))

    return apply


def _demand(node: Node, chance: Random) -> None:
    """Make a random member required, or optional if it is required."""
    name = chance.choice([*node.get("properties", {}), "unheard"])
    required = [*node.get("required", [])]
    node["required"] = [each for each in required if each != name] if name in required else [*required, name]


def _rename_member(node: Node, chance: Random) -> None:
    if members := node.get("properties"):
        name = chance.choice(list(members))
        node["properties"] = {f"{key}_x" if key == name else key: value for key, value in members.items()}


def _add_member(node: Node, chance: Random) -> None:
    if isinstance(node.get("properties"), dict):
        node["properties"]["added"] = copy.deepcopy(chance.choice(_SIMPLE))


def _alternatives(node: Node, chance: Random) -> None:
    """Add an alternative to the schema. A schema without alternatives becomes the first of two in a new schema."""
    arm = copy.deepcopy(chance.choice(_SIMPLE))
    for key in ("oneOf", "anyOf", "allOf"):
        if key in node:
            node[key].append(arm)
            return
    old = dict(node)
    node.clear()
    node[chance.choice(("oneOf", "anyOf", "allOf"))] = [old, arm]


def _replace(node: Node, chance: Random) -> None:
    node.clear()
    node.update(copy.deepcopy(chance.choice(_SIMPLE)))


def _list_values(node: Node, chance: Random) -> None:
    values = node.get("enum")
    if values and chance.random() < 0.5:
        node["enum"] = values[1:] or ["b"]
    else:
        node["enum"] = [*(values or []), "a"]


SCHEMA: tuple[Mutation, ...] = (
    *(_demand, _rename_member, _add_member, _alternatives, _replace, _list_values),
    *(_drop_one(key) for key in ("properties", "enum", "allOf", "anyOf", "oneOf", "required")),
    _put("type", *_TYPES),
    _put("minimum", 0, 1, 5),
    _put("maximum", 0, 10, 100),
    _put("minLength", 1, 3),
    _put("maxLength", 2, 30),
    _put("pattern", "^a", "^[A-Z]+$"),
    _put("format", "date", "date-time", "uuid", "int32", "binary"),
    _put("nullable", True, False),
    _put("x-nullable", True),
    _put("additionalProperties", False, True, {"type": "string"}),
    _put("minItems", 1, 2),
    _put("maxItems", 1, 5),
    _put("uniqueItems", True),
    _put("minProperties", 1),
    _put("default", "a", 1, True),
    _put("readOnly", True),
    _put("description", "Other words."),
)


def _rename(node: Node, _: Random) -> None:
    node["name"] = f"{node['name']}_x"


PARAMETER: tuple[Mutation, ...] = (
    _rename,
    _put("required", True, False),
    _put("in", "query", "header", "cookie"),
    _put("style", "form", "spaceDelimited", "deepObject"),
    _put("explode", True, False),
    _put("schema", *_SIMPLE),
    _put("type", "string", "integer", "boolean"),
    _put("enum", ["a"], ["a", "b"]),
    _put("deprecated", True),
    _put("collectionFormat", "multi", "csv"),
    _put("allowEmptyValue", True),
)


def _add_parameter(node: Node, chance: Random) -> None:
    added = {"name": "added", "in": "query", "required": chance.random() < 0.5, **copy.deepcopy(chance.choice(_SIMPLE))}
    node["parameters"] = [*node.get("parameters", []), added | {"schema": {"type": "string"}}]


def _new_body(node: Node, chance: Random) -> None:
    content = {chance.choice(("application/json", "text/plain")): {"schema": copy.deepcopy(chance.choice(_SIMPLE))}}
    node["requestBody"] = {"content": content, "required": chance.random() < 0.5}


def _flip_body(node: Node, _: Random) -> None:
    if isinstance(body := node.get("requestBody"), dict):
        body["required"] = body.get("required") is not True


def _other_media_type(node: Node, chance: Random) -> None:
    body = node.get("requestBody")
    if isinstance(body, dict) and body.get("content"):
        name = chance.choice(("application/x-www-form-urlencoded", "multipart/form-data", "application/json"))
        body["content"] = {name: next(iter(body["content"].values()))}


OPERATION: tuple[Mutation, ...] = (
    *(_add_parameter, _new_body, _flip_body, _other_media_type, _drop_one("parameters")),
    _put("operationId", "aNewName"),
    _put("requestBody", {"content": {"application/json": {"schema": {"type": "object"}}}}),
    _put("security", [], [{"fresh": []}]),
    _put("deprecated", True),
    _put("summary", "Does quite another thing"),
    _put("consumes", ["application/json"], ["multipart/form-data"], ["application/x-www-form-urlencoded"]),
    _put("servers", [{"url": "https://elsewhere.example/v2"}]),
)


def _swap_method(node: Node, chance: Random) -> None:
    held = [method for method in METHODS if method in node]
    free = [method for method in METHODS if method not in node]
    if held and free:
        node[chance.choice(free)] = node.pop(chance.choice(held))


def _drop_method(node: Node, chance: Random) -> None:
    if held := [method for method in METHODS if method in node]:
        del node[chance.choice(held)]


ITEM: tuple[Mutation, ...] = (_swap_method, _drop_method)


def _move(node: Node, chance: Random) -> None:
    paths = node["paths"]
    old = chance.choice(list(paths))
    node["paths"] = {f"/moved{path}" if path == old else path: item for path, item in paths.items()}


ROOT: tuple[Mutation, ...] = (
    _move,
    _put("servers", [{"url": "https://elsewhere.example"}], [{"url": "/v9"}]),
    _put("host", "elsewhere.example"),
    _put("basePath", "/v9"),
    _put("security", [], [{"fresh": []}]),
    _drop_one("paths"),
)


def _nodes(value: Any) -> Iterator[Node]:
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            yield node
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)


def mutations(document: Node, chance: Random) -> tuple[Node, str]:
    """Return a copy of `document` with one place changed, and a description of the change."""
    found = copy.deepcopy(document)
    operations = [
        operation
        for item in found["paths"].values()
        if isinstance(item, dict)
        for method, operation in item.items()
        if method in METHODS and isinstance(operation, dict)
    ]
    nodes = [*_nodes(found["paths"]), *_nodes(found.get("components", {})), *_nodes(found.get("definitions", {}))]
    places: dict[str, tuple[list[Node], tuple[Mutation, ...]]] = {
        "schema": ([node for node in nodes if _SCHEMA_WORDS & node.keys() and "in" not in node], SCHEMA),
        "parameter": ([node for node in nodes if isinstance(node.get("in"), str) and "name" in node], PARAMETER),
        "operation": (operations, OPERATION),
        "path": ([item for item in found["paths"].values() if isinstance(item, dict)], ITEM),
        "root": ([found], ROOT),
    }
    kinds = [kind for kind, (held, _) in places.items() for _ in range(_SHARES[kind]) if held]
    kind = chance.choice(kinds)
    held, changes = places[kind]
    at, change = chance.choice(held), chance.choice(changes)
    before = _shown(at)
    change(at, chance)
    return found, f"{kind}: {before} -> {_shown(at)}"


_SHARES = {"schema": 8, "parameter": 5, "operation": 5, "path": 1, "root": 1}


def _shown(node: Node) -> str:
    return repr(node)[:300]
