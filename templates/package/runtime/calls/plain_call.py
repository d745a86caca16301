# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""The steps of every call: check the arguments, build the request, choose credentials, send, write the result, redact.

The first three prepare a call up to the moment before it is sent, for sending and for previewing. Hooks and logins add
steps of their own between these (`steps.STEPS`). They open no connection, and write no secret into a request. If a
token must be fetched, http/sending.py attaches it.

The last three send the request, turn its response into the result, and remove secrets from the result. A response that
is too large for the result is stored, and can be read later as a resource.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from ..core import log, spans
from ..core.effects import Dialogue
from ..core.limits import Budget, Exhausted
from ..core.wire_formats import ABSENT, Result
from ..http.client import Failure
from ..http.exchange import Sent
from ..http.sending import UNAUTHORIZED
from ..http.trimming import Trimmer
from ..request import request
from ..request.argument_errors import HookFailed, Refuse, Refused, report
from ..request.arguments import HOST_MEMBERS, Checker, known_names, unknown_kinds
from ..result import response
from ..settings.settings import NotReady
from .hook_loading import load

if TYPE_CHECKING:
    from collections.abc import Awaitable, Sequence

    from ..core.catalog import Catalog, Tool
    from ..core.wire_formats import Ask, Block, OtherOutcome
    from ..http.exchange import Response
    from ..http.sending import Sender
    from ..http_server.handles import Sharing
    from ..login.logins import Logins
    from ..request.request import Request
    from ..result.result_store import KeptResults, Names
    from ..results.result_rules import ResultRules
    from ..settings.credentials import SelectedCredentials
    from ..settings.settings import Settings
    from ..tables.table import Binding, Pages, View
    from ..text.addresses import Address
    from ..text.redaction import Redactor

    class ServerCredentials(Protocol):
        """Interface for selecting the credentials of a request, implemented by credentials.ServerCredentials."""

        async def look(self, binding: Binding) -> None:
            """Load the stored user logins that can authorize requests of `binding`, a tool's entry in
            `bindings.json`.
            """

        def choose(self, binding: Binding) -> SelectedCredentials:
            """Return the credentials for requests of `binding`, a tool's entry in `bindings.json`. Raise NotReady if a
            required credential is not set.
            """

    class WholeAnswer(Protocol):
        """Interface of an order for a whole list (lookups.WholeAnswer)."""

        pages: Pages | None
        part: str

    class Asker(Protocol):
        """Interface of an object that asks the user in a call (questions.Answers, hook_questions.HookQuestions)."""

        def around(self, ended: OtherOutcome) -> OtherOutcome:
            """Return the outcome with which the call ends. A question in it carries the answers that the user has given
            before.
            """

        def end(self) -> None:
            """Record that the steps of the call have ended."""


Unmade = (Refused, NotReady, HookFailed, Refuse)
"""Exceptions for a call that is not made. All of them are raised before a byte is sent."""


class CallUnderWay:
    """One call of `tool`, within its `budget`. Each step of the call reads and sets attributes.

    - `arguments`: those of the client, until a step changes them.
    - `report` is called with a text for each step of progress, such as `headers` or `page 3, 300 items`.
    - `dialogue`: how the client lets the server ask the user. `ask`: function that asks while the call waits, or None.
    - `askers`: what has asked the user in this call, the first one first.
    - `confirmed`: digest of what the user has confirmed already, in an earlier round of the same call, or "".
    - `consent`: how the workflow that makes the call wants its user to agree; "" for the rule of the tool.
    - `given`: arguments to show the user for confirmation, as the client sent them; {} if no confirmation is needed.
    - `found`: items whose ids were looked up by names.
    - `ready`: the prepared request. `answer` or `failure`, and `sent`: its response or why there is none, and what
      was sent.
    - `result`: the outcome. A step that sets it ends the call, apart from its last steps.
    - `done`: a sentence that says what the call did, for use if a hook withholds the result; or "".
    - `whole`: for a call that looks up an id, how much of the list it wants; else None. `shown`: how many bytes of the
      response the result may contain, 0 for the server's own limit. `cut`: True if the response has more.
    """

    askers: Sequence[Asker] = ()
    confirmed = consent = ""
    found: Sequence[object] = ()
    ready: PreparedCall | None = None
    answer: Response | None = None
    failure: Failure | None = None
    sent: Sent | None = None
    result: Result | None = None
    done = ""
    whole: WholeAnswer | None = None
    shown = 0
    cut = False

    def __init__(
        self,
        tool: Tool,
        arguments: dict[str, Any],
        report: Callable[[str], None],
        dialogue: Dialogue,
        ask: Ask | None,
        budget: Budget,
    ) -> None:
        self.tool = tool
        self.arguments = arguments
        self.report = report
        self.dialogue = dialogue
        self.ask = ask
        self.budget = budget
        self.given: dict[str, Any] = {}

    def refuse(self, why: str) -> None:
        """End the call with an error result, because nothing was sent. `why`: the text for the model."""
        spans.note(refused=True)
        spans.log_to_client("warning", f"Refused, and sent nothing: {why}")
        self.result, self.found, self.sent = Result.error(why), (), None

    def with_answers(self, ended: OtherOutcome) -> OtherOutcome:
        """Return the outcome `ended`. If it is a question, the client gets with it what the user has answered before.

        Raise Refuse if that is too large.
        """
        for asker in reversed(self.askers):
            ended = asker.around(ended)
        return ended


