# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Words by which APIs name the state of a job, in lower case without punctuation.

The compiler finds members that show a state by these words, and the runtime judges responses by them.
"""

from __future__ import annotations

NAMES = frozenset(("status", "state", "jobstatus", "jobstate", "taskstatus", "provisioningstate", "phase", "runstatus"))
"""Names of members whose value is the state of a job."""

INNER = ("data", "job", "task", "operation", "result", "properties", "metadata")
"""Names of objects inside a response that may hold such a member."""

ENDED = frozenset(
    (
        *("done", "succeeded", "success", "successful", "complete", "completed", "finished", "ready", "ok"),
        *("available", "processed", "ended"),
    )
)
BROKEN = frozenset(
    (
        *("failed", "failure", "error", "errored", "canceled", "cancelled", "aborted", "rejected", "timeout"),
        *("timedout", "expired", "terminated", "killed", "crashed", "invalid"),
    )
)
