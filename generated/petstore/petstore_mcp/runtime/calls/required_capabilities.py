# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Refuse calls of tools whose owner says that a client must be able to do something (`requires` in the tools file)."""

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
"""ClientCapabilities of MCP, by their names in the tools file."""


# Decision 0233: A tool that requires a missing capability is listed and refused.
def refusal(tool: Tool, dialogue: Dialogue) -> Result | None:
    """Return the error result for a client that lacks a capability, None for others. Raises OtherOutcome.

    In the stateless era, the outcome is the protocol error that names the missing capabilities.
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
