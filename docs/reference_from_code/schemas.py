"""The keys of the tools file and of the emitted tables, from their JSON schemas."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mcpgen.emit.table_schema import table_schema
from mcpgen.read.toolsfile.schema_check import schema

from .markdown import code, definition, prose

ROOT = Path(__file__).parents[2]

Schema = dict[str, Any]


def tools_file() -> str:
    """Return the keys of a tools file: the top of the file first, then each part that other parts refer to."""
    return _document(schema(), "The top of the file")


def tables() -> str:
    """Return the keys of `bindings.json`."""
    return _document(table_schema(), "The file as a whole")


def _document(schema: Schema, top: str) -> str:
    parts = {top: schema, **schema.get("$defs", {})}
    return "\n\n".join(_section(name, part) for name, part in parts.items())


def _section(name: str, schema: Schema) -> str:
    title = name if " " in name else code(name)
    lead = prose(schema["description"]) if schema.get("description") else ""
    kind = "" if " " in name else _kind(schema)
    return "\n\n".join(filter(None, [f"## {title}", lead, kind, *_keys(schema)]))


def _keys(schema: Schema, path: str = "") -> list[str]:
    """Return an entry for each key below a schema, those of nested objects under their dotted path."""
    found: list[str] = []
    for name, below in _members(schema).items():
        place = f"{path}{name}"
        needed = "required" if name in schema.get("required", []) else ""
        facts = ", ".join(filter(None, [_kind(below), needed]))
        found.append(definition(code(place), facts, prose(below.get("description", ""))))
        found += _keys(below, f"{place}.")
    return found


def _members(schema: Schema) -> dict[str, Schema]:
    """Return what stands directly in a value: keys of an object, `[]` for items, `NAME` for keys that a person chooses.

    The members of alternatives count as members of the whole.
    """
    found = {name: below for name, below in schema.get("properties", {}).items() if isinstance(below, dict)}
    if isinstance(items := schema.get("items"), dict) and _is_described(items):
        found["[]"] = items
    if isinstance(more := schema.get("additionalProperties"), dict) and _is_described(more):
        found["NAME"] = more
    for branch in _branches(schema):
        found = {**_members(branch), **found}
    return found


def _branches(schema: Schema) -> list[Schema]:
    return [each for each in [*schema.get("oneOf", []), *schema.get("anyOf", [])] if isinstance(each, dict)]


def _is_described(schema: Schema) -> bool:
    return any(key in schema for key in ("properties", "description", "$ref", "items", "oneOf", "anyOf"))


def _kind(schema: Schema) -> str:
    """Return what a value may be: a named part, a fixed value, one of several, or a type with its limits."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{code(name)}](#{name.replace('_', '-').lower()})" if schema["$ref"].startswith("#/$defs/") else ""
    if "const" in schema:
        return f"always {code(json.dumps(schema['const']))}"
    if "enum" in schema:
        return "one of " + ", ".join(code(json.dumps(value)) for value in schema["enum"])
    if branches := _branches(schema):
        return " or ".join(dict.fromkeys(filter(None, map(_kind, branches))))
    types = schema.get("type", [])
    names = [types] if isinstance(types, str) else types
    limits = [f"{word} {schema[key]}" for key, word in _LIMITS.items() if key in schema]
    return ", ".join(filter(None, [" or ".join(names), *limits]))


_LIMITS = {"minimum": "from", "maximum": "to", "exclusiveMinimum": "above", "default": "by default"}
