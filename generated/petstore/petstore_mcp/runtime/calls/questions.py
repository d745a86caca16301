# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Ask the user for arguments of a call, for tools with `ask` in their binding.

The questions are asked one after the other. A question may depend on the arguments and on earlier answers. The answers
become arguments, which the model neither sees nor may give. The answers are checked like arguments.

In the stateless era, each question ends the call. The earlier answers are part of the state (`requestState`) that the
client sends with the next answer. A state is valid once, for the same call of the same caller.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from typing import TYPE_CHECKING, Any

from ..core import log, spans
from ..core.asked_arguments import listed_without_asking
from ..core.catalog import Tool
from ..core.effects import Dialogue
from ..core.forms import FormQuestion
from ..core.wire_formats import OtherOutcome, Question
from ..request.argument_errors import Problem, Refused
from ..request.validators import SchemaChecker
from ..text.invisible import visible
from ..text.sanitize import brief
from .consent import INSTEAD, MOST_TURNS, action, nobody, not_called
from .signed_state import SECONDS

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from ..core.budget import Budget
    from ..core.table import AskedQuestion
    from ..core.wire_formats import Result
    from .consent import States
    from .under_way import CallUnderWay

    Verify = Callable[[Tool, dict[str, Any], Budget], dict[str, Any]]
    GoOn = Callable[[CallUnderWay, dict[str, Any]], Awaitable[tuple[Result, str]]]

LONGEST_SHOWN = 200
LONGEST_MESSAGE = 2000
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


class Unanswered(Exception):
    """Raised if the user did not answer a question. `said`: the outcome of the question, a key of WORDS."""

    def __init__(self, said: str) -> None:
        super().__init__(said)
        self.said = said


# Decision 0224: The answers of a user travel in requestState.
class Interview:
    """Questions and answers about one call.

    `answers`: name of a question -> field -> value. `asked`: name of the last question. `turn`: how often it was asked.
    `inner`: state of a question that was asked after all answers, such as a confirmation, or "". `subject`: digest of
    the call, for its states.
    """

    def __init__(self, call: CallUnderWay, arguments: dict[str, Any]) -> None:
        self.call = call
        self.arguments = arguments
        self.answers: dict[str, dict[str, Any]] = {}
        self.asked, self.turn, self.inner = "", 0, ""
        what = ["ask", call.tool.name, call.tool.binding, arguments]
        self.subject = hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()

    @property
    def given(self) -> dict[str, Any]:
        """Return the arguments of the client and the values of all answers as one object."""
        found = dict(self.arguments)
        for answer in self.answers.values():
            found |= answer
        return found

    def read(self, turn: int, kept: bytes) -> None:
        """Restore the answers from a state. `kept`: bytes that `written` returned. `turn`: number of the question."""
        self.turn = turn
        self.answers, self.asked, self.inner = json.loads(kept)

    def written(self, asked: str, inner: str = "") -> bytes:
        """Return the bytes to put into a state. `asked`: name of the question now asked, or "".

        `inner`: state of a question that follows all answers, such as a confirmation, or "".
        """
        return json.dumps([self.answers, asked, inner], separators=(",", ":")).encode()


