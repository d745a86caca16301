# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Add arguments that the user, not the model, fills in to the input schemas of tools."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .table import AskedQuestion


def complete_schema(schema: dict[str, Any], questions: list[AskedQuestion]) -> dict[str, Any]:
    """Return a tool's input schema with the arguments that the user fills in added."""
    return _with(schema, questions)


def listed_without_asking(tool: dict[str, Any], questions: list[AskedQuestion]) -> dict[str, Any]:
    """Return the entry of a tool in `tools/list` for clients that cannot ask their user.

    Its input schema also has those of the user's fields that the client may send as arguments.
    """
    given = [each for each in questions if each.get("without") == "arguments" or "missing" in each]
    return {**tool, "inputSchema": _with(tool["inputSchema"], given)}


def _with(schema: dict[str, Any], questions: list[AskedQuestion]) -> dict[str, Any]:
    properties, required = dict(schema.get("properties", {})), list(schema.get("required", ()))
    for question in questions:
        properties |= question.get("arguments", {})
        if "when" not in question:
            required += [name for name in question.get("required", ()) if name not in required]
    return {**schema, "properties": properties, **({"required": required} if required else {})}
