# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Let hooks ask the user questions: `await context.ask(message, form)` in hooks.py.

In older revisions of MCP, the hook waits for the answer. In stateless revisions, a question ends the call, and the
client calls again with the answer. Then the hooks run again from the beginning. Earlier answers are in the call's state
(`requestState`), so earlier questions are answered at once. Nothing was sent to the API before, since only hooks before
the request can ask.

Hooks that run again must first ask the questions that were already answered, in the same order. Otherwise the call is
refused, since the answers may no longer fit. A form has its fields written as in a tools file.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from functools import partial
from typing import TYPE_CHECKING, Any

from ..core import log, spans
from ..core.catalog import Tool
from ..core.wire_formats import OtherOutcome, Question, Result
from ..questions.consent import not_called
from ..questions.forms import FormQuestion
from ..questions.interviews import WORDS as WORDS_OF_TOOLS
from ..questions.interviews import Forms, Interview
from ..questions.signed_state import SECONDS
from ..request.argument_errors import CannotAsk, HookFailed, Refuse, Unanswered
from ..request.arguments import Checker, SchemaChecker
from ..secrets.secret_words import asks_for_secret
from ..text.sanitize import brief
from . import hook_context

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..calls.plain_call import CallUnderWay
    from ..core.limits import Budget
    from ..questions.forms import FormQuestion
    from ..questions.signed_state import States
    from ..request.argument_errors import Problem
    from ..text.redaction import Redactor

    Schema = dict[str, Any]

_LONGEST_MESSAGE = 2000

_SIMPLE = ("string", "number", "integer", "boolean")


class WrongForm(Exception):
    """Raised for a form that cannot be shown to the user.

    The message continues a sentence that begins with the hook's name. It contains no values from the form, which may be
    secret.
    """


WORDS = {
    **WORDS_OF_TOOLS,
    "unable": "The user must be asked, and this client cannot ask: it does not declare the capability elicitation"
    " (forms). Use a client that does, or let the owner of this server give a `default` to context.ask in hooks.py.",
}

LONGEST_INNER = 40_000
"""Longest state, in characters, of a question that comes after those of hooks. It travels within their state."""


class _Paused(BaseException):
    """Raised inside a hook to end its run. It is a BaseException, so that `except Exception` in the hook does not catch
    it.
    """


class _HookInterview(Interview):
    """Questions and answers of the hooks of one call. `told`: for each finished question, in order, its digest and its
    outcome. `asking`: the digest of `asked`, the open question.
    """

    kind = "hook"
    prefix = "hook."

    def __init__(self, call: CallUnderWay, arguments: dict[str, Any]) -> None:
        super().__init__(call, arguments)
        self.told: list[list[str]] = []
        self.asking = ""

    def read(self, turn: int, kept: bytes) -> None:
        """Restore the questions and answers of hooks from `kept`, the bytes that `written` has returned for a
        `requestState`. `turn`: how often the last question, still unanswered, was asked.
        """
        self.turn = turn
        self.answers, self.asked, self.inner, self.told, self.asking, self.call.confirmed = json.loads(kept)

    def written(self, asked: str, inner: str = "") -> bytes:
        """Return digests of the questions, and the answers, as bytes for a `requestState`. `read` parses the bytes."""
        kept = [self.answers, asked, inner, self.told, self.asking, self.call.confirmed]
        return json.dumps(kept, separators=(",", ":")).encode()


class _Run:
    """One run of a hook: its name, the time budget of its call, and the deadline of the hook."""

    def __init__(self, name: str, budget: Budget, deadline: asyncio.Timeout) -> None:
        self.name = name
        self.budget = budget
        self._deadline = deadline

    def pause(self) -> None:
        """Stop the time of the call and the deadline of the hook, while the user answers."""
        self.budget.stop()
        self._deadline.reschedule(None)

    def go_on(self) -> None:
        """Continue to count the seconds of the call. The deadline of the hook is when these seconds are used up."""
        self._deadline.reschedule(asyncio.get_running_loop().time() + self.budget.start())


