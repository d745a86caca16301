# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Parse arguments that were given as JSON text: `"[1, 2]"` for a list, `"5"` for a number.

Some clients and models write every argument as a string. If the schema allows no string, and the text is exactly one
JSON value of an allowed type, the parsed value is used. Any other argument stays unchanged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core.jsontext import NotJSON, loads

if TYPE_CHECKING:
    from ..core.budget import Budget

_MEANT = {bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}
"""JSON types to which a text is converted. null is left out, because `"null"` is as often meant as a word."""


def read(schema: dict[str, Any], arguments: dict[str, Any], budget: Budget) -> tuple[dict[str, Any], list[str]]:
    """Return the arguments with JSON texts parsed, and the names of the changed arguments.

    `schema` is the tool's input schema. Raise Exhausted if the time budget runs out.
    """
    reading = _Reading(schema, budget)
    properties = schema.get("properties", {})
    found = {
        name: reading.value(properties[name], value) if name in properties else value
        for name, value in arguments.items()
    }
    return found, [name for name, value in arguments.items() if found[name] is not value]


class _Reading:
    """Converter of arguments that are JSON texts into values of the types that the schema of a tool allows."""

    __slots__ = ("_budget", "_schema")

    def __init__(self, schema: dict[str, Any], budget: Budget) -> None:
        self._schema = schema
        self._budget = budget

    def value(self, schema: Any, value: Any) -> Any:
        """Parse each text in `value` that is JSON of an expected type. Return `value` itself if there is none."""
        self._budget.spend(1)
        schema = self._followed(schema)
        if isinstance(value, str):
            return self._meant(self._types(schema, 0), value)
        if isinstance(value, list) and isinstance(schema.get("items"), dict):
            return _changed(value, [self.value(schema["items"], item) for item in value])
        if isinstance(value, dict):
            known, others = schema.get("properties", {}), schema.get("additionalProperties")
            others = others if isinstance(others, dict) else {}
            found = {name: self.value(known.get(name, others), member) for name, member in value.items()}
            return found if any(found[name] is not member for name, member in value.items()) else value
        return value

    def _meant(self, types: frozenset[str], text: str) -> Any:
        if not types or "string" in types:
            return text
        self._budget.spend(len(text) // 100)
        try:
            value, repeated = loads(text)
        except NotJSON:
            return text
        kind = _MEANT.get(type(value), "")
        fits = kind in types or (kind == "integer" and "number" in types)
        return value if fits and not repeated else text

    def _types(self, schema: dict[str, Any], depth: int) -> frozenset[str]:
        """Return the JSON types that a schema allows, or an empty set if it allows all types."""
        self._budget.spend(1)
        schema = self._followed(schema)
        if declared := schema.get("type"):
            return frozenset([declared] if isinstance(declared, str) else declared)
        if "enum" in schema:
            return frozenset(_MEANT.get(type(value), "string") for value in schema["enum"])
        branches = schema.get("anyOf") or schema.get("oneOf") or ()
        each = [self._types(branch, depth + 1) for branch in branches] if depth < 8 else []
        return frozenset().union(*each) if each and all(each) else frozenset()

    def _followed(self, schema: Any) -> dict[str, Any]:
        """Return the schema in the tool's `$defs` to which `$ref` refers, or `schema` itself if it has no `$ref`."""
        for _ in range(8):
            name = schema.get("$ref") if isinstance(schema, dict) else None
            if not isinstance(name, str):
                break
            schema = self._schema.get("$defs", {}).get(name.removeprefix("#/$defs/"))
        return schema if isinstance(schema, dict) else {}


def _changed(old: list[Any], new: list[Any]) -> list[Any]:
    return new if any(one is not other for one, other in zip(old, new, strict=True)) else old
