# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Ask the user for confirmation before a call is sent, for tools whose entry in `bindings.json` has `confirm`.

Confirmation fails closed: a call is sent only after an `accept` for this very call. Any other outcome is an error for
the model, and nothing is sent. The question shows the arguments as the client sent them, one per line, and the number
of omitted arguments. So no argument can hide another argument, or look like a line written by this server.

Only the action of an elicitation result is read, since the form has no fields. A forged `requestState` or a malformed
elicitation result is an error of the client, not of the model. So the answer to it is a protocol error.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from ..core import log, spans
from ..core.jsonrpc import INVALID_PARAMS
from ..core.wire_formats import CONFIRM, LOGIN_STATE, Failure, OtherOutcome, Question, Result, has
from ..text.sanitize import visible
from .signed_state import SECONDS

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from ..calls.plain_call import CallUnderWay
    from ..calls.services import Services
    from ..core.catalog import Tool
    from ..core.wire_formats import Ask, Asked
    from .signed_state import States


MOST_TURNS = 3
"""Largest number of times that the user is asked about one call, if the client repeats the call without an answer."""

MOST_SHOWN = 30
LONGEST_SHOWN = 200
LONGEST_TARGET = 500

GIVEN = "given"
"""Value of `CallUnderWay.consent` for a call of a workflow to whose writes the user has agreed."""

MISSING_CAPABILITY = -32021

_AGAIN = "Call it again to ask the user again."
INSTEAD = {
    "decline": "The user said no. Do not call it again with these arguments unless the user asks for it.",
    "cancel": "The user closed the question without an answer. Ask the user before you call it again.",
    "late": f"The user did not answer within {SECONDS // 60} minutes. {_AGAIN}",
    "used": f"This confirmation was used already; it is good for one call. {_AGAIN}",
    "other": "The user confirmed another call, with other arguments or files, or of this tool as it was before. "
    + _AGAIN,
    "unknown": "Whether this confirmation was used already cannot be known just now: what the replicas of this server "
    f"share is away. {_AGAIN}",
    "crowded": "Too many calls were confirmed in a short time. Wait some minutes before you call it again.",
    "unanswered": f"The user was to be asked {MOST_TURNS} times, and no answer came back.",
    "lost": "The user must confirm it, and no answer could be had: the client refused to ask, is leaving, or has many "
    "questions open. Ask the user whether to call it again.",
    "unable": "The user must confirm it, and this client cannot ask: it does not declare the capability elicitation "
    "(forms). Use a client that does, or let the owner of this server set `confirm: when-supported` for it.",
    "forged": f"The requestState is not the one that was given. {_AGAIN}",
    "unreadable": f"inputResponses.{CONFIRM} must have an action: accept, decline or cancel. {_AGAIN}",
}
"""Texts for the model, by the outcome of a confirmation that was not accepted."""

FAULTS: dict[str, tuple[int, object]] = {
    "unable": (MISSING_CAPABILITY, {"requiredCapabilities": {"elicitation": {}}}),
    "forged": (INVALID_PARAMS, None),
    "unreadable": (INVALID_PARAMS, None),
}
"""Outcomes that are a protocol error in the stateless era -> code and data of the error."""


def of_server(services: Services) -> Consent:
    """Return the object that asks for confirmations of the calls of one server."""
    return Consent(services.lasting.states, services.lasting.redactor.text)


def remember(services: Services, tool: Tool) -> Callable[[CallUnderWay], None]:
    """Return the step that copies the arguments for the confirmation, since hooks may change them in place."""

    def step(call: CallUnderWay) -> None:
        call.given = deepcopy(call.arguments)

    return step


def confirm(services: Services, tool: Tool) -> Callable[[CallUnderWay], Awaitable[None]]:
    """Return the step that lets the user confirm the call. Without a yes, the call ends with an error result."""
    hook = f"{services.preparation.hooks.replacing(tool.name)} in hooks.py"

    async def step(call: CallUnderWay) -> None:
        about = (str(call.ready), call.ready.files) if call.ready is not None else (hook, "")
        call.result = await services.once(of_server).obtain(call, about)

    return step


async def nobody(question: Asked) -> object:
    """Return None as the answer. This function is used as `ask` if there is no user to ask."""
    return None


