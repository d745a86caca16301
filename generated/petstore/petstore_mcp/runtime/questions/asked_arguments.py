# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Add to the input schemas of tools the arguments that the user fills in, and not the model."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..tables.table import AskedQuestion


def complete_schema(schema: dict[str, Any], questions: list[AskedQuestion]) -> dict[str, Any]:
    """Return a tool's input schema, to which the arguments that the user fills in are added."""
    return _with(schema, questions)


def listed_without_asking(tool: dict[str, Any], questions: list[AskedQuestion]) -> dict[str, Any]:
    """Return the entry of a tool in `tools/list` for clients that cannot ask their user.

    Its input schema also has the fields of the questions whose answers the client can send as arguments instead.
    """
    given = [each for each in questions if each.get("without") == "arguments" or "missing" in each]
    found = {**tool, "inputSchema": _with(tool["inputSchema"], given)}
    if "description" in tool and any("missing" in each for each in questions):
        found["description"] = _silent(found["description"], LEFT_OUT)
    if "description" in tool and len(given) == len(questions) and not all("missing" in each for each in questions):
        found["description"] = _silent(found["description"], ASKED)
    return found


ASKED, LEFT_OUT = "The user is asked for ", "Leave out what you do not know of "
"""Beginnings of the sentences that the compiler adds to a description, for clients that can ask their user."""


def _silent(description: str, beginning: str) -> str:
    """Return a description up to the last occurrence of `beginning`, or the whole description if there is none."""
    kept, found, _ = description.rpartition(beginning)
    return kept.rstrip() if found else description


def _with(schema: dict[str, Any], questions: list[AskedQuestion]) -> dict[str, Any]:
    properties, required = dict(schema.get("properties", {})), list(schema.get("required", ()))
    for question in questions:
        properties |= question.get("arguments", {})
        if "when" not in question:
            required += [name for name in question.get("required", ()) if name not in required]
    return {**schema, "properties": properties, **({"required": required} if required else {})}
