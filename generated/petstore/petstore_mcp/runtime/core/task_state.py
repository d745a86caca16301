# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""State of an MCP task, as the outcome of a request that begins the task or concerns it.

The module `tasks` writes the state in the format of each MCP revision.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Task:
    """State of a task in the response to a request that begins the task or concerns it.

    `answers`: kind of the request: `call`, `get`, `cancel`, `update` or `result`. `status`: working, completed, failed
    or cancelled. `created` and `updated`: ISO 8601. `milliseconds`: lifetime of the task. `interval`: milliseconds
    until the client polls again. `result`: the `wire_formats.Result` of the call, None until it is completed. `lost`: a
    sentence that says why there can be no result, which the tasks extension reports as a protocol error; else "".
    """

    __slots__ = (
        "answers",
        "created",
        "id",
        "interval",
        "lost",
        "message",
        "milliseconds",
        "result",
        "status",
        "updated",
    )

    def __init__(
        self,
        id: str,  # noqa: A002
        answers: str,
        status: str,
        created: str,
        updated: str,
        milliseconds: int,
        interval: int,
        message: str = "",
        result: Any = None,
        lost: str = "",
    ) -> None:
        self.id = id
        self.answers = answers
        self.status = status
        self.created = created
        self.updated = updated
        self.milliseconds = milliseconds
        self.interval = interval
        self.message = message
        self.result = result
        self.lost = lost


class FollowedTask:
    """What telemetry records of the MCP task that a call began or asked about. It never contains the task's id.

    `digest`: short digest of the id, equal for all calls about one task. `status`: as in Task.
    """

    __slots__ = ("digest", "status", "tool")

    def __init__(self, tool: str, digest: str, status: str) -> None:
        self.tool = tool
        self.digest = digest
        self.status = status
