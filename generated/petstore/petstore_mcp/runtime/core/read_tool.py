# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Describe the tool that reads more of a truncated result, as it is listed (RESULT_TOOL)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

NAME = "read_result"
ARGUMENT = "uri"


# Decision 0047: The tool read_result is listed on request.
def described(taken: Iterable[str], prefix: str) -> dict[str, Any]:
    """Return the entry of the tool in `tools/list`.

    Its name differs from all names in `taken`; `prefix` begins the URIs of results.
    """
    names = {each.lower() for each in taken}
    name, number = NAME, 2
    while name in names:
        name, number = f"{NAME}_{number}", number + 1
    argument = {"type": "string", "description": f"The URI that a cut result or the slice before names: {prefix}1."}
    return {
        "name": name,
        "title": "Read on in a result",
        "description": "Read more of a result that was cut, a slice at a time. Each slice names the URI of the next.",
        "inputSchema": {"type": "object", "properties": {ARGUMENT: argument}, "required": [ARGUMENT]},
        "annotations": {
            "title": "Read on in a result",
            "readOnlyHint": True,
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": False,
        },
    }
