# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Read and encode messages about MCP tasks, in the forms of revision 2025-11-25 and of the extension of 2026-07-28.

If the API goes on working after its response, the server may answer a tool call with a task instead of a result. The
client then asks for the state of the task with `tasks/get`. The server stores no tasks: the signed or encrypted id of a
task contains the request that asks the API for the state (`jobs/jobs.py`). No I/O.

                   2025-11-25                                2026-07-28
    a task begins  if the call brings `task`                 if the client declares the extension
    tasks/get      the state                                 the state, and at the end the result
    tasks/result   waits for the end, returns the result
    tasks/cancel   the state afterwards                      an acknowledgement
    tasks/update                                             an acknowledgement: no task here asks for input
"""

from __future__ import annotations

from ..core.effects import CAPABILITIES, Dialogue, TaskRequest, origin, progress_token
from ..core.jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, Fault, answer, dumps
from ..core.wire_formats import STATELESS_REVISIONS, TASKS, call_result, complete_result, has

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.effects import Origin
    from ..core.jsonrpc import Id, Members, Request
    from ..core.wire_formats import Task
    from ..tables.table import Identity

LONGEST_ID = 8192
"""Longest id of a task in characters."""

_MISSING_CAPABILITY = -32021
_RELATED = "io.modelcontextprotocol/related-task"


def heard(dialogue: Dialogue, request: Request, revision: str) -> Dialogue:
    """Return a copy of `dialogue` that lets the call become an MCP task, if the request asks for or allows that; else
    `dialogue` itself.

    `dialogue`: what the client supports during the call. Raise Fault if the request's `task` is malformed.
    """
    if revision in STATELESS_REVISIONS:
        asked, seconds = _declares(request.meta), 0.0
    elif has(revision, "tasks") and "task" in request.params:
        asked, seconds = True, _seconds(request.params["task"])
    else:
        return dialogue
    if not asked:
        return dialogue
    found = dialogue.with_answers(dialogue.state, dialogue.responses)
    found.tasks, found.task_seconds = True, seconds
    return found


def read(key: int, request: Request, revision: str, handshake: Origin) -> TaskRequest:
    """Return a request about a task as a TaskRequest.

    Raise Fault if the request is malformed, or if a stateless client does not declare the extension for tasks.
    """
    if revision in STATELESS_REVISIONS and not _declares(request.meta):
        data: Members = {"requiredCapabilities": {"extensions": {TASKS: {}}}}
        raise Fault(_MISSING_CAPABILITY, "Missing required client capability", data)
    task = request.params.get("taskId")
    if not isinstance(task, str) or len(task) > LONGEST_ID:
        raise Fault(INVALID_PARAMS, f"{request.method} needs params.taskId, a string.")
    if request.method == "tasks/update" and not isinstance(request.params.get("inputResponses"), dict):
        raise Fault(INVALID_PARAMS, "tasks/update needs params.inputResponses, an object.")
    action = request.method.partition("/")[2]
    return TaskRequest(key, action, task, revision, progress_token(request), origin(request, handshake))


def written(id: Id, task: Task, revision: str, server: Identity) -> bytes:  # noqa: A002
    """Return the JSON-RPC response to a request that began an MCP task or asked about one, in the form of
    `revision`.
    """
    if not has(revision, "resultType"):
        return _handshake(id, task, revision, server)
    if task.answers in ("cancel", "update"):
        return answer(id, complete_result({}, revision, server))
    kind = "task" if task.answers == "call" else "complete"
    meta: Members = {"_meta": _signature(server)}
    told = dumps({"resultType": kind, **_told(task, "ttlMs", "pollIntervalMs"), **meta})
    if task.lost:
        error = dumps({"code": INTERNAL_ERROR, "message": task.lost})
        return answer(id, told[:-1], b',"error":', error, b"}")
    if task.result is None:
        return answer(id, told)
    return answer(id, told[:-1], b',"result":', *call_result(task.result, revision, server), b"}")


def _handshake(id: Id, task: Task, revision: str, server: Identity) -> bytes:  # noqa: A002
    """Return the JSON-RPC response to a request about an MCP task, in the form of the MCP revision 2025-11-25."""
    state = _told(task, "ttl", "pollInterval")
    if task.answers == "call":
        return answer(id, dumps({"task": state}))
    if task.answers != "result" or task.result is None:
        return answer(id, dumps(state))
    *pieces, last = call_result(task.result, revision, server)
    meta = dumps({_RELATED: {"taskId": task.id}})
    return answer(id, *pieces, last[:-1], b',"_meta":', meta, b"}")


def _told(task: Task, ttl: str, interval: str) -> Members:
    """Return the members of MCP's Task object.

    `ttl`, `interval`: names of two members: `ttl` and `pollInterval` in 2025-11-25, `ttlMs` and `pollIntervalMs` later.
    """
    # In the tasks extension of 2026-07-28, the status `failed` means a protocol error. A failed job has the status
    # `completed`, with an error result.
    status = "completed" if task.status == "failed" and ttl == "ttlMs" and not task.lost else task.status
    found: Members = {"taskId": task.id, "status": status}
    if task.message:
        found["statusMessage"] = task.message
    found.update(createdAt=task.created, lastUpdatedAt=task.updated)
    found[ttl] = task.milliseconds
    if task.status == "working":
        found[interval] = task.interval
    return found


def _signature(server: Identity) -> Members:
    return {"io.modelcontextprotocol/serverInfo": {"name": server["name"], "version": server["version"]}}


def _declares(meta: object) -> bool:
    """Return True if the `_meta` of a request declares the extension for tasks."""
    said = meta.get(CAPABILITIES) if isinstance(meta, dict) else None
    extensions = said.get("extensions") if isinstance(said, dict) else None
    return isinstance(extensions, dict) and isinstance(extensions.get(TASKS), dict)


def _seconds(task: object) -> float:
    """Return the lifetime in seconds that a client wants for its task, or 0 if it gives none.

    Raise Fault if `task` is malformed.
    """
    ttl = task.get("ttl", 0) if isinstance(task, dict) else None
    if isinstance(ttl, bool) or not isinstance(ttl, int) or ttl < 0:
        raise Fault(INVALID_PARAMS, "params.task must be an object; its ttl is a number of milliseconds.")
    return ttl / 1000