# Python cannot serialize a running coroutine, so hooks run again from the beginning with the answers
# (docs/decisions/calls.md).
class HookQuestions:
    """The questions that the hooks of one call ask before its request is sent."""

    def __init__(self, call: CallUnderWay, arguments: dict[str, Any], states: States, redactor: Redactor) -> None:
        self._call = call
        self._interview = _HookInterview(call, arguments)
        self._forms = Forms(states, SECONDS)
        self._redactor = redactor
        self._asked = self._brought = 0
        self._turn = asyncio.Lock()
        self._running: _Run | None = None
        self._ended: Exception | None = None
        self._closed = False

    async def open(self) -> None:
        """Let the hooks of the call ask, with the answers to their earlier questions.

        Raise Unanswered if the state that the client brings is invalid.
        """
        call, interview = self._call, self._interview
        self._before = hook_context.enter(self)
        call.askers = [*call.askers, self]
        if (call.dialogue.state or "").startswith(interview.prefix):
            if void := await self._forms.resumed(interview, call.dialogue.state):
                raise Unanswered(void)
            self._brought = len(interview.told) + bool(interview.asked)
            call.dialogue = interview.followed

    def end(self) -> None:
        """Let hooks ask no more, since the steps of the call have ended."""
        hook_context.leave(self._before)

    def unanswered(self, ended: Unanswered) -> Result:
        """Return the result of a call that ends because a question got no answer."""
        spans.note(unanswered=ended.said)
        said = ended.said if ended.said in WORDS else "lost"
        return not_called(self._call.tool.name, said, self._call.dialogue.revision, words=WORDS)

    def around(self, ended: OtherOutcome) -> OtherOutcome:
        """If the call ends with a question that no hook asked, such as a confirmation, return it with a new
        `requestState`. This state also contains the answers to the hooks. Return any other outcome unchanged.
        """
        asked = ended.outcome
        if not isinstance(asked, Question) or ended is self._ended or not self._interview.told:
            return ended
        if len(asked.state) > LONGEST_INNER:
            raise Refuse("It holds too much to wait for an answer after questions of hooks.py. What it did stays done.")
        state = self._forms.state(self._interview, "", inner=asked.state)
        return OtherOutcome(Question(asked.message, state, asked.visit, asked.form))

    def enter(self, name: str, budget: Budget, deadline: asyncio.Timeout) -> None:
        """Record that a hook begins. Only a running hook can ask the user."""
        self._running = _Run(name, budget, deadline)

    def leave(self) -> None:
        """Record that the hook has ended. Raise HookFailed if the hook asked an invalid or unexpected question, and
        OtherOutcome if the call must end to ask the user, even if the hook has caught the exception of `ask`.
        """
        self._running = None
        if self._ended is not None:
            raise self._ended

    def close(self) -> None:
        """Forbid further questions, since the request is about to be sent.

        If the client repeats a call with the user's answers, the hooks run again. Raise HookFailed if they did not ask
        all answered questions again.
        """
        self._closed = True
        if self._asked < self._brought:
            raise HookFailed(_other("A hook"))

    async def ask(self, message: str, form: Mapping[str, Any], default: Mapping[str, Any] | None) -> dict[str, Any]:
        """Return the user's values for the fields of `form`, or `default` if the client does not support forms. Raises
        Unanswered if there is no answer, and CannotAsk if no hook runs or the request is about to be sent.
        """
        async with self._turn:
            run = self._running
            if run is None or self._closed:
                raise CannotAsk
            try:
                return await self._answer(run, message, form, default)
            except (HookFailed, OtherOutcome) as ended:
                self._ended = ended
                raise _Paused from None

    async def _answer(
        self, run: _Run, message: str, form: Mapping[str, Any], default: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        self._asked += 1
        try:
            question = _question(f"question-{self._asked}", brief(message, 2000), form, self._redactor)
        except WrongForm as wrong:
            log.event("error", "hook_failed", hook=run.name, reason=str(wrong))
            raise HookFailed(f"The hook {run.name} of this server {wrong}.") from None
        said = await self._said(run, question, default)
        if said != "accept":
            raise Unanswered(said)
        return dict(self._interview.answers[question.name])

    async def _said(self, run: _Run, question: FormQuestion, default: Mapping[str, Any] | None) -> str:
        """Return the outcome of a hook's question to the user. If an earlier run of the hook got this outcome, return
        it; otherwise ask now. Raises HookFailed if the earlier run asked another question.
        """
        interview, digest, known = self._interview, _digest(run.name, question), len(self._interview.told)
        before = interview.told[self._asked - 1][0] if self._asked <= known else interview.asking
        if self._asked <= self._brought and before != digest:
            raise HookFailed(_other(f"The hook {run.name}"))
        if self._asked <= known:
            return interview.told[self._asked - 1][1]
        if interview.dialogue.way:
            interview.asking = digest
            said = await self._waited(run, question)
        else:
            said = self._unasked(run, question, default)
        interview.told.append([digest, said])
        return said

    async def _waited(self, run: _Run, question: FormQuestion) -> str:
        """Ask the user a question now and return its outcome. The time limits of call and hook pause meanwhile."""
        run.pause()
        try:
            return await self._forms.answered(self._interview, question, partial(_checked, run.budget))
        finally:
            run.go_on()

    def _unasked(self, run: _Run, question: FormQuestion, default: Mapping[str, Any] | None) -> str:
        """Answer a question by `default`, since the client cannot ask. Return `accept`, or `unable` without a default.
        Raises HookFailed if the default does not fit the form.
        """
        if default is None:
            return "unable"
        self._interview.answers[question.name], problems = _checked(run.budget, question, default)
        if problems:
            raise HookFailed(f"The hook {run.name} of this server asks with a default that does not fit its form.")
        return "accept"


def _checked(budget: Budget, question: FormQuestion, content: object) -> tuple[dict[str, Any], list[Problem]]:
    """Return the values in `content` for the form `question`, and the problems of these values."""
    values = question.read(content)
    schema: dict[str, Any] = {"type": "object", "properties": question.fields, "required": question.required}
    binding: Any = {}
    return values, Checker().check(Tool(question.name, schema, binding), values, budget)


def _digest(hook: str, question: FormQuestion) -> str:
    asked = [hook, question.message, question.fields, question.required]
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


def _other(hook: str) -> str:
    return (
        f"{hook} of this server did not ask what it asked before, when it ran again with the user's answers. Call it"
        " again to ask the user again."
    )


# -- forms -------------------------------------------------------------------------------------------------------------


def _question(name: str, message: str, form: Mapping[str, str | Mapping[str, Any]], redactor: Redactor) -> FormQuestion:
    """Return the elicitation request that asks the user for the fields of `form`, without the server's secrets.

    `name`: key of the request in `inputRequests`. Raise WrongForm if `form` has no fields, asks for a secret, or has a
    field that MCP does not allow.
    """
    required = [each for each, written in form.items() if _long(each, written).get("required") is True]
    fields = {each: _field(each, _long(each, written)) for each, written in form.items()}
    if not fields:
        raise WrongForm("asks by a form without fields")
    if asks_for_secret(list(fields), [message, *_texts(list(fields.values()))]):
        raise WrongForm("asks the user for a secret; take it from the environment")
    shown = FormQuestion(name, redactor.text(message)[:_LONGEST_MESSAGE], redactor.value(fields), required)
    if list(shown.fields) != list(fields):
        raise WrongForm("asks for a field whose name is a secret of this server")
    return shown


def _long(name: str, written: object) -> Schema:
    """Return a field as a dictionary: convert a text such as `string required`, and return a dictionary unchanged.

    Raises WrongForm for any other text or value.
    """
    if isinstance(written, str):
        kind, _, rest = written.partition(" ")
        if kind in _SIMPLE and rest in ("", "required"):
            return {"type": kind, **({"required": True} if rest else {})}
    elif isinstance(written, dict):
        return written
    raise WrongForm(f"asks for {name}, which is neither `string`, `integer required` and the like nor a dictionary")


def _field(name: str, written: Schema) -> Schema:
    """Return a field as MCP writes it. Raises WrongForm if no form can have such a field."""
    field = {key: value for key, value in written.items() if key != "required"}
    field.setdefault("type", "array" if "items" in field else "string")
    if isinstance(items := field.get("items"), dict) and "enum" in items:
        field["items"] = {"type": "string", **items}
    if not SchemaChecker(_ANY, {}).is_valid(field):
        raise WrongForm(f"asks for {name} by a field that no form knows")
    if "default" in field and not SchemaChecker(field, {}).is_valid(field["default"]):
        raise WrongForm(f"asks for {name} with a default that does not fit it")
    return field


def _texts(value: object) -> Iterator[str]:
    """Yield the titles and descriptions in a form."""
    if isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, dict):
        for key, member in value.items():
            if key in ("title", "description"):
                yield member
            else:
                yield from _texts(member)


