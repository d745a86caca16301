# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Build the `tools/list` entry of `read_result`, which reads more of a truncated result.

The server lists this tool only if the operator sets the environment variable whose name ends in `_RESULT_TOOL`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

NAME = "read_result"
ARGUMENT = "uri"


# Listed only with a setting: most hosts show resources, and this tool costs 110 tokens in every list
# (docs/decisions/results.md).
def described(taken: Iterable[str], prefix: str) -> dict[str, Any]:
    """Return the entry of `read_result` in `tools/list`, with a number added to its name if the name is in `taken`.

    `prefix`: beginning of the URIs of stored results.
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
