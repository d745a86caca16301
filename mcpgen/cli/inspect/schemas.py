"""List the members of a schema as rows for a reader, nested members below their parents."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text


@dataclass(frozen=True, slots=True)
class Member:
    """One member of a schema.

    `path`: path of the member, which begins with an argument, such as `pet.tags[]`. `type`: its type in words.
    `choices`: allowed values as JSON. `nested`: True if it is inside an argument.
    """

    path: str
    nested: bool
    type: str
    required: bool
    description: str
    choices: tuple[str, ...]


def members(schema: JsonObject, path: str = "") -> Iterator[Member]:
    """Yield the members of an object schema, each followed by the members nested in it."""
    required = as_list(schema.get("required"))
    for name, value in as_object(schema.get("properties")).items():
        inner = as_object(value)
        description = as_text(inner.get("description"))
        choices = tuple(dict.fromkeys(_choices(inner)))
        yield Member(path + name, path != "", type_of(inner), name in required, description, choices)
        yield from _inside(inner, path + name)


def _inside(schema: JsonObject, path: str) -> Iterator[Member]:
    for branch in (schema, *_branches(schema)):
        yield from members(branch, f"{path}.")
        if "items" in branch:
            yield from _inside(as_object(branch["items"]), f"{path}[]")


def _branches(schema: JsonObject) -> list[JsonObject]:
    return [as_object(branch) for key in ("anyOf", "oneOf") for branch in as_list(schema.get(key))]


def _choices(schema: JsonObject) -> Iterator[str]:
    for value in _listed(schema):
        if value is not None:
            yield json.dumps(value, ensure_ascii=False)
    for inner in (*_branches(schema), as_object(schema.get("items"))):
        if inner:
            yield from _choices(inner)


def _listed(schema: JsonObject) -> list[JsonValue]:
    return [schema["const"]] if "const" in schema else as_list(schema.get("enum"))


def type_of(schema: JsonObject) -> str:
    """Return the type in words: `integer`, `array of string`, `string (date) or null`."""
    if "type" not in schema and (values := _listed(schema)):
        return " or ".join(dict.fromkeys(map(_kind, values)))
    if branches := _branches(schema):
        return " or ".join(dict.fromkeys(map(type_of, branches)))
    if "$ref" in schema:
        return as_text(schema["$ref"]).rpartition("/")[2]
    kinds = schema.get("type", "any")
    return " or ".join(_named(kind, schema) for kind in (kinds if isinstance(kinds, list) else [kinds]))


def _kind(value: JsonValue) -> str:
    kinds = ((type(None), "null"), (bool, "boolean"), (str, "string"), ((int, float), "number"), (list, "array"))
    return next((name for kind, name in kinds if isinstance(value, kind)), "object")


def _named(kind: JsonValue, schema: JsonObject) -> str:
    if kind == "array" and "items" in schema:
        inner = type_of(as_object(schema["items"]))
        return f"array of ({inner})" if " or " in inner else f"array of {inner}"
    return f"{kind} ({schema['format']})" if kind == "string" and "format" in schema else str(kind)
