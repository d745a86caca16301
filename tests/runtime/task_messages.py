"""Check messages about tasks by a JSON Schema.

For 2026-07-28 it is the schema of the task extension, for 2025-11-25 that of the revision itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs

from tests.runtime.results import R4, R5

EXTENSION = "io.modelcontextprotocol/tasks"
NEEDED: dict[str, object] = {"extensions": {EXTENSION: {}}}
SCHEMA = Path(__file__).parents[3] / "shared" / "formats" / "tasks-extension.schema.json"

_NEWER = {
    "tools/call": "CreateTaskResult",
    "tasks/get": "GetTaskResult",
    "tasks/cancel": "CancelTaskResult",
    "tasks/update": "UpdateTaskResult",
}
_OLDER = {
    "tools/call": "CreateTaskResult",
    "tasks/get": "GetTaskResult",
    "tasks/cancel": "CancelTaskResult",
    "tasks/result": "CallToolResult",
}


def capabilities(revision: str) -> dict[str, object]:
    """Return the capabilities that a server with tasks declares in this protocol revision."""
    if revision == R5:
        return {"extensions": {EXTENSION: {}}}
    return {"tasks": {"cancel": {}, "requests": {"tools": {"call": {}}}}} if revision == R4 else {}


def is_of_task(method: str, result: dict[str, Any]) -> bool:
    """Return True for the result of a request about a task, or of a tool call that became a task."""
    return method.startswith("tasks/") or result.get("resultType") == "task" or "task" in result


def check(method: str, revision: str, result: dict[str, Any], valid: Callable[[str, str, object], None]) -> None:
    """Raise AssertionError or ValidationError if the revision does not allow this result.

    `valid`: function that validates by a schema.
    """
    if revision != R5:
        assert not {"resultType", "ttlMs", "pollIntervalMs"} & result.keys()
        assert ("_meta" in result) == (method == "tasks/result")
        valid(revision, _OLDER[method], result)
        return
    assert result["resultType"] == ("task" if method == "tools/call" else "complete")
    assert result["_meta"].keys() == {"io.modelcontextprotocol/serverInfo"}
    if method in ("tasks/cancel", "tasks/update"):
        assert result.keys() == {"resultType", "_meta"}
    if "result" in result:
        assert result["status"] == "completed"
        valid(revision, "CallToolResult", result["result"])
    if SCHEMA.is_file():
        _validator(_NEWER[method]).validate(result)


@cache
def _validator(definition: str) -> Any:
    schema = json.loads(SCHEMA.read_text())
    return jsonschema_rs.validator_for(
        {"$schema": schema["$schema"], "$ref": f"#/$defs/{definition}", "$defs": schema["$defs"]}
    )
