# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Read arguments as clients write them, if they do not fit the tool's input schema as they are.

- A text that is JSON (`"[1, 2]"`, `"5"`) stands for its value if the schema allows no string there, and allows the type
  of the value. Some clients and models write every argument as a string.
- null for an optional member stands for no member, unless the schema allows null. Some frameworks send all members.
  "" does the same for enums, numbers, booleans and dates.
- Members that a host adds to the arguments are left out, unless the tool has such an argument.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core.jsonrpc import NotJSON, loads
from .arguments import HOST_MEMBERS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..core.limits import Budget

_MEANT = {bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}
"""JSON types to which a text is converted. null is left out, because `"null"` is as often meant as a word."""

_WITH_CALL_ID = frozenset(["sessionId", "action", "chatInput"])
"""Members that n8n adds together with `toolCallId`."""

_PARTS = ("anyOf", "oneOf", "allOf")
_DEEPEST = 8


def without_host_members(
    arguments: dict[str, Any], known: Iterable[str], further: frozenset[str]
) -> tuple[dict[str, Any], list[str]]:
    """Return the arguments without members that hosts add, and the names of these members.

    `known`: names of the tool's arguments, which always stay. `further`: names that the operator has added to the list.
    """
    strange = arguments.keys() - set(known)
    added = HOST_MEMBERS | further | (_WITH_CALL_ID if "toolCallId" in strange else frozenset())
    left_out = sorted(strange & added)
    return {name: value for name, value in arguments.items() if name not in left_out}, left_out


def read(
    schema: dict[str, Any], arguments: dict[str, Any], budget: Budget, nullable: Iterable[str] = ()
) -> tuple[dict[str, Any], list[str]]:
    """Return the arguments as the schema means them, and the names of those that came as JSON text.

    `schema`: the tool's input schema. `nullable`: pointers to members whose null stays, although the schema does not
    allow null there, such as `/labels/*/color`. Raise Exhausted if the time budget runs out.
    """
    reading = _Reading(schema, budget, frozenset(nullable))
    found = reading.members(reading.alternatives(schema), arguments, "")
    parsed = [name for name, value in arguments.items() if name in found and _is_parsed(value, found[name])]
    return found, parsed


def _is_parsed(before: Any, after: Any) -> bool:
    """Return True if a text in `before` became a value in `after`."""
    if isinstance(before, str) or type(before) is not type(after):
        return before is not after
    if isinstance(before, list):
        return any(map(_is_parsed, before, after))
    return isinstance(before, dict) and any(_is_parsed(before[name], member) for name, member in after.items())


class _Reading:
    """Converter of values into the values that the schema of a tool means."""

    __slots__ = ("_budget", "_nullable", "_schema")

    def __init__(self, schema: dict[str, Any], budget: Budget, nullable: frozenset[str]) -> None:
        self._schema = schema
        self._budget = budget
        self._nullable = nullable

    def members(self, schemas: list[dict[str, Any]], value: dict[str, Any], pointer: str) -> dict[str, Any]:
        """Return an object without members that count as not given. `schemas`: those that may apply to the object."""
        found: dict[str, Any] = {}
        for name, member in value.items():
            at = f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}"
            owners = [each for each in schemas if name in each.get("properties", ())]
            schema = _any_of([each["properties"][name] for each in owners] or _further(schemas))
            if member is None and at in self._nullable:
                found[name] = None
            elif not (
                member in (None, "")
                and any(name not in each.get("required", ()) for each in owners)
                and not self._has_meaning(schema, member)
            ):
                found[name] = self.value(schema, member, at)
        return found

    def value(self, schema: Any, value: Any, pointer: str) -> Any:
        """Return the value that the schema means. Return `value` itself if nothing in it is to be changed."""
        self._budget.spend(1)
        if isinstance(value, str):
            meant = self._meant(self._types(schema, 0), value)
            return value if meant is value else self.value(schema, meant, pointer)
        if isinstance(value, list):
            inner = [each["items"] for each in self.alternatives(schema) if isinstance(each.get("items"), dict)]
            items = [self.value(_any_of(inner), item, f"{pointer}/*") for item in value] if inner else value
            return items if any(one is not other for one, other in zip(value, items, strict=True)) else value
        if isinstance(value, dict):
            found = self.members(self.alternatives(schema), value, pointer)
            same = len(found) == len(value) and all(found[name] is member for name, member in value.items())
            return value if same else found
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

    def _has_meaning(self, schema: Any, value: object, depth: int = 0) -> bool:
        """Return True if null or "" (`value`) is more than "not given", because the schema allows it, or may allow it.

        "" for an array, an object, or a string with a length or a pattern is a mistake, which the check reports.
        """
        self._budget.spend(1)
        schema = self._followed(schema)
        if not schema.keys().isdisjoint(("enum", "const", "type")) or depth >= _DEEPEST:
            return _allows(schema, value)
        if branches := schema.get("anyOf") or schema.get("oneOf"):
            return any(self._has_meaning(each, value, depth + 1) for each in branches)
        return all(self._has_meaning(each, value, depth + 1) for each in schema.get("allOf", ()))

    def _types(self, schema: Any, depth: int) -> frozenset[str]:
        """Return the JSON types that a schema allows, or an empty set if it allows all types."""
        self._budget.spend(1)
        schema = self._followed(schema)
        if declared := schema.get("type"):
            return frozenset([declared] if isinstance(declared, str) else declared)
        if "enum" in schema:
            return frozenset(_MEANT.get(type(value), "string") for value in schema["enum"])
        branches = schema.get("anyOf") or schema.get("oneOf") or ()
        each = [self._types(branch, depth + 1) for branch in branches] if depth < _DEEPEST else []
        return frozenset().union(*each) if each and all(each) else frozenset()

    def alternatives(self, schema: Any, depth: int = 0) -> list[dict[str, Any]]:
        """Return the schema with its alternatives and parts, nested ones included."""
        self._budget.spend(1)
        schema = self._followed(schema)
        parts = [part for keyword in _PARTS for part in schema.get(keyword, ())] if depth < _DEEPEST else []
        return [schema, *(found for part in parts for found in self.alternatives(part, depth + 1))]

    def _followed(self, schema: Any) -> dict[str, Any]:
        """Return the schema in the tool's `$defs` to which `$ref` refers, or `schema` itself if it has no `$ref`."""
        for _ in range(8):
            name = schema.get("$ref") if isinstance(schema, dict) else None
            if not isinstance(name, str):
                break
            schema = self._schema.get("$defs", {}).get(name.removeprefix("#/$defs/"))
        return schema if isinstance(schema, dict) else {}


def _any_of(schemas: list[Any]) -> Any:
    return schemas[0] if len(schemas) == 1 else {"anyOf": schemas}


def _further(schemas: list[dict[str, Any]]) -> list[Any]:
    """Return the schemas of members that the object schemas do not name."""
    return [each["additionalProperties"] for each in schemas if isinstance(each.get("additionalProperties"), dict)]


def _allows(schema: dict[str, Any], value: object) -> bool:
    """Return True if `enum` or `type` of a schema allow null or "" (`value`)."""
    if "enum" in schema or "const" in schema:
        return value in schema.get("enum", [schema.get("const")])
    declared = schema.get("type", ("string", "null"))
    kinds = {declared} if isinstance(declared, str) else {*declared}
    if value is None:
        return "null" in kinds
    if "string" in kinds:
        return schema.get("format") not in ("date", "date-time")
    return not kinds <= {"integer", "number", "boolean", "null"}