# Accepting the form is the consent: a form without fields cannot be misread.
class Consent:
    """Confirmation by the user for the calls of one server. `redact` removes secrets from shown texts."""

    def __init__(self, states: States, redact: Callable[[str], str], seconds: float = SECONDS) -> None:
        self._states = states
        self._redact = redact
        self._seconds = seconds

    async def obtain(self, call: CallUnderWay, about: tuple[str, str]) -> Result | None:
        """Return None if the user confirms the call, or if no confirmation is needed; else an error result.

        `about`: the request line (or the name of the hook that replaces the request), and a digest of the files to
        send. Raise OtherOutcome to end the call with a protocol error, or with a question after which the client
        repeats the call.
        """
        tool, dialogue = call.tool, call.dialogue
        policy = call.consent or tool.binding.get("confirm")
        if policy in (None, GIVEN) or (policy == "when-supported" and not dialogue.way):
            return None
        message = question(tool.name, call.given, about[0], self._redact)
        if dialogue.way == "request":
            said = await self._answer(message, call.ask or nobody)
        elif dialogue.way == "result":
            said = await self._brought(call, message, _subject(tool, call.given, about))
        else:
            said = "unable"
        tell = log.event if said == "accept" else log.seldom  # a client can repeat refusals quickly
        tell("info", "confirmation", tool=tool.name, outcome=said)
        spans.note(confirmation=said)
        return None if said == "accept" else not_called(tool.name, said, dialogue.revision)

    async def _answer(self, message: str, ask: Ask) -> str:
        """Ask the user while the call waits, and return the outcome."""
        try:
            async with asyncio.timeout(self._seconds):
                return action(await ask(message)) or "lost"
        except TimeoutError:
            return "late"

    async def _brought(self, call: CallUnderWay, message: str, subject: str) -> str:
        """Return the outcome of the user's answer in a repeated call. `subject`: digest of what the user confirms.

        Raise OtherOutcome with the question if the call has no answer.
        """
        dialogue, turn = call.dialogue, 0
        # Do not ask again: the user has confirmed this call. `confirmed` comes from the `requestState` of a question
        # that a hook asked later.
        if call.confirmed == subject:
            return "accept"
        if dialogue.state is not None and not dialogue.state.startswith(LOGIN_STATE):
            turn, void = await self._states.take(dialogue.state, subject)
            if void:
                return void
            if CONFIRM in dialogue.responses:
                said = action(dialogue.responses[CONFIRM]) or "unreadable"
                call.confirmed = subject if said == "accept" else ""
                return said
        if turn == MOST_TURNS:
            return "unanswered"
        raise OtherOutcome(Question(message, self._states.issue(subject, turn + 1)))


def not_called(tool: str, said: str, revision: str, more: str = "", words: Mapping[str, str] = INSTEAD) -> Result:
    """Return the error result for a call that the user did not confirm, or whose questions got no answer.

    `said`: the outcome, such as `decline`. `words`: outcome -> sentence for the model. For an outcome in FAULTS and a
    stateless MCP revision, raise OtherOutcome with a protocol error instead.
    """
    sentence = f"{tool} was not called. {words[said]}{more}"
    if said in FAULTS and has(revision, "resultType"):
        raise OtherOutcome(Failure(sentence, *FAULTS[said]))
    return Result.error(sentence)


def action(reply: object) -> str | None:
    """Return the action of an ElicitResult: accept, decline or cancel; None if it has no valid action."""
    said = reply.get("action") if isinstance(reply, dict) else None
    return said if isinstance(said, str) and said in ("accept", "decline", "cancel") else None


# The arguments show what the model asks for, and the URL what the server will do (docs/decisions/calls.md).
def question(tool: str, arguments: dict[str, Any], target: str, redact: Callable[[str], str]) -> str:
    """Return the text that asks the user whether to go on with a call."""

    def shown(text: str, longest: int) -> str:
        return _cut(visible(redact(text)), longest)  # redact before cutting: a secret cut in half is not found

    lines = [f"Go on with this call of {tool}?", *(shown(line, LONGEST_TARGET) for line in target.split("\n"))]
    for name, value in list(arguments.items())[:MOST_SHOWN]:
        label = name if name.isidentifier() else json.dumps(name, ensure_ascii=False)
        lines.append(f"- {shown(label, LONGEST_SHOWN)}: {shown(json.dumps(value, ensure_ascii=False), LONGEST_SHOWN)}")
    if len(arguments) > MOST_SHOWN:
        lines.append(f"- and {len(arguments) - MOST_SHOWN} more that are not shown")
    return "\n".join(lines)


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}\u2026 ({len(text):,} characters)"


def _subject(tool: Tool, arguments: dict[str, Any], about: tuple[str, str]) -> str:
    """Return the digest, in hexadecimal, of the call that the user is asked to confirm.

    The digest covers the tool's entry in `bindings.json`, since a changed entry turns the same arguments into another
    request.
    """
    what = [tool.name, tool.binding, about, arguments]
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()
