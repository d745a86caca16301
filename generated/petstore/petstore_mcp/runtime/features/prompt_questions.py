# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Ask the user for values to put into the messages of a prompt, with the code that asks the questions of tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..calls.plain_call import CallUnderWay, unheard
from ..core.catalog import Tool
from ..core.jsonrpc import INVALID_PARAMS
from ..core.wire_formats import Failure, OtherOutcome, has
from ..questions.consent import FAULTS
from ..questions.interviews import WORDS as WORDS_OF_TOOLS
from ..questions.questions import of_server
from ..request.argument_errors import Refused, Unanswered

if TYPE_CHECKING:
    from ..calls.services import Services
    from ..core.effects import GetPrompt
    from ..core.wire_formats import Ask

WORDS = {
    **WORDS_OF_TOOLS,
    "unable": "The user must be asked, and this client cannot ask: it does not declare the capability elicitation"
    " (forms). Use a client that does.",
}
"""Texts for the client, by the outcome of a question that was not answered."""


async def answered(wanted: GetPrompt, services: Services, ask: Ask | None) -> dict[str, Any]:
    """Return the arguments of the prompt and the user's answers, all as texts.

    Raise OtherOutcome with a question if the client must send the request again with the user's answer. Raise
    OtherOutcome with a protocol error if the user declined, if no answer can be had, or if an argument is wrong.
    """
    tool = _as_tool(wanted)
    budget = services.preparation.budget(tool)
    call = CallUnderWay(tool, wanted.arguments, unheard, wanted.dialogue, ask, budget)
    try:
        interview = await services.once(of_server).interview(call, wanted.arguments)
    except Unanswered as ended:
        code, data = FAULTS.get(ended.said, (INVALID_PARAMS, None))
        code = code if has(wanted.dialogue.revision, "resultType") else INVALID_PARAMS
        raise OtherOutcome(Failure(f"The prompt was not made. {WORDS[ended.said]}", code, data)) from None
    except Refused as reason:
        told = "; ".join(map(str, reason.problems))
        raise OtherOutcome(Failure(f"The prompt was not made: {told}.", INVALID_PARAMS)) from None
    return {name: _as_text(value) for name, value in interview.given.items()}


def _as_tool(wanted: GetPrompt) -> Tool:
    """Return the prompt in the form of a tool, so that the code for tools can ask the questions.

    Its input schema has the prompt's arguments as texts, and the fields of the questions with their schemas.
    """
    entry = wanted.entry
    texts: dict[str, Any] = {each["name"]: {"type": "string"} for each in entry["listed"].get("arguments", ())}
    binding: Any = {"ask": entry["ask"]}
    tool = Tool(f"prompt {wanted.name}", {"type": "object", "properties": texts}, binding)
    fields = {name: field for question in entry["ask"] for name, field in question["form"].items()}
    tool.schema = {"type": "object", "properties": {**texts, **fields}}
    return tool


def _as_text(value: Any) -> str:
    """Return a value as readable text: `yes` or `no` for a boolean, a list joined by commas."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
