# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Arguments that the user fills in, and not the model: where they are added to the input schema of their tool."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .table import AskedQuestion


def complete_schema(schema: dict[str, Any], questions: list[AskedQuestion]) -> dict[str, Any]:
    """Return the schema of all arguments of a call, with those that the user fills in."""
    return _with(schema, questions)


def listed_without_asking(tool: dict[str, Any], questions: list[AskedQuestion]) -> dict[str, Any]:
    """Return the list entry of a tool for clients that cannot ask: what they may give themselves are its arguments."""
    given = [each for each in questions if each.get("without") == "arguments" or "missing" in each]
    return {**tool, "inputSchema": _with(tool["inputSchema"], given)}


def _with(schema: dict[str, Any], questions: list[AskedQuestion]) -> dict[str, Any]:
    properties, required = dict(schema.get("properties", {})), list(schema.get("required", ()))
    for question in questions:
        properties |= question.get("arguments", {})
        if "when" not in question:
            required += [name for name in question.get("required", ()) if name not in required]
    return {**schema, "properties": properties, **({"required": required} if required else {})}