class Questions:
    """Component that asks the user the questions of tools (`ask` in the tools file).

    `verify` checks arguments, and raises Refused if one is wrong. `redact` removes secrets from texts.
    """

    def __init__(self, states: States, verify: Verify, redact: Callable[[str], str], seconds: float = SECONDS) -> None:
        self._states = states
        self._verify = verify
        self._redact = redact
        self._seconds = seconds

    async def answered(self, call: CallUnderWay, arguments: dict[str, Any], go_on: GoOn) -> tuple[Result, str]:
        """Ask all questions about a call, and return the result of `go_on(call, arguments)` with the answers added.

        Raise Refused if an argument is wrong, and OtherOutcome if the call must end with a question or a protocol
        error.
        """
        dialogue = call.dialogue
        try:
            interview = await self.interview(call, arguments)
        except Unanswered as ended:
            return not_called(call.tool.name, ended.said, dialogue.revision, words=WORDS), ""
        responses = dialogue.responses if interview.inner else {}
        state, declares = interview.inner or None, dialogue.declares
        call.dialogue = Dialogue(dialogue.way, dialogue.revision, state, responses, dialogue.urls, declares)
        if call.given:
            call.given = {**call.given, **interview.given}
        try:
            return await go_on(call, interview.given)
        except OtherOutcome as other:
            asked = other.outcome
            if not isinstance(asked, Question):
                raise
            state = self._states.issue(interview.subject, 1, interview.written("", asked.state))
            raise OtherOutcome(Question(asked.message, state, asked.visit, asked.form)) from None

    async def interview(self, call: CallUnderWay, arguments: dict[str, Any]) -> Interview:
        """Ask all questions about a call and return the answers.

        Raise Refused if an argument is wrong, Unanswered if the user does not answer, and OtherOutcome if the call must
        end with a question.
        """
        interview = Interview(call, self._allowed(call, arguments))
        ended = await self._resumed(interview)
        for question in call.tool.binding["ask"]:
            ended = ended or await self._settled(interview, question)
        if ended:
            raise Unanswered(ended)
        return interview

    def _allowed(self, call: CallUnderWay, arguments: dict[str, Any]) -> dict[str, Any]:
        """Check the arguments of the model and return them.

        Raise Refused if an argument is wrong, or if only the user may give it.
        """
        tool = call.tool
        questions = [each for each in tool.binding["ask"] if call.dialogue.way or each.get("without") != "arguments"]
        barred = {name for each in questions for name in each.get("arguments", ())}
        if strange := [name for name in arguments if name in barred]:
            raise Refused(*(Problem(name, "is asked of the user: leave it out") for name in strange))
        schema = tool.listed
        if not call.dialogue.way:
            schema = listed_without_asking({"inputSchema": schema}, tool.binding["ask"])["inputSchema"]
        seen = Tool(f"{tool.name} as {call.dialogue.way or 'not asked'}", schema, tool.binding)
        return self._verify(seen, arguments, call.budget)

    async def _resumed(self, interview: Interview) -> str:
        """Restore the answers from the call's state. Return "", or a key of WORDS if the state is invalid."""
        dialogue = interview.call.dialogue
        if dialogue.state is None:
            return ""
        turn, void, kept = await self._states.take_kept(dialogue.state, interview.subject)
        if not void:
            interview.read(turn, kept)
        return void

    async def _settled(self, interview: Interview, question: AskedQuestion) -> str:
        """Get the user's answer to a question, if its conditions apply to the call and it has no answer yet.

        Return "", or a key of WORDS if the user did not answer.
        """
        call, name = interview.call, question["name"]
        known = call.tool.given(interview.given)
        if name in interview.answers or not _applies(question, known):
            return ""
        form = self._form(question, known)
        if not form.fields:
            return ""
        if not call.dialogue.way:
            return self._unasked(interview, question, form)
        if call.dialogue.way == "request":
            said = await self._asked(interview, form)
        else:
            said = self._brought(interview, form)
        log.event("info", "question", tool=call.tool.name, question=name, outcome=said)
        if (span := spans.current()) is not None:
            span.questions[name] = said
        return "" if said == "accept" else said

    def _form(self, question: AskedQuestion, known: dict[str, Any]) -> FormQuestion:
        fields = question["form"]
        if "missing" in question:
            fields = {name: field for name, field in fields.items() if name not in known}
        required = [name for name in question.get("required", ()) if name in fields]
        return FormQuestion(question["name"], self._message(question, known), fields, required)

    def _message(self, question: AskedQuestion, known: dict[str, Any]) -> str:
        """Return the text of a question with the arguments inserted, without invisible characters and secrets."""

        def shown(name: str) -> str:
            value = known.get(name, "")
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            return brief(self._redact(text), LONGEST_SHOWN)

        parts = [part if isinstance(part, str) else shown(part["argument"]) for part in question["message"]]
        return visible(self._redact("".join(parts)))[:LONGEST_MESSAGE]

    def _unasked(self, interview: Interview, question: AskedQuestion, form: FormQuestion) -> str:
        """Take the values of the fields from the arguments, if the owner allows it. The client cannot ask its user.

        Return "", or "unable" if the owner does not allow it. Raise Refused if a value is wrong.
        """
        if "missing" in question:
            return ""  # the later check of all arguments reports missing ones
        if question.get("without") != "arguments":
            return "unable"
        values, problems = self._checked(interview, form, interview.arguments)
        if problems:
            raise Refused(*problems)
        interview.answers[form.name] = values
        return ""

    async def _asked(self, interview: Interview, form: FormQuestion) -> str:
        """Ask the user while the call waits, again if the answers are invalid, at most MOST_TURNS times.

        Return the outcome: `accept`, or a key of WORDS.
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
            problems = self._taken(interview, form, reply)
            if not problems:
                return said
            form.message = _again(problems, message)
        return "wrong"

    def _brought(self, interview: Interview, form: FormQuestion) -> str:
        """Return the outcome of the user's answer in a repeated call: `accept`, or a key of WORDS.

        Raise OtherOutcome with the question if the call has no valid answer.
        """
        responses, turn = interview.call.dialogue.responses, 0
        problems: list[Problem] = []
        if interview.asked == form.name:
            turn = interview.turn
            if form.name in responses:
                said = action(responses[form.name]) or "unreadable"
                if said != "accept":
                    return said
                problems = self._taken(interview, form, responses[form.name])
                if not problems:
                    return said
            if turn >= MOST_TURNS:
                return "wrong" if problems else "unanswered"
        form.message = _again(problems, form.message)
        state = self._states.issue(interview.subject, turn + 1, interview.written(form.name))
        raise OtherOutcome(Question(form.message, state, form=form))

    def _taken(self, interview: Interview, form: FormQuestion, reply: Any) -> list[Problem]:
        """Store the values of an answer if they are valid. Return the problems of the values."""
        values, problems = self._checked(interview, form, reply.get("content"))
        if not problems:
            interview.answers[form.name] = values
            if len(interview.written(form.name)) > LONGEST_ANSWERS:
                del interview.answers[form.name]
                problems = [Problem("", f"The answers hold more than {LONGEST_ANSWERS:,} bytes.")]
        return problems

    def _checked(
        self, interview: Interview, form: FormQuestion, content: object
    ) -> tuple[dict[str, Any], list[Problem]]:
        """Check the values of a form by the form's schema and by the tool's input schema.

        Return the values, and their problems.
        """
        tool, values = interview.call.tool, form.read(content)
        whole = {name: tool.schema["properties"][name] for name in form.fields}
        key = f"{tool.name} {form.name} {' '.join(form.fields)}"
        asked = {"type": "object", "properties": form.fields, "required": form.required}
        dialect: dict[str, Any] = {each: tool.schema[each] for each in ("$schema", "$defs") if each in tool.schema}
        sent: dict[str, Any] = {**dialect, "properties": whole}
        try:
            for kind, schema in (("form", asked), ("sent", sent)):
                values = self._verify(Tool(f"{key} {kind}", schema, tool.binding), values, interview.call.budget)
        except Refused as reason:
            return values, reason.problems
        return values, []


def _applies(question: AskedQuestion, known: dict[str, Any]) -> bool:
    """Return True if the arguments `known` meet all conditions of a question. A missing argument meets no condition."""
    return all(
        name in known and SchemaChecker(schema, {}).is_valid(known[name])
        for name, schema in question.get("when", {}).items()
    )


def _again(problems: Iterable[Problem], message: str) -> str:
    """Return the text of a repeated question: the problems of the last answers, then `message`."""
    return "\n".join([*map(visible, map(str, problems)), message])
