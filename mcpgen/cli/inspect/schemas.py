"""A schema as rows that a person reads: one a member, those of members below them."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from mcpgen.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text


@dataclass(frozen=True, slots=True)
class Member:
    """One member. `path` leads to it from the arguments: `pet.tags[]`; `type` is its type in words."""

    path: str
    type: str
    required: bool
    description: str


def members(schema: JsonObject, path: str = "") -> Iterator[Member]:
    """The members of an object schema, each with its own members behind it."""
    required = as_list(schema.get("required"))
    for name, value in as_object(schema.get("properties")).items():
        inner = as_object(value)
        yield Member(path + name, type_of(inner), name in required, as_text(inner.get("description")))
        yield from _inside(inner, path + name)


def _inside(schema: JsonObject, path: str) -> Iterator[Member]:
    for branch in (schema, *_branches(schema)):
        yield from members(branch, f"{path}.")
        if "items" in branch:
            yield from _inside(as_object(branch["items"]), f"{path}[]")


def _branches(schema: JsonObject) -> list[JsonObject]:
    return [as_object(branch) for key in ("anyOf", "oneOf") for branch in as_list(schema.get(key))]


def type_of(schema: JsonObject) -> str:
    """The type in words: `integer`, `array of string`, `"a" or "b"`, `string (date) or null`."""
    if "const" in schema or "enum" in schema:
        values = as_list(schema.get("enum")) or [schema.get("const")]
        return " or ".join(json.dumps(value, ensure_ascii=False) for value in values)
    if branches := _branches(schema):
        return " or ".join(dict.fromkeys(map(type_of, branches)))
    kinds = schema.get("type", "any")
    return " or ".join(_named(kind, schema) for kind in (kinds if isinstance(kinds, list) else [kinds]))


def _named(kind: JsonValue, schema: JsonObject) -> str:
    if kind == "array" and "items" in schema:
        inner = type_of(as_object(schema["items"]))
        return f"array of ({inner})" if " or " in inner else f"array of {inner}"
    return f"{kind} ({schema['format']})" if kind == "string" and "format" in schema else str(kind)
