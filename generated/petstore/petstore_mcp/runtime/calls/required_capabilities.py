# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Refuse calls of tools that require a capability of the client (`requires` in the tools file)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.wire_formats import Failure, OtherOutcome, Result, has
from .consent import MISSING_CAPABILITY

if TYPE_CHECKING:
    from ..core.catalog import Tool
    from ..core.effects import Dialogue

_OBJECTS: dict[str, dict[str, object]] = {
    "elicitation": {"elicitation": {}},
    "elicitation.url": {"elicitation": {"url": {}}},
    "sampling": {"sampling": {}},
    "roots": {"roots": {}},
}
"""Name of a capability in the tools file -> MCP's ClientCapabilities object."""


# Decision 0233: A tool that requires a missing capability is listed and refused.
def refusal(tool: Tool, dialogue: Dialogue) -> Result | None:
    """Return None if the client has all capabilities that the tool requires, else an error result.

    In stateless revisions of MCP, raise OtherOutcome instead, with a protocol error that names the missing
    capabilities.
    """
    able = {"elicitation": bool(dialogue.way), "elicitation.url": bool(dialogue.urls)}
    lacks = [each for each in tool.binding.get("requires", ()) if not able.get(each, each in dialogue.declares)]
    if not lacks:
        return None
    named = "the capability " if len(lacks) == 1 else "the capabilities "
    told = f"{tool.name} was not called. It needs {named}{' and '.join(lacks)}, which this client does not declare."
    sentence = f"{told} Use a client that does."
    if not has(dialogue.revision, "resultType"):
        return Result.error(sentence)
    needed: dict[str, object] = {}
    for each in sorted(lacks):
        needed |= _OBJECTS[each]
    raise OtherOutcome(Failure(sentence, MISSING_CAPABILITY, {"requiredCapabilities": needed}))
