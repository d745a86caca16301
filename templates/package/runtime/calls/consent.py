# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Asks the user before a call is sent, where the table says so (`confirm` of a binding).

Fails closed: only an `accept` to this very call sends it. Whatever else comes of the question is an error that the
model understands, and nothing has left. What is asked shows the arguments as the client sent them, one a line and none
left out in silence, so that no argument can hide another one or pose as a line of ours.

Anything of the answer but its action is ignored: the form has no fields. Whoever changed the state that an answer
brings, or answers in another shape, is no model and gets an error of the protocol.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from ..core import log, spans
from ..core.jsonrpc import INVALID_PARAMS
from ..core.wire_formats import CONFIRM, Ended, Failure, Question, Result, has
from ..text.invisible import visible
from .signed_state import SECONDS, Forged, Tickets, Void

if TYPE_CHECKING:
    from ..core.catalog import Tool
    from ..core.effects import Dialogue

Ask = Callable[[str], Awaitable[object]]

# Decision 0095: At most 16 calls wait for a user.
MOST_TURNS = 3
"""So often one call is asked about, where the client comes back without an answer."""

MOST_SHOWN = 30
LONGEST_SHOWN = 200
LONGEST_TARGET = 500

MISSING_CAPABILITY = -32021

_AGAIN = "Call it again to ask the user again."
_INSTEAD = {
    "decline": "The user said no. Do not call it again with these arguments unless the user asks for it.",
    "cancel": "The user closed the question without an answer. Ask the user before you call it again.",
    "late": f"The user did not answer within {SECONDS // 60} minutes. {_AGAIN}",
    "used": f"This confirmation was used already; it is good for one call. {_AGAIN}",
    "other": "The user confirmed another call, with other arguments or files, or of this tool as it was before. "
    + _AGAIN,
    "crowded": "Too many calls were confirmed in a short time. Wait some minutes before you call it again.",
    "unanswered": f"The user was to be asked {MOST_TURNS} times, and no answer came back.",
    "lost": "The user must confirm it, and no answer could be had: the client refused to ask, is leaving, or has many "
    "questions open. Ask the user whether to call it again.",
    "unable": "The user must confirm it, and this client cannot ask: it does not declare the capability elicitation "
    "(forms). Use a client that does, or let the owner of this server set `confirm: when-supported` for it.",
    "forged": f"The requestState is not the one that was given. {_AGAIN}",
    "unreadable": f"inputResponses.{CONFIRM} must have an action: accept, decline or cancel. {_AGAIN}",
}
"""What became of a question that was not accepted, and what a model is told."""

_FAULTS: dict[str, tuple[int, object]] = {
    "unable": (MISSING_CAPABILITY, {"requiredCapabilities": {"elicitation": {}}}),
    "forged": (INVALID_PARAMS, None),
    "unreadable": (INVALID_PARAMS, None),
}
"""Those that the stateless era answers with an error of the protocol: its code and data."""


async def nobody(question: str) -> object:
    """Stands for `ask` where there is nobody to ask."""
    return None


# Decision 0094: The form of a confirmation has no fields.
class Consent:
    """Obtains consent for the calls of one server. `redact` takes secrets out of what is shown."""

    def __init__(self, tickets: Tickets, redact: Callable[[str], str], seconds: float = SECONDS) -> None:
        self._tickets = tickets
        self._redact = redact
        self._seconds = seconds

    async def obtain(
        self, tool: Tool, arguments: dict[str, Any], about: tuple[str, str], dialogue: Dialogue, ask: Ask
    ) -> Result | None:
        """None where the call may go on; else the error to answer with. `arguments` are as the client sent them,
        `about` is the request, or what stands for it, and a digest of its files. Raises Ended with a question, or an
        error of the protocol.
        """
        policy = tool.binding.get("confirm")
        if policy is None or (policy == "when-supported" and not dialogue.way):
            return None
        message = question(tool.name, arguments, about[0], self._redact)
        if dialogue.way == "request":
            said = await self._answer(message, ask)
        elif dialogue.way == "result":
            said = self._brought(dialogue, message, _subject(tool, arguments, about))
        else:
            said = "unable"
        log.event("info", "confirmation", tool=tool.name, outcome=said)
        spans.note(confirmation=said)
        if said == "accept":
            return None
        sentence = f"{tool.name} was not called. {_INSTEAD[said]}"
        if said in _FAULTS and has(dialogue.revision, "resultType"):
            raise Ended(Failure(sentence, *_FAULTS[said]))
        return Result.error(sentence)

    async def _answer(self, message: str, ask: Ask) -> str:
        """What the user does about the question, asked while the call waits."""
        try:
            async with asyncio.timeout(self._seconds):
                return action(await ask(message)) or "lost"
        except TimeoutError:
            return "late"

    def _brought(self, dialogue: Dialogue, message: str, subject: str) -> str:
        """The same from what the call brings along. Raises Ended with the question where it brings no answer."""
        turn = 0
        if dialogue.state is not None:
            try:
                turn = self._tickets.take(dialogue.state, subject)
            except Forged:
                return "forged"
            except Void as void:
                return void.reason
            if CONFIRM in dialogue.responses:
                return action(dialogue.responses[CONFIRM]) or "unreadable"
        if turn == MOST_TURNS:
            return "unanswered"
        raise Ended(Question(message, self._tickets.issue(subject, turn + 1)))


def action(reply: object) -> str | None:
    """What an ElicitResult says: accept, decline or cancel; None where it is none."""
    said = reply.get("action") if isinstance(reply, dict) else None
    return said if isinstance(said, str) and said in ("accept", "decline", "cancel") else None


# Decision 0093: A confirmation shows the arguments as the client sent them.
def question(tool: str, arguments: dict[str, Any], target: str, redact: Callable[[str], str]) -> str:
    """What the user is asked."""

    def shown(text: str, longest: int) -> str:
        return _cut(visible(redact(text)), longest)  # in this order: half a secret is not found

    lines = [f"Go on with this call of {tool}?", shown(target, LONGEST_TARGET)]
    for name, value in list(arguments.items())[:MOST_SHOWN]:
        label = name if name.isidentifier() else json.dumps(name, ensure_ascii=False)
        lines.append(f"- {shown(label, LONGEST_SHOWN)}: {shown(json.dumps(value, ensure_ascii=False), LONGEST_SHOWN)}")
    if len(arguments) > MOST_SHOWN:
        lines.append(f"- and {len(arguments) - MOST_SHOWN} more that are not shown")
    return "\n".join(lines)


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}\u2026 ({len(text):,} characters)"


def _subject(tool: Tool, arguments: dict[str, Any], about: tuple[str, str]) -> str:
    """What a ticket is for, in hexadecimal. The binding too: another table may make something else of the call."""
    what = [tool.name, tool.binding, about, arguments]
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()
