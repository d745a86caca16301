"""Derive the JSON Schema of the tables from their types, which are those of the runtime (`tables/table.py`).

So the contract of compiler and runtime is written once: mypy and JSON Schema read the same lines.
"""

from types import UnionType
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from mcpgen.base.jsonvalue import JsonObject, JsonValue
from mcpgen.base.runtime import table

_SCALARS: dict[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}


def table_schema() -> JsonObject:
    """Return the JSON Schema (2020-12) of `bindings.json`.

    Its `$defs` have the schemas of all types, and `resources` and `prompts`, the schemas of the optional tables.
    """
    types: dict[str, JsonValue] = {}
    whole = _object(table.Table, types)
    types = {"resources": _schema(table.Resources, types), "prompts": _schema(table.Prompts, types), **types}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The tables of a generated server",
        **whole,
        "$defs": types,
    }


def _schema(hint: Any, types: dict[str, JsonValue]) -> JsonObject:
    """Return the schema of a type. Add the schemas of the types of objects in it to `types`."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        schema = _schema(arguments[0], types)
        for each in arguments[1:]:
            schema |= {"description": each} if isinstance(each, str) else each.keywords
        return schema
    if is_typeddict(hint):
        if hint.__name__ not in types:
            types[hint.__name__] = None  # a type may contain itself
            types[hint.__name__] = _object(hint, types)
        return {"$ref": f"#/$defs/{hint.__name__}"}
    if origin is Literal:
        return {"const": arguments[0]} if len(arguments) == 1 else {"enum": list(arguments)}
    if origin in (Union, UnionType):
        return {"anyOf": [_schema(each, types) for each in arguments]}
    if origin is list:
        return {"type": "array", "items": _schema(arguments[0], types)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _schema(arguments[1], types)}
    return {} if hint is Any else {"type": _SCALARS[hint]}


def _object(kind: Any, types: dict[str, JsonValue]) -> JsonObject:
    """Return the schema of the objects of a type. They have no other members than those that the type names."""
    members = get_type_hints(kind, include_extras=True)
    optional = {name for name, hint in members.items() if get_origin(hint) is NotRequired}
    return {
        "type": "object",
        "description": " ".join(kind.__doc__.split()),
        "required": [name for name in members if name not in optional],
        "additionalProperties": False,
        "properties": {
            name: _schema(get_args(hint)[0] if name in optional else hint, types) for name, hint in members.items()
        },
        **getattr(kind, "KEYWORDS", {}),
    }
