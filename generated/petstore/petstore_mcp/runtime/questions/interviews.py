# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Ask the user by forms, one question after the other, and store the answers so far.

In stateless revisions of MCP, each question ends the call. The earlier answers are part of the state (`requestState`)
that the client sends with the next answer. A state is valid once, for the same call of the same caller.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..core import log, spans
from ..core.effects import Dialogue
from ..core.wire_formats import OtherOutcome, Question
from ..request.argument_errors import Problem
from ..text.sanitize import visible
from .consent import INSTEAD, MOST_TURNS, action, nobody
from .forms import FormQuestion

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..calls.plain_call import CallUnderWay
    from .signed_state import States

    Checked = Callable[[FormQuestion, object], tuple[dict[str, Any], list[Problem]]]

LONGEST_ANSWERS = 32_000
"""Largest size in bytes of all answers of a call, as JSON. A state (`requestState`) contains them."""

WORDS = {
    **INSTEAD,
    "decline": "The user declined to answer. Do not call it again unless the user asks for it.",
    "cancel": "The user closed the question without an answer. Ask the user before you call it again.",
    "used": "These answers were used already; they are good for one call. Call it again to ask the user again.",
    "other": "The user answered for another call, with other arguments, or of this tool as it was before. Call it again"
    " to ask the user again.",
    "lost": "The user must be asked, and no answer could be had: the client refused to ask, is leaving, or has many"
    " questions open. Ask the user whether to call it again.",
    "unable": "The user must be asked, and this client cannot ask: it does not declare the capability elicitation"
    " (forms). Use a client that does, or let the owner of this server set `without: arguments` at the question.",
    "unreadable": "An answer in inputResponses must have an action: accept, decline or cancel. Call it again to ask the"
    " user again.",
    "wrong": f"The user was asked {MOST_TURNS} times, and the answers did not fit. Ask the user before you call it"
    " again.",
}
"""Texts for the model, by the outcome of a question that was not answered."""


# The client carries the answers, since the store is optional and this process may end before the next one
# (docs/decisions/http.md).
class Interview:
    """Questions and answers about one call.

    `answers`: name of a question -> field -> value. `asked`: name of the last question. `turn`: how often it was asked.
    `inner`: state of a question that was asked after all answers, such as a confirmation, or "". `dialogue`: how the
    client can be asked.
    """

    kind = "ask"
    """Kind of these questions. A state of another kind is invalid."""

    prefix = ""
    """Prefix of each `requestState`, if a call may also bring states of other questions."""

    def __init__(self, call: CallUnderWay, arguments: dict[str, Any]) -> None:
        self.call = call
        self.dialogue = call.dialogue
        self.arguments = arguments
        self.answers: dict[str, dict[str, Any]] = {}
        self.asked, self.turn, self.inner = "", 0, ""
        needed = call.dialogue.way == "result" or call.dialogue.state is not None
        # Encode the arguments now: `subject` needs them as the client sent them, and hooks may change `arguments`.
        self._asked_for = json.dumps(arguments, sort_keys=True) if needed else ""

    @cached_property
    def subject(self) -> str:
        """Return the digest of the call, in hexadecimal, which binds each `requestState` to the call.

        The digest is computed when first needed: most calls with hooks ask no question.
        """
        what = [self.kind, self.call.tool.name, self.call.tool.binding, self._asked_for]
        return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()

    @property
    def given(self) -> dict[str, Any]:
        """Return one object with the client's arguments and the values that the user has entered in forms."""
        found = dict(self.arguments)
        for answer in self.answers.values():
            found |= answer
        return found

    @property
    def followed(self) -> Dialogue:
        """Return how to ask the user one more question after those of this class, such as whether to confirm the call.

        If that question was already asked (`inner` holds its `requestState`), the client has repeated the call with the
        answer. The returned Dialogue then contains `inner` and the answer, else neither.
        """
        own, responses = self.dialogue, self.dialogue.responses if self.inner else {}
        return own.with_answers(self.inner or None, responses)

    def read(self, turn: int, kept: bytes) -> None:
        """Restore the user's answers from `kept`, the bytes that `written` has returned for a `requestState`.

        `turn`: how often the user was asked the last question. A missing or invalid answer causes a repetition.
        """
        self.turn = turn
        self.answers, self.asked, self.inner = json.loads(kept)

    def written(self, asked: str, inner: str = "") -> bytes:
        """Return the answers so far as bytes for a `requestState`. `asked`: name of the question now asked, or "".

        `inner`: state of a question that follows all answers, such as a confirmation, or "".
        """
        return json.dumps([self.answers, asked, inner], separators=(",", ":")).encode()