def _object(members: Schema, *required: str) -> Schema:
    return {"type": "object", "properties": members, "required": [*required], "additionalProperties": False}


def _kind(kind: str, *required: str, **members: Schema) -> Schema:
    about = {"type": {"const": kind}, "title": _TEXT, "description": _TEXT, "default": {}}
    return _object({**about, **members}, "type", *required)


_TEXT: Schema = {"type": "string"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_NUMBER: Schema = {"type": "number"}
_PLAIN: Schema = {"type": "array", "minItems": 1, "items": _TEXT}
_TITLED: Schema = {"type": "array", "minItems": 1, "items": _object({"const": _TEXT, "title": _TEXT}, "const", "title")}
_FORMAT: Schema = {"enum": ["email", "uri", "date", "date-time"]}
_CHOICES: Schema = {"anyOf": [_object({"type": {}, "enum": _PLAIN}, "enum"), _object({"anyOf": _TITLED}, "anyOf")]}
_ANY: Schema = {
    "anyOf": [
        _kind("string", minLength=_COUNT, maxLength=_COUNT, format=_FORMAT),
        _kind("string", "enum", enum=_PLAIN),
        _kind("string", "oneOf", oneOf=_TITLED),
        _kind("number", minimum=_NUMBER, maximum=_NUMBER),
        _kind("integer", minimum=_NUMBER, maximum=_NUMBER),
        _kind("boolean"),
        _kind("array", "items", items=_CHOICES, minItems=_COUNT, maxItems=_COUNT),
    ]
}
"""The fields that MCP's forms know (PrimitiveSchemaDefinition)."""