class PreparedCall:
    """A prepared request and its address.

    - `files`: digest of the files to send, if the call must be confirmed.
    - `chosen`: the credentials, once they are chosen. `private`: those that hooks wrote into the request, to be
      redacted.
    - `download`: the file to which the response is to be saved, if any.
    """

    __slots__ = ("address", "chosen", "download", "files", "private", "request")

    chosen: SelectedCredentials

    def __init__(self, request: request.Request, address: Address, files: str = "") -> None:
        self.request = request
        self.address = address
        self.files = files
        self.private: Sequence[str] = ()
        self.download: Any = None  # a results.downloads.Download

    def __str__(self) -> str:
        """Return the request line for display, without the query, which may contain credentials."""
        return f"{self.request.method} {self.address}{self.request.path}"


# Credentials are selected first, because a user should not be asked about a call that cannot be sent
# (docs/decisions/calls.md).
class Preparation:
    """Preparation of the calls of one version of the tools. Its public methods `check`, `build` and `choose` are steps.

    `agent`: the value of User-Agent in the requests, `NAME-mcp/VERSION`. `hooks`: the user's hooks. `keys`: object that
    selects credentials. `logins`: the stored logins of users, or None if no security scheme lets a user log in.
    """

    def __init__(
        self,
        catalog: Catalog,
        settings: Settings,
        keys: ServerCredentials,
        logins: Logins | None = None,
        entropy: Callable[[int], bytes] = os.urandom,
    ) -> None:
        """Load the hooks of the tools in `catalog`. `entropy(n)` returns n random bytes."""
        self.agent = f"{catalog.name}-mcp/{catalog.version}"
        self.hooks = load([*catalog.names(), *catalog.hidden])
        self.keys = keys
        self.logins = logins
        self._settings = settings
        self._entropy = entropy
        self._addresses: dict[int, Address] = {}  # those of the servers in use
        self._ignored, self._told = settings["IGNORE_ARGUMENTS"], set[str]()
        self._checker = Checker(HOST_MEMBERS | self._ignored)
        closed = settings.listening is not None and not settings.listening["HTTP_FILES"]
        allowed_by = f"{settings.prefix}_HTTP_FILES" if closed else ""
        self._opened = settings["FILES_DIR"], f"{settings.prefix}_FILES_DIR", allowed_by

    def budget(self, tool: Tool) -> Budget:
        """Return the time budget for one call of `tool`."""
        setting = f"`timeout` of {tool.name}" if "timeout" in tool.binding else f"{self._settings.prefix}_TIMEOUT"
        return Budget(tool.binding.get("timeout", self._settings["TIMEOUT"]), time.monotonic, setting=setting)

    def check(self, call: CallUnderWay) -> None:
        """Check the arguments of the call by its tool's input schema. Raise Refused if an argument is wrong."""
        call.arguments = self.verified(call.tool, call.arguments, call.budget)

    def verified(self, tool: Tool, arguments: dict[str, Any], budget: Budget) -> dict[str, Any]:
        """Check the arguments by the tool's input schema and return them. Raise Refused if an argument is wrong."""
        with budget:
            if self._checker.fits(tool, arguments):
                return arguments
            checked, sent = self._read_leniently(tool, arguments, budget)
            if self._checker.fits(tool, checked):
                return sent
            problems = self._checker.check(tool, checked, budget)
        if problems or not problems.complete:
            raise Refused(*problems, complete=problems.complete)
        return sent

    def _read_leniently(
        self, tool: Tool, arguments: dict[str, Any], budget: Budget
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Read arguments that do not fit the schema as clients write them. Return the arguments to check and to send.

        They differ if the body may contain null where the schema does not show it.
        """
        # Imported late: only needed for arguments that do not fit.
        from ..request.arguments import read_leniently, with_argument_names, without_host_members

        known = known_names(tool)
        named = with_argument_names(tool.binding, known, arguments)
        named, left_out = without_host_members(named, known, self._ignored)
        for name in left_out:
            if name not in self._told:
                self._told.add(name)
                log.event(
                    "info",
                    "ignored_argument",
                    argument=name,
                    reason="clients add it to calls, and the tool has no such argument",
                )
        reading = budget.apart()  # if it runs out, the check must still find what is wrong
        try:
            checked, parsed = read_leniently(tool.schema, named, reading)
            nullable = tool.binding.get("nullable", ())
            sent, _ = read_leniently(tool.schema, named, reading, nullable) if nullable else (checked, [])
        except Exhausted:
            return named, named
        if parsed:
            spans.note(parsed=tuple(parsed))
        return checked, sent

    def build(self, call: CallUnderWay) -> None:
        """Build the request of the call.

        Raise Refused if an argument is wrong, and NotReady if a setting is missing.
        """
        call.ready = self._built(call.tool, call.arguments)

    def choose(self, call: CallUnderWay) -> None:
        """Choose the credentials of the call. Raise NotReady if a credential is not set."""
        assert call.ready is not None
        call.ready.chosen = self.keys.choose(call.tool.binding)

    async def unhooked(self, tool: Tool, arguments: dict[str, Any]) -> PreparedCall:
        """Prepare a request of the server's own without running hooks.

        Raise Refused if an argument is wrong, and NotReady if a setting is missing.
        """
        await self.keys.look(tool.binding)
        ready = self._built(tool, arguments)
        ready.chosen = self.keys.choose(tool.binding)
        return ready

    def at(self, binding: Binding, built: request.Request, address: Address) -> PreparedCall:
        """Combine a finished request with the credentials that `binding`, a tool's entry in `bindings.json`, requires.
        Raise NotReady if a credential is not set.
        """
        ready = PreparedCall(built, address)
        ready.chosen = self.keys.choose(binding)
        return ready

    def _built(self, tool: Tool, arguments: dict[str, Any]) -> PreparedCall:
        """Return the request with its address, and the digest of its files if it must be confirmed."""
        if self._settings.problems:
            raise NotReady(" ".join(self._settings.problems))
        if tool.plan is None and (strange := unknown_kinds(tool.binding)):
            raise NotReady(f"Its request has the {strange}, which this server does not know: generate it again.")
        files = None
        if (body := tool.binding.get("body")) is not None and body["encoding"] in request.WITH_FILES:
            from ..files.files import Digested, Files  # imported late: few tools send files

            files = (Digested if "confirm" in tool.binding else Files)(*self._opened)
        built = request.build(tool, arguments, files, self._entropy)
        if (address := self._addresses.get(built.server)) is None:
            address = self._addresses[built.server] = self._settings.server(built.server)
        return PreparedCall(built, address, files.digest if files else "")


def kept_logins(catalog: Catalog, settings: Settings, learn: Callable[[str, str], None]) -> Logins | None:
    """Return the stored logins of this server, or None if users cannot log in for any of its security schemes.

    `learn` is called with each secret, to redact it.
    """
    if not any("user" in scheme for scheme in catalog.security.values()):
        return None
    from ..login.logins import Logins  # imported late: most servers have no logins

    return Logins(catalog, settings, learn)


def sentence(tool: str, reason: Exception) -> str:
    """Return the text for the model that says why a tool was not called. `reason`: one of the exceptions in `Unmade`.

    If the tool was called and its result is withheld, use `hook_runner.withheld` instead.
    """
    if isinstance(reason, Refused):
        return report(reason.problems, tool, reason.complete)
    if isinstance(reason, Refuse):
        from ..hooks.hook_runner import refusal  # already loaded: only hooks and calls with hooks raise Refuse

        return f"{tool} was not called. {refusal(reason)}"
    return f"{tool} was not {'completed' if isinstance(reason, HookFailed) else 'called'}. {reason}"


RESULT_SECONDS = 60 * 60.0
"""Seconds for which other replicas can read a stored result."""

_GRAPHQL = "application/graphql-response+json"
_OF_GRAPHQL: View = {"graphql": True}
"""Media type of responses of GraphQL (GraphQL over HTTP), and the `result` rules for them."""

_TEXT_BLOCK = {"type", "text"}
"""Members of a content block that is only text."""

_LONG = 64 * 1024
"""Size in bytes from which examining a response takes long. The event loop runs once before such a response."""

SILENT = Dialogue("", "")
"""How a call asks the user that nobody waits for: not at all."""


def unheard(phase: str) -> None:
    """Ignore a phase of a call: used as `report` if nobody wants progress."""


class Exchange:
    """Exchange of requests and responses with the API, for one version of the tools. Its method `send` is a step."""

    def __init__(self, catalog: Catalog, settings: Settings, sender: Sender, names: Names, redactor: Redactor) -> None:
        """Create the exchange. `sender` paces and sends requests. `names` creates the URIs of stored responses."""
        self.sender = sender
        self._reader = catalog.reader
        self._settings = settings
        self._trace = settings["TRACE"]
        self._names = names
        self._redactor = redactor

    async def send(self, call: CallUnderWay) -> None:
        """Send the request of the call. Without an answer, the call ends with an error result."""
        ready, budget, span = call.ready, call.budget, spans.current()
        assert ready is not None
        made, chosen = ready.request, ready.chosen
        chosen.put(made)
        names = chosen.variables
        call.sent = sent = Sent(call.tool, made.method, made.path, names, self._names.new(), call.arguments)
        sent.request, sent.reader, sent.limit = made, self._reader, budget.setting
        sent.scopes, sent.offers = chosen.scopes, chosen.offers
        for secret in ready.private:
            self._redactor.learn(secret, "hook")
        if span is not None and (self._trace or span.operation is not None or span.origin.traceparent):
            self._add_trace(made, span)
        try:
            with budget as seconds:
                call.answer = answer = await self.sender.send(ready, sent, seconds, call.report)
        except Failure as failure:
            from ..result import failures  # imported late: most calls succeed

            log.event("warning", "no_answer", tool=call.tool.name, reason=failure.reason)
            spans.log_to_client("error", f"{sent} got no answer: {failure.reason}.")
            call.failure, call.done = failure, failures.no_answer(failure, sent)
            call.result = Result.error(call.done)
            return
        if span is not None:
            span.status = answer.status
        if answer.status == UNAUTHORIZED and self._settings.rotation is not None:
            with budget as seconds:
                await self._settings.rotation.refused(seconds)
        answer.redact(self._redactor.field)
        if answer.size > _LONG:
            await asyncio.sleep(0)  # other calls run here, so that they need not wait for work on a long response

    async def made(
        self,
        tool: Tool,
        ready: PreparedCall,
        arguments: dict[str, Any],
        report: Callable[[str], None],
        budget: Budget,
    ) -> tuple[Response | Failure, Sent]:
        """Send a request of the server's own, such as that for the next page.

        Return its response or the failure, and a description of the request as it was sent.
        """
        call = CallUnderWay(tool, arguments, report, SILENT, None, budget)
        call.ready = ready
        await self.send(call)
        answer = call.answer or call.failure
        assert answer is not None
        assert call.sent is not None
        return answer, call.sent

    def _add_trace(self, made: Request, span: spans.Span) -> None:
        """Add header fields of W3C Trace Context to the request. A field that a hook has set is not replaced.

        If this server records a trace, each attempt to send the request adds its own field instead.
        """
        if not (self._trace or span.traced):
            return
        if span.operation is not None and span.operation.trace:
            made.traced = self._trace is not False
            return
        from ..http import tracecontext  # imported late: most clients send no trace context

        if "traceparent" not in made.names:
            made.headers += tracecontext.fields(span, self._trace)


class ResultWriter:
    """Writer of results. Its methods `write` and `redact` are steps.

    `shown`: largest number of bytes of a response that a result contains.
    """

    def __init__(self, redactor: Redactor, resources: KeptResults, shared: Sharing | None, shown: int) -> None:
        """Create the writer. `resources`: store of large responses. `shared`: store for other replicas, or None."""
        self._redactor = redactor
        self._resources = resources
        self._shared = shared
        self._trimmer = Trimmer()
        self.shown = shown

    def write(self, call: CallUnderWay) -> Awaitable[None] | None:
        """Write the result of the call from its response."""
        answer, sent, most = call.answer, call.sent, spans.shown(call.shown or self.shown)
        assert answer is not None
        assert sent is not None
        large = answer.size * response.GROWTH_IN_UTF_8 > most and response.is_large(answer, most)
        if large or "result" in call.tool.binding or answer.label == _GRAPHQL:
            return self._write(call, answer, sent, most)
        call.result = response.interpret(answer, sent, self._redactor, most)
        return None

    async def _write(self, call: CallUnderWay, answer: Response, sent: Sent, most: int) -> None:
        """Write the result of the call if its response is large, or if the tool has rules for its results."""
        call.result = await self.told(call.tool, answer, sent, call.budget, most)
        call.cut = response.is_large(answer, most)

    async def told(self, tool: Tool, answer: Response, sent: Sent, budget: Budget, most: int = 0) -> Result:
        """Return the tool result for a response of the API, with at most about `most` bytes of it; 0 for `shown`."""
        view, most = None, most or spans.shown(self.shown)
        if (rules := self._rules(tool, answer)) is not None:
            view = self._view(tool, rules)
        if view is not None and (instead := view.take(answer, sent, most)) is not None:
            return instead
        if response.is_large(answer, most):
            spans.note(cut=True)
            spans.log_to_client("notice", f"Shows {most:,} bytes of an answer that has {answer.size:,}.")
            await self.keep(answer, sent, budget)
        result = response.interpret(answer, sent, self._redactor, most)
        if view is not None and not result.is_error:
            result = view.dressed(result, answer, sent, self._redactor, most)
        return result

    def _view(self, tool: Tool, rules: View) -> ResultRules | None:
        """Return the rules for a result, or None if this server lacks them: its document does not mention GraphQL."""
        try:
            from ..results.result_rules import ResultRules  # imported late: few tools have rules for their results
        except ModuleNotFoundError:
            if "result" in tool.binding:
                raise
            return None
        return ResultRules(rules)

    def _rules(self, tool: Tool, answer: Response) -> View | None:
        """Return the tool's rules for its results. Only the media type tells that a response is of GraphQL."""
        return tool.binding.get("result") or (_OF_GRAPHQL if answer.label == _GRAPHQL else None)

    async def keep(self, answer: Response, sent: Sent, budget: Budget) -> None:
        """Store a response that is too large for a result, or as much of it as the time budget allows."""
        from ..result import result_store  # imported late: few responses are too large

        with budget as seconds:
            answer.kept = await result_store.keep(answer, sent.uri, self._redactor, self._resources, seconds)
        if answer.kept and self._shared is not None:
            await self._shared.keep(sent.uri, *self._resources.whole(sent.uri), RESULT_SECONDS)

    def closed(self, answer: Response) -> None:
        """Release the memory and files of a response."""
        if answer.held is not None or answer.spool is not None:
            size = answer.size
            answer.close()
            self._trimmer.freed(size)

    def redact(self, call: CallUnderWay) -> None:
        """Remove the secrets that are known from the result of the call."""
        result, redactor = call.result, self._redactor
        assert result is not None
        content: list[Block] = []
        changed = result.structured is not ABSENT or bool(result.written)
        for block in result.content:
            if block.keys() == _TEXT_BLOCK and block["type"] == "text" and isinstance(text := block["text"], str):
                shown = redactor.text(text)  # fast path: most blocks are text
                changed = changed or shown is not text
                content.append({"type": "text", "text": shown})
            else:
                changed = True
                content.append(_redacted(block, redactor))
        if not changed:
            return
        call.result = copy = Result(content, result.structured, result.is_error)
        if result.written and not redactor.may_be_in(result.written):
            copy.written = result.written
        elif result.structured is not ABSENT:
            copy.structured = redactor.whole(result.structured)


def _redacted(block: dict[str, Any], redactor: Redactor) -> dict[str, Any]:
    """Return the content block without secrets. Base64 data is unchanged, since it was redacted before its encoding."""
    encoded = {name: block[name] for name in ("data", "blob") if name in block}
    inner = {name: _redacted(block[name], redactor) for name in ("resource",) if isinstance(block.get(name), dict)}
    rest = {name: member for name, member in block.items() if name not in encoded and name not in inner}
    return {**redactor.value(rest), **inner, **encoded}
