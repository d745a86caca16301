"""Servers to be compared, made of as little as a test wants to say."""

from __future__ import annotations

import json
from typing import Any

from mcpgen.model.pins import Promise
from mcpgen.regenerate.diff import Change, Difference, Surface, compare, of_tables

HEADER: dict[str, Any] = {
    "server": {"name": "test", "title": "Test", "version": "1.0.0"},
    "environment": "TEST",
    "servers": [{"url": "https://api.example/v1"}],
    "security": {},
}
HINTS = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": True}


def tool(name: str = "get_x", **more: Any) -> dict[str, Any]:
    """A tool as `tools.json` has it."""
    shown = {"title": "Get x", "description": "Gets x.", "inputSchema": {"type": "object", "properties": {}}}
    return {"name": name, **shown, "annotations": HINTS, **more}


def binding(listed: dict[str, Any], **more: Any) -> dict[str, Any]:
    """What a tool sends, if nothing else is said: every argument in the query."""
    arguments = listed["inputSchema"].get("properties", {})
    query = [{"argument": name, "name": name, "style": "form", "explode": True} for name in arguments]
    own = {"operation": {"path": f"/{listed['name']}"}, "method": "GET", "server": 0, "path": [f"/{listed['name']}"]}
    return {"name": listed["name"], **own, "query": query, "accept": "application/json", **more}


def surface(
    *tools: dict[str, Any], bindings: dict[str, Any] | None = None, keys: dict[str, str] | None = None, **header: Any
) -> Surface:
    """A server of these tools; `bindings` are tool → what differs in what it sends, `header` may have features too."""
    rows = [binding(each, **(bindings or {}).get(each["name"], {})) for each in tools]
    features = {f"{name}.json": header.pop(name, []) for name in ("resources", "prompts")}
    known = {key: Promise(name) for name, key in (keys or {}).items()}
    tables: dict[str, Any] = {"tools.json": tools, "bindings.json": {**HEADER, **header, "bindings": rows}, **features}
    return of_tables({name: json.dumps(table).encode() for name, table in tables.items()}, known)


def of_parts(schema: dict[str, Any], *, defs: dict[str, Any] | None = None) -> Surface:
    """A server whose one tool has one argument `x` of that schema."""
    root: dict[str, Any] = {"type": "object", "properties": {"x": schema}}
    return surface(tool(inputSchema={**root, "$defs": defs} if defs else root))


def of_result(schema: dict[str, Any], *, defs: dict[str, Any] | None = None) -> Surface:
    """A server whose one tool has a result with one member `x` of that schema, which is always there."""
    root: dict[str, Any] = {"type": "object", "properties": {"x": schema}, "required": ["x"]}
    return surface(tool(outputSchema={**root, "$defs": defs} if defs else root))


def grade(difference: Difference) -> str:
    """The gravest grade of a difference; `none` where nothing changed."""
    return {"major": "breaking", "minor": "additive", "patch": "cosmetic"}.get(difference.version, "none")


def said(changes: tuple[Change, ...]) -> list[str]:
    """Each change as a line of a table."""
    return [f"{change.grade}: {change.sentence}" for change in changes]


def compared(old: Surface, new: Surface) -> Difference:
    return compare(old, new)
