"""Build the servers that a test compares. The test gives only the parts that differ."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from mcpgen.model.pins import Pin
from mcpgen.regenerate.diff import Change, Difference, Surface, compare, of_tables

HEADER: dict[str, Any] = {
    "server": {"name": "test", "title": "Test", "version": "1.0.0"},
    "environment": "TEST",
    "servers": [{"url": "https://api.example/v1"}],
    "security": {},
}
HINTS = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": True}


def tool(name: str = "get_x", **more: Any) -> dict[str, Any]:
    """Return a tool as in `tools.json`."""
    shown = {"title": "Get x", "description": "Gets x.", "inputSchema": {"type": "object", "properties": {}}}
    return {"name": name, **shown, "annotations": HINTS, **more}


def binding(listed: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return the request description of a tool that sends every argument in the query. `more` replaces some of its
    members.
    """
    arguments = listed["inputSchema"].get("properties", {})
    query = [{"argument": name, "name": name, "style": "form", "explode": True} for name in arguments]
    own = {"operation": {"path": f"/{listed['name']}"}, "method": "GET", "server": 0, "path": [f"/{listed['name']}"]}
    return {"name": listed["name"], **own, "query": query, "accept": "application/json", **more}


def surface(
    *tools: dict[str, Any], bindings: dict[str, Any] | None = None, keys: dict[str, str] | None = None, **header: Any
) -> Surface:
    """Return a server of these tools.

    `bindings`: tool → members of its request description that differ from the default. `header`: the lists
    `resources`, `prompts` and `parts`, and members of `bindings.json` besides `bindings`.
    """
    parts = frozenset(header.pop("parts")) if "parts" in header else None
    rows = [binding(each, **(bindings or {}).get(each["name"], {})) for each in tools]
    features = {f"{name}.json": header.pop(name, []) for name in ("resources", "prompts")}
    known = {key: Pin(name) for name, key in (keys or {}).items()}
    tables: dict[str, Any] = {"tools.json": tools, "bindings.json": {**HEADER, **header, "bindings": rows}, **features}
    return replace(of_tables({name: json.dumps(table).encode() for name, table in tables.items()}, known), parts=parts)


def of_parts(schema: dict[str, Any], *, defs: dict[str, Any] | None = None) -> Surface:
    """Return a server with one tool, whose argument `x` has this schema."""
    root: dict[str, Any] = {"type": "object", "properties": {"x": schema}}
    return surface(tool(inputSchema={**root, "$defs": defs} if defs else root))


def of_result(schema: dict[str, Any], *, defs: dict[str, Any] | None = None) -> Surface:
    """Return a server with one tool, whose result has a required member `x` of this schema."""
    root: dict[str, Any] = {"type": "object", "properties": {"x": schema}, "required": ["x"]}
    return surface(tool(outputSchema={**root, "$defs": defs} if defs else root))


def grade(difference: Difference) -> str:
    """Return the most severe grade in a difference, or `none`."""
    return {"major": "breaking", "minor": "additive", "patch": "cosmetic"}.get(difference.version, "none")


def said(changes: tuple[Change, ...]) -> list[str]:
    """Return each change as a line of text."""
    return [f"{change.grade}: {change.sentence}" for change in changes]


def compared(old: Surface, new: Surface) -> Difference:
    return compare(old, new)
