# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Refuse a call if its tool requires a capability (`requires` in the tools file) that the client does not declare."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core import spans
from ..core.jsonrpc import METHOD_NOT_FOUND
from ..core.wire_formats import TASKS, Failure, OtherOutcome, Result, has
from .consent import MISSING_CAPABILITY

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..calls.plain_call import CallUnderWay
    from ..calls.services import Services
    from ..core.catalog import Tool
    from ..core.effects import Dialogue

_OBJECTS: dict[str, dict[str, object]] = {
    "elicitation": {"elicitation": {}},
    "elicitation.url": {"elicitation": {"url": {}}},
    "sampling": {"sampling": {}},
    "roots": {"roots": {}},
    "tasks": {"extensions": {TASKS: {}}},
}
"""Name of a capability in the tools file -> MCP's ClientCapabilities object."""


def require(services: Services, tool: Tool) -> Callable[[CallUnderWay], None]:
    """Return the step that ends a call with an error result if its client lacks a capability."""

    def step(call: CallUnderWay) -> None:
        call.result = refusal(tool, call.dialogue)

    return step


# All clients get the same list, which they may cache for all users. A model can tell its user why a tool does not work.
def refusal(tool: Tool, dialogue: Dialogue) -> Result | None:
    """Return None if the client has all capabilities that the tool requires, else an error result.

    In stateless revisions of MCP, raise OtherOutcome instead, with a protocol error that names the missing
    capabilities. Raise OtherOutcome in 2025-11-25 too, if a call that must become a task does not ask for one.
    """
    able = {"elicitation": bool(dialogue.way), "elicitation.url": bool(dialogue.urls), "tasks": dialogue.tasks}
    lacks = [each for each in tool.binding.get("requires", ()) if not able.get(each, each in dialogue.declares)]
    if not lacks:
        return None
    if "tasks" in lacks and spans.in_program():
        return Result.error(f"{tool.name} was not called. Its calls become tasks, which a program cannot follow.")
    named = "the capability " if len(lacks) == 1 else "the capabilities "
    told = f"{tool.name} was not called. It needs {named}{' and '.join(lacks)}, which this client does not declare."
    sentence = f"{told} Use a client that does."
    if has(dialogue.revision, "resultType"):
        needed: dict[str, object] = {}
        for each in sorted(lacks):
            needed |= _OBJECTS[each]
        raise OtherOutcome(Failure(sentence, MISSING_CAPABILITY, {"requiredCapabilities": needed}))
    if lacks == ["tasks"] and has(dialogue.revision, "tasks"):
        # MCP 2025-11-25 prescribes METHOD_NOT_FOUND for a call without `task` if the tool requires it.
        wanted = f"{tool.name} was not called. It can only be called as a task, with `task` in params."
        raise OtherOutcome(Failure(wanted, METHOD_NOT_FOUND))
    return Result.error(sentence)
