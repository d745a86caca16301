# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Add the argument that names a file for the response to the tools that can save it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SAVES = {
    "type": "string",
    "description": "Name of a file to write the answer to, in the folder that is open for downloads. Its path, size and"
    " media type come back instead of the content.",
}


def offer(tool: dict[str, Any], argument: str) -> None:
    """Add the argument to an entry of `tools/list`.

    A saved response has a text as its result. So a tool whose results must match a schema gets no such argument.
    """
    if "outputSchema" not in tool:
        tool["inputSchema"].setdefault("properties", {}).setdefault(argument, _SAVES)
