# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Build the `tools/list` entry of `get_task`, the tool that waits for a job which an earlier call left running."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

NAME = "get_task"
ARGUMENT = "task"
_TITLE = "Look at a task again"


# One small tool serves every job. A tool for the polling operation would run without the hooks and result rules of the
# tool that started the job.
def described(taken: Iterable[str]) -> dict[str, Any]:
    """Return the entry of `get_task` in `tools/list`, with a number added to its name if the name is in `taken`."""
    names = {each.lower() for each in taken}
    name, number = NAME, 2
    while name in names:
        name, number = f"{NAME}_{number}", number + 1
    argument = {"type": "string", "minLength": 1, "maxLength": 8192, "description": "The task, as the answer named it."}
    return {
        "name": name,
        "title": _TITLE,
        "description": "Wait for a job that a tool started and that was still at work, and return its result.",
        "inputSchema": {"type": "object", "properties": {ARGUMENT: argument}, "required": [ARGUMENT]},
        "annotations": {
            "title": _TITLE,
            "readOnlyHint": True,
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": True,
        },
    }