class Forms:
    """Interviewer of the users of one server, by forms (MCP elicitation). `states`: issues and checks each
    `requestState`, which holds the answers so far.
    """

    def __init__(self, states: States, seconds: float) -> None:
        self._states = states
        self._seconds = seconds

    async def resumed(self, interview: Interview, state: str | None) -> str:
        """Restore the answers from the call's state. Return "", or why the state is invalid, as a key of WORDS."""
        if state is None or not state.startswith(interview.prefix):
            return ""
        turn, void, kept = await self._states.take_kept(state.removeprefix(interview.prefix), interview.subject)
        if not void:
            interview.read(turn, kept)
        return void

    def state(self, interview: Interview, asked: str, turn: int = 1, inner: str = "") -> str:
        """Return the `requestState` for the client, which contains the answers so far.

        `asked`: name of the question that is asked now, or "". `turn`: how often it has been asked, this time included.
        """
        return interview.prefix + self._states.issue(interview.subject, turn, interview.written(asked, inner))

    async def answered(self, interview: Interview, form: FormQuestion, checked: Checked) -> str:
        """Get the answer to a form: ask the user now, or take it from a repeated call. Store its values if valid.

        Return the outcome: `accept`, or a key of WORDS, such as `decline`. `checked` checks the content of an answer.
        Raise OtherOutcome with the question if the client must call again with an answer.
        """
        if interview.dialogue.way == "request":
            said = await self._asked(interview, form, checked)
        else:
            said = self._brought(interview, form, checked)
        log.event("info", "question", tool=interview.call.tool.name, question=form.name, outcome=said)
        if (span := spans.current()) is not None:
            span.questions[form.name] = said
        return said

    async def _asked(self, interview: Interview, form: FormQuestion, checked: Checked) -> str:
        """Ask the user while the call waits, again if the answers are invalid, at most MOST_TURNS times.

        Return the outcome: `accept`, or a key of WORDS, such as `decline`.
        """
        ask, message = interview.call.ask or nobody, form.message
        for _ in range(MOST_TURNS):
            try:
                async with asyncio.timeout(self._seconds):
                    reply = await ask(form)
            except TimeoutError:
                return "late"
            said = action(reply) or "lost"
            if said != "accept":
                return said
            problems = _taken(interview, form, reply, checked)
            if not problems:
                return said
            form.message = _again(problems, message, form)
        return "wrong"

    def _brought(self, interview: Interview, form: FormQuestion, checked: Checked) -> str:
        """Return the outcome of the question: `accept`, or a key of WORDS, such as `decline`.

        The client repeats a call to send the user's answer. If the call has no valid answer, raise OtherOutcome with
        the question. After MOST_TURNS questions, return `wrong` or `unanswered` instead.
        """
        responses, turn = interview.dialogue.responses, 0
        problems: list[Problem] = []
        if interview.asked == form.name:
            turn = interview.turn
            if form.name in responses:
                said = action(responses[form.name]) or "unreadable"
                if said != "accept":
                    return said
                problems = _taken(interview, form, responses[form.name], checked)
                if not problems:
                    return said
            if turn >= MOST_TURNS:
                return "wrong" if problems else "unanswered"
        form.message = _again(problems, form.message, form)
        raise OtherOutcome(Question(form.message, self.state(interview, form.name, turn + 1), form=form))


def _taken(interview: Interview, form: FormQuestion, reply: Any, checked: Checked) -> list[Problem]:
    """Store the values of an answer if they are valid. Return the problems of the values."""
    values, problems = checked(form, reply.get("content"))
    problems = problems or [Problem(name, expected) for name, expected in form.misfits(values)]
    if not problems:
        interview.answers[form.name] = values
        if len(interview.written(form.name)) > LONGEST_ANSWERS:
            del interview.answers[form.name]
            problems = [Problem("", f"The answers hold more than {LONGEST_ANSWERS:,} bytes.")]
    return problems


def _again(problems: Iterable[Problem], message: str, form: FormQuestion) -> str:
    """Return the text of a repeated question: each problem of an answer with its field's label, then `message`."""
    told = (str(Problem(form.label(each.argument), each.text)) for each in problems)
    return "\n".join([*map(visible, told), message])
