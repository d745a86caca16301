# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Ask the user for arguments of a call, for tools whose entry in `bindings.json` has `ask`.

The questions are asked one after the other. A question may depend on the arguments and on earlier answers. The answers
become arguments of the call, and are checked like other arguments. The model does not see these arguments, and is not
allowed to give them.
"""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from ..core import spans
from ..core.catalog import Tool
from ..core.wire_formats import OtherOutcome, Question
from ..request.argument_errors import Problem, Refused, Unanswered
from ..request.arguments import SchemaChecker
from ..text.sanitize import brief, visible
from .asked_arguments import listed_without_asking
from .consent import not_called
from .forms import FormQuestion
from .interviews import WORDS, Forms, Interview
from .signed_state import SECONDS

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ..calls.plain_call import CallUnderWay
    from ..calls.services import Services
    from ..core.limits import Budget
    from ..tables.table import AskedQuestion
    from .signed_state import States

    Verify = Callable[[Tool, dict[str, Any], Budget], dict[str, Any]]

LONGEST_SHOWN = 200
LONGEST_MESSAGE = 2000


def of_server(services: Services) -> Questions:
    """Return the object that asks the questions of the tools of one server."""
    lasting = services.lasting
    return Questions(lasting.states, services.preparation.verified, lasting.redactor.text)


def ask(services: Services, tool: Tool) -> Callable[[CallUnderWay], Awaitable[None]]:
    """Return the step that asks the user the questions of the tool (`ask` in the tools file)."""
    return services.once(of_server).ask


class Answers:
    """The user's answers to the questions of one call. A later question of the call carries them."""

    def __init__(self, interview: Interview, forms: Forms) -> None:
        self._interview = interview
        self._forms = forms

    def around(self, ended: OtherOutcome) -> OtherOutcome:
        """Return the outcome with which the call ends. The state of a question in it contains the answers."""
        asked = ended.outcome
        if not isinstance(asked, Question):
            return ended
        state = self._forms.state(self._interview, "", inner=asked.state)
        return OtherOutcome(Question(asked.message, state, asked.visit, asked.form))

    def end(self) -> None:
        """Do nothing: no question of a tool follows."""


class Questions:
    """Component that asks the user the questions of tools (`ask` in the tools file).

    `verify` checks arguments, and raises Refused if one is wrong. `redact` removes secrets from texts.
    """

    def __init__(self, states: States, verify: Verify, redact: Callable[[str], str], seconds: float = SECONDS) -> None:
        self._forms = Forms(states, seconds)
        self._verify = verify
        self._redact = redact

    async def ask(self, call: CallUnderWay) -> None:
        """Ask the user the questions of the call's tool (`ask`), and add the answers to the arguments.

        If the user does not answer, the call ends with an error result. Raise Refused if an argument is wrong, and
        OtherOutcome if the call ends with a question to the user or with a protocol error.
        """
        try:
            interview = await self.interview(call, call.arguments)
        except Unanswered as ended:
            call.result = not_called(call.tool.name, ended.said, call.dialogue.revision, words=WORDS)
            return
        call.dialogue, call.arguments = interview.followed, interview.given
        if call.given:
            call.given = {**call.given, **interview.given}
        call.askers = [*call.askers, Answers(interview, self._forms)]

    async def interview(self, call: CallUnderWay, arguments: dict[str, Any]) -> Interview:
        """Ask the user the questions of the call's tool (`ask`), and return the answers.

        Raise Refused if an argument is wrong, and Unanswered if the user does not answer. Raise OtherOutcome to end the
        call with a question, if the client asks the user and repeats the call with the answer.
        """
        interview = Interview(call, self._allowed(call, arguments))
        ended = await self._forms.resumed(interview, call.dialogue.state)
        for question in call.tool.binding["ask"]:
            ended = ended or await self._settled(interview, question)
        if ended:
            spans.note(unanswered=ended)
            raise Unanswered(ended)
        return interview

    def _allowed(self, call: CallUnderWay, arguments: dict[str, Any]) -> dict[str, Any]:
        """Check the arguments that the model gave, and return them.

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

    async def _settled(self, interview: Interview, question: AskedQuestion) -> str:
        """Get the user's answer to a question. Skip a question that is answered already, whose conditions (`when`) are
        not met, or that asks only for arguments that the call has.

        Return "", or the reason to end the call without an answer, such as `decline` (a key of WORDS).
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
        said = await self._forms.answered(interview, form, partial(self._checked, interview))
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
        """For a client that cannot ask its user, take the values of the form from the call's arguments, if the tools
        file allows it.

        Return "", or "unable" if the tools file does not allow it. Raise Refused if a value is wrong.
        """
        if "missing" in question:
            return ""  # no problem here: the later check of all arguments reports missing values
        if question.get("without") != "arguments":
            return "unable"
        values, problems = self._checked(interview, form, interview.arguments)
        if problems:
            raise Refused(*problems)
        interview.answers[form.name] = values
        return ""

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
