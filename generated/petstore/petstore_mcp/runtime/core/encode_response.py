# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Encode an outcome that is no result of a tool as a JSON-RPC response, in the form of the request's MCP revision.

Such outcomes are rare. `wire_formats.result_line` encodes the results of tools.
"""

from __future__ import annotations

from .jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, MAX_LINE, RESOURCE_NOT_FOUND, answer, error
from .wire_formats import (
    FIXED,
    PASSING,
    RESULT_TOO_LARGE,
    Contents,
    Failure,
    PromptMessages,
    Question,
    Reply,
    Result,
    Task,
    complete_result,
    get_prompt_result,
    has,
    input_required_result,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..tables.table import Identity
    from .jsonrpc import Id

_NOTHING = "There is nothing at this URI."
#: Largest number of characters of an unknown URI that the error message repeats.
MAX_URI = 1024
TOO_LARGE = "The answer to {} is larger than clients read in one message."


def written(
    id: Id,  # noqa: A002
    outcome: Failure | Question | Task | Contents | PromptMessages | Reply,
    revision: str,
    server: Identity,
) -> bytes:
    """Return the response line for the request `id`. `server`: the server's name and version."""
    if isinstance(outcome, Failure):
        return error(id, outcome.code, outcome.sentence, outcome.data)
    if isinstance(outcome, Task):
        from ..jobs.tasks import written as task_line  # imported here: few servers have MCP tasks

        return _fitting(id, outcome, task_line(id, outcome, revision, server), revision, server)
    if isinstance(outcome, Question):
        return answer(id, input_required_result(outcome, revision, server))
    if isinstance(outcome, Contents):
        return _contents(id, outcome, revision, server)
    if isinstance(outcome, PromptMessages):
        method, told = "prompts/get", get_prompt_result(outcome, revision, server)
    else:
        method, told = outcome.method, complete_result(outcome.members, revision, server, outcome.cache)
    line = answer(id, told)
    return line if len(line) <= MAX_LINE else error(id, INTERNAL_ERROR, TOO_LARGE.format(method))


def _fitting(id: Id, task: Task, line: bytes, revision: str, server: Identity) -> bytes:  # noqa: A002
    """Return `line`, the response about a task, if it is short enough for a message.

    Otherwise return a response with an error in place of the task's result.
    """
    if len(line) <= MAX_LINE or task.result is None:
        return line
    task.result = Result.error(RESULT_TOO_LARGE.format(len(line)))
    return written(id, task, revision, server)


def _contents(id: Id, found: Contents, revision: str, server: Identity) -> bytes:  # noqa: A002
    if found.contents is not None:
        cache = FIXED if found.fixed else PASSING
        line = answer(id, complete_result({"contents": found.contents}, revision, server, cache))
        return line if len(line) <= MAX_LINE else error(id, INTERNAL_ERROR, RESULT_TOO_LARGE.format(len(line)))
    newer = has(revision, "unknown resource is invalid params")
    code = INVALID_PARAMS if newer else RESOURCE_NOT_FOUND
    return error(id, code, found.reason or _NOTHING, {"uri": found.uri[:MAX_URI]})
