# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Run one tool call from its name and arguments to its result, as one sequence of steps:

    check arguments (preparation.py), look up ids by names (lookups.py), build the request (preparation.py), confirm,
    send (sending.py), go through pages (page_walk.py), interpret (result_writer.py), run hooks, redact, check the
    output schema

The request is sent only after the arguments were checked and the call was confirmed, if that is required. Nothing is
returned without redaction. Any failure on the way is an error result for the model. A call raises only OtherOutcome (a
question to the user, an MCP task or a protocol error) and exceptions from bugs.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Any

from ..core import limits, log, spans
from ..core.effects import Dialogue, Fetch
from ..core.limits import Budget, Shares
from ..core.wire_formats import Contents, Result
from ..http.client import Client, Failure
from ..http.exchange import Sent
from ..http.sending import UNAUTHORIZED, Sender
from ..request import request
from ..request.argument_errors import HookFailed, Refuse, Refused
from ..result import response
from ..result.result_store import CountedNames, KeptResults
from ..settings import credentials
from ..settings.origins import kept_to
from ..settings.settings import NotReady
from ..text.redaction import Redactor
from .hook_loading import NoHooks
from .own_tools import OwnTools, Programs
from .preparation import Preparation, kept_logins, sentence
from .redacted_result import redacted
from .result_writer import ResultWriter
from .under_way import CallUnderWay

if TYPE_CHECKING:
    from ..core.catalog import Catalog, Tool
    from ..core.effects import GetPrompt, TaskRequest
    from ..core.wire_formats import PromptMessages, Task
    from ..features.resource_versions import Version
    from ..http.exchange import Response
    from ..http_server.handles import Handles
    from ..jobs.task_calls import TaskCalls
    from ..login.user_logins import UserLogins
    from ..lookups.lookups import WholeAnswer
    from ..questions.consent import Consent, States
    from ..questions.questions import Questions
    from ..results.structured import OutputChecker
    from ..settings.credentials import TokenRequest
    from ..settings.settings import Settings
    from ..tables.table import Lookup, Pages
    from .inner_calls import Record
    from .preparation import PreparedCall
    from .under_way import Ask

Report = Callable[[str], None]

REACH_SECONDS = 5.0
_LONG = 64 * 1024
"""Size in bytes from which examining a response takes long. The event loop runs once before such a response."""
_RESULTS = 4
"""How many results of the largest size are stored at a time."""
_SILENT = Dialogue("", "")


def _unheard(phase: str) -> None:
    """Ignore a phase of a call: used as `report` if nobody wants progress."""


# A call must not change its meaning while it runs, so reloaded tools get an executor of their own
# (docs/decisions/calls.md).
class ToolExecutor:
    """Executor of tool calls, for one version of the server's tools. Create it inside the event loop that uses it.

    `record`: the audit log, or None. The executor logs only calls that a running call makes: clients' calls are logged
    where they are received.
    """

    def __init__(self, catalog: Catalog, settings: Settings, handles: Handles | None = None) -> None:
        """Create the executor. `handles`: stores and issuers of ids that calls need only over HTTP, None over stdio."""
        log.set_level(settings["LOG_LEVEL"])
        self._catalog = catalog
        self._settings = settings
        self._redactor = Redactor(credentials.sensitive(catalog.security, settings))
        self._preparation = self._prepared(catalog, settings)
        self._hooks = self._preparation.hooks
        self._promises: OutputChecker | None = None
        self._consent: Consent | None = None
        rooms, files = limits.plan_descriptors(settings["CONCURRENCY"], len(kept_to(settings)))
        if rooms < settings["CONCURRENCY"]:
            log.event("warning", "few_descriptors", rooms=rooms, wanted=settings["CONCURRENCY"])
        shares = Shares(files=files)
        self._client = Client(settings, self._preparation.agent, shares)
        log.redact_with(self._redactor.text)
        self._shared = handles.shared if handles else None
        learn, turn = self._redactor.learn, self._shared.turn if self._shared else None
        self._callers = handles.callers if handles else None
        if self._callers is not None:
            self._callers.connect(self._client, settings["TIMEOUT"], learn)
        self._sender = Sender(self._client, settings, learn, rooms=rooms, turn=turn, callers=self._callers)
        self._states: States | None = handles.states if handles else None
        self._task_ids = handles.tasks if handles else None
        self._followed: TaskCalls | None = None
        self._cancelled_jobs: dict[str, tuple[str, float]] = {}
        self.names = handles.names if handles else CountedNames(catalog.name)
        self.resources = KeptResults(_RESULTS * settings.sizes.kept, shares, self.names)
        self.record: Record | None = None
        self._whole: WholeAnswer | None = None
        self._writer = ResultWriter(self._redactor, self.resources, self._shared, settings.sizes.shown)
        self._programs = Programs(handles.runs if handles else None)
        self._own = OwnTools(catalog, self.resources, self.bring, settings.sizes.shown, self._programs)

    def _prepared(self, catalog: Catalog, settings: Settings) -> Preparation:
        """Return an object that prepares calls of the tools in `catalog`.

        Also create the object that lets users log in (`_users`), in place of any earlier one.
        """
        self._users: UserLogins | None = None
        if (logins := kept_logins(catalog, settings, self._redactor.learn)) is not None:
            from ..login.user_logins import UserLogins  # imported late: most servers have no logins

            self._users = UserLogins(catalog, settings, logins, self._redactor.learn, lambda: self._client)
        if settings.rotation is not None:
            settings.rotation.renewed = partial(self._learn_files, catalog, settings)
        return Preparation(catalog, settings, credentials.ServerCredentials(catalog.security, settings, logins))

    def _learn_files(self, catalog: Catalog, settings: Settings) -> None:
        """Redact credentials that files have supplied since the start."""
        for number, secret in enumerate(credentials.sensitive(catalog.security, settings)):
            self._redactor.learn(secret, f"file {number}")

    @property
    def hooked(self) -> bool:
        """Return True if hooks.py defines hooks, or cannot be loaded."""
        return not self._hooks.idle

    def report(self) -> None:
        """Log the problems of the settings and of hooks.py."""
        for problem in self._settings.problems:
            log.event("error", "setting", reason=problem)
        for warning in self._settings.warnings:
            log.event("warning", "setting", reason=warning)
        self._hooks.report()

    def following(self, catalog: Catalog, settings: Settings) -> ToolExecutor:
        """Return an executor for a new version of the tools.

        It shares connections, limits, tokens, stored results, confirmations and secrets with this executor.
        """
        self._consent = self._consent or self._asking()
        self._redactor.add(credentials.sensitive(catalog.security, settings))
        caller = copy(self)
        caller._catalog, caller._settings = catalog, settings
        caller._preparation = caller._prepared(catalog, settings)
        caller._hooks, caller._promises, caller._followed = caller._preparation.hooks, None, None
        caller._writer = self._writer.showing(settings.sizes.shown)
        caller._own = OwnTools(catalog, self.resources, self.bring, settings.sizes.shown, self._programs)
        caller._hooks.report()
        for warning in settings.warnings:
            if warning not in self._settings.warnings:  # log only new warnings
                log.event("warning", "setting", reason=warning)
        caller._client.agent = caller._preparation.agent
        return caller

    async def call(
        self,
        name: str,
        arguments: dict[str, Any],
        report: Report,
        dialogue: Dialogue = _SILENT,
        ask: Ask | None = None,
    ) -> Result:
        """Call the tool `name`, which must exist, and return its result.

        `report` is called with "sent", "headers" and "body" when the call has reached these phases. `dialogue`: how the
        client can ask the user. `ask`: function that asks the user while the call waits, None if that is impossible.
        Raise OtherOutcome if the call ends with a question to the user, an MCP task or a protocol error.
        """
        tool = self._catalog.tool(name)
        budget = self._preparation.budget(tool)
        with self._redactor.during():
            try:
                made = CallUnderWay(tool, arguments, report, dialogue, ask, budget)
                result, done = await self._made(made, arguments)
            except HookFailed as failed:
                result = redacted(Result.error(sentence(name, failed)), self._redactor)
            else:
                result = await self._finished(name, result, budget, done)
        if tool.output_schema is None or result.is_error:
            return result
        if self._promises is None:
            from ..results.structured import OutputChecker  # imported late: most servers have no output schemas

            self._promises = OutputChecker()
        with budget:
            return self._promises.keep(tool, result, budget)

    async def _finished(self, name: str, result: Result, budget: Budget, done: str) -> Result:
        """Run the hooks on a tool's result, and return the result without secrets.

        `done`: a sentence that says what the call did, for use if a hook withholds the result; or "".
        """
        try:
            if self._hooks.follow(name):
                result = await self._hooks.after(name, result, budget, done)
        except HookFailed as failed:
            from ..hooks.hook_runner import withheld  # already loaded: only hooks raise HookFailed

            result = Result.error(withheld(name, str(failed), done) if done else sentence(name, failed))
        return redacted(result, self._redactor)

    async def task(self, wanted: TaskRequest) -> Task:
        """Return the answer to a request about an MCP task. No question is put to the user (elicitation).

        Raise wire_formats.OtherOutcome with a protocol error, for example if the task is unknown.
        """
        with self._redactor.during():
            return await self._jobs.answer(wanted)

    @property
    def _jobs(self) -> TaskCalls:
        """Return the handler of jobs and of MCP tasks. Its module is loaded when the handler is first used."""
        if self._followed is None:
            from ..jobs import task_calls  # imported late: few tools start jobs
            from ..jobs.cancelled_jobs import CancelledJobs

            cancelled = CancelledJobs(self._cancelled_jobs, self._shared)
            parts = self._catalog, self._settings, self._preparation, self._exchanged, self._writer
            self._followed = task_calls.build(*parts, self._task_ids, self._finished, self._redactor.text, cancelled)
        return self._followed

    async def reach(self) -> list[str]:
        """Return sentences that say what prevents calls, for --doctor. Contact each API server without credentials."""
        from . import trial  # imported late: only for --doctor

        return await trial.reach(self._client, self._settings, REACH_SECONDS)

    async def try_tool(self, name: str) -> tuple[bool, str]:
        """Call a read-only tool without arguments, for --doctor. Return True if the call works, and a sentence about
        the outcome.
        """
        from . import trial  # imported late: only for --doctor

        with self._redactor.during():
            made = self._preparation.unhooked, self._exchanged, self._writer.closed
            return await trial.attempt(self._catalog.tool(name), *made, REACH_SECONDS)

    async def try_grant(self, grant: TokenRequest) -> str:
        """Fetch an access token for `grant`, for --doctor. Return "", or a sentence that says why that failed."""
        try:
            await self._sender.try_grant(grant, REACH_SECONDS)
        except NotReady as reason:
            return str(reason)
        return ""

    async def fetch(self, wanted: Fetch) -> Contents | Result:
        """Fetch a resource from the upstream. Return its contents, or an error result. No hooks run."""
        from ..features import fetching  # imported late: most servers have no resources

        tool = fetching.as_tool(wanted)
        with self._redactor.during():
            try:
                ready = await self._preparation.unhooked(tool, wanted.arguments)
                budget = self._preparation.budget(tool)
                answer, sent = await self._exchanged(tool, ready, wanted.arguments, _unheard, budget)
            except (Refused, NotReady) as reason:
                spans.note(refused=True)
                return fetching.refused(wanted, reason)
            try:
                shown = self._settings.sizes.shown
                if wanted.keeps and not isinstance(answer, Failure) and response.is_large(answer, shown):
                    await self._writer.keep(answer, sent, budget)
                return fetching.read(wanted, answer, sent, self._redactor, self.resources)
            finally:
                if not isinstance(answer, Failure):
                    self._writer.closed(answer)

    async def version(self, wanted: Fetch, before: Version | None) -> Version | None:
        """Return the current version of a polled resource, or None if it cannot be determined."""
        from ..features import resource_versions  # imported late: few resources are polled

        with self._redactor.during():
            parts = self._preparation, self._exchanged, self._writer.closed
            return await resource_versions.fetched(wanted, before, *parts)

    async def get_prompt(self, wanted: GetPrompt, ask: Ask | None) -> PromptMessages:
        """Return the messages of a prompt that asks the user questions. The messages contain the user's answers, and
        may embed resources of the upstream.

        Raise OtherOutcome if the request ends with a question to the user or with a protocol error.
        """
        from ..features import prompt_questions, prompt_resources  # imported late: few prompts ask the user

        budget = self._preparation.budget
        wanted.arguments = await prompt_questions.answered(wanted, self._questions(), ask, budget)
        return await prompt_resources.made(wanted, self.fetch)

    async def bring(self, uri: str) -> None:
        """Copy the result at `uri` from another replica to this replica, if the current client may read it."""
        whole = uri.strip().partition("?")[0]
        if self._shared is None or self.resources.has(whole) or not self.names.admits(whole):
            return
        if (found := await self._shared.kept(whole)) is not None:
            self.resources.take(whole, *found)

    async def close(self) -> None:
        """Close the connections to the upstream and drop all stored results."""
        await self._programs.close()
        self.resources.close()
        if self._users is not None:
            self._users.close()
        await self._client.close()

    async def _made(self, call: CallUnderWay, arguments: dict[str, Any]) -> tuple[Result, str]:
        """Check, confirm and run the call. Return the result, and a sentence for use if a hook withholds it, or "".

        Raise HookFailed if a hook fails, and OtherOutcome for a question to the user, an MCP task or a protocol error.
        """
        tool = call.tool
        if "requires" in tool.binding:
            from ..questions.required_capabilities import refusal  # imported late: few tools require capabilities

            if (lacking := refusal(tool, call.dialogue)) is not None:
                return lacking, ""
        try:
            if call.dialogue.tasks:
                self._jobs.refuse(call)
            if "ask" in tool.binding:
                return await self._questions().answered(call, arguments, self._completed)
            return await self._completed(call, arguments)
        except (Refused, NotReady, Refuse) as reason:
            spans.note(refused=True)
            refused = self._own.sentence(tool.name, reason)
            spans.log_to_client("warning", f"Refused, and sent nothing: {refused}")
            return Result.error(refused), ""

    async def _completed(self, call: CallUnderWay, arguments: dict[str, Any]) -> tuple[Result, str]:
        """Check all arguments of the call, let the user confirm it if its tool requires that, and run it.

        Hooks may ask the user.

        Raise one of the exceptions in preparation.Unmade if the call cannot be made, and OtherOutcome if it ends
        without a result.
        """
        if self._hooks.idle or isinstance(self._hooks, NoHooks):
            return await self._run(call, arguments)
        from ..hooks.hook_questions import HookQuestions  # imported late: most servers have no hooks

        return await HookQuestions(call, arguments, self._issuer(), self._redactor).answered(self._run)

    async def _run(self, call: CallUnderWay, arguments: dict[str, Any]) -> tuple[Result, str]:
        """Check all arguments of the call, let the user confirm it if its tool requires that, and run it.

        Raise one of the exceptions in preparation.Unmade if the call cannot be made, and OtherOutcome if it ends
        without a result.
        """
        tool = call.tool
        arguments = await self._preparation.checked(tool, arguments, call.budget)
        if "follows" in tool.binding:
            call.close()
            return await self._jobs.looked(call, arguments), ""
        if self._own.has(tool):
            call.close()
            return await self._own.answer(tool, arguments, self, call.dialogue, call.ask), ""
        return await (self._looked_up if "lookups" in tool.binding else self._carried_out)(call, arguments)

    async def _looked_up(self, call: CallUnderWay, arguments: dict[str, Any]) -> tuple[Result, str]:
        """Find the ids of items that the arguments name, and run the call with these ids. Its result lists the ids.

        Raise one of the exceptions in preparation.Unmade if the call cannot be made.
        """
        from ..lookups import lookups  # imported late: few tools look up ids by names

        lookups.check(call.tool, arguments)
        look = partial(self._look, call)
        arguments, found = await lookups.resolve(call.tool, arguments, self._catalog.writes(call.tool.name), look)
        if not found:
            return await self._carried_out(call, arguments)
        arguments = self._preparation.verified(call.tool, arguments, call.budget)
        call.given = lookups.shown(call.given, found) if call.given else {}
        result, done = await self._carried_out(call, arguments)
        return lookups.told(result, found), done

    async def _look(self, call: CallUnderWay, lookup: Lookup, arguments: dict[str, Any], whole: WholeAnswer) -> Result:
        """Call the tool that `lookup` names, to find the id for a name, and return its result.

        The result contains at most LARGEST_PARSED bytes of the response. `whole` says whether to fetch all pages of the
        list in which the id is searched. If the result lacks a part of the list, set `whole.part`.
        """
        from . import inner_calls  # imported late: few tools look up ids by names

        name, other = lookup["tool"], copy(self)
        other._whole, other._writer = whole, self._writer.showing(response.LARGEST_PARSED)
        made = partial(other.call, name, arguments, _unheard, call.dialogue, call.ask)
        result = await inner_calls.made(name, arguments, made, self._catalog, self.record, call.dialogue)
        if other._writer.cut:
            whole.part = whole.part or "the beginning of its answer"
        return result

    async def _carried_out(self, call: CallUnderWay, arguments: dict[str, Any]) -> tuple[Result, str]:
        """Prepare, confirm and send the call. Return the result, and a sentence on what answered the call, or "".

        The sentence is shown if a hook withholds the result. It is "" if the call was not confirmed, and may be "" if
        no hook gets the result. Raise one of the exceptions in preparation.Unmade if the call cannot be made, and
        OtherOutcome if the call ends without a result.
        """
        tool, budget, dialogue, ask = call.tool, call.budget, call.dialogue, call.ask
        hook = self._hooks.replacing(tool.name)
        prepare = partial(self._preparation.ready, tool, arguments, budget)
        users = self._users
        ready = None if hook else await (prepare() if users is None else users.run(prepare, dialogue, ask))
        if ready is not None and ready.chosen.own is not None and self._callers is not None:
            await self._callers.ensure(ready.chosen.own, tool.name, dialogue, ask)
        if "confirm" in tool.binding:
            about = str(ready or f"{hook} in hooks.py"), ready.files if ready else ""
            if refusal := await self._confirmed(call, about):
                return refusal, ""
        if ready is not None:
            call.close()
            if users is None:
                return await self._sent(call, ready, arguments)
            return await users.run(partial(self._sent, call, ready, arguments), dialogue, ask)
        if not spans.act():
            raise Refuse("The server was stopped.")
        result = await self._hooks.instead(tool.name, arguments, budget)
        call.close()
        return result, f"{hook} had answered the call."

    async def _confirmed(self, call: CallUnderWay, about: tuple[str, str]) -> Result | None:
        """Ask the user to confirm the call, if it needs that. Return None if it may go on, else an error result.

        Raise OtherOutcome to end the call with a protocol error, or with a question after which the client repeats it.
        """
        self._consent = self._consent or self._asking()
        return await self._consent.obtain(call, about)

    def _asking(self) -> Consent:
        from ..questions.consent import Consent  # imported late: few servers ask the user

        return Consent(self._issuer(), self._redactor.text)

    def _questions(self) -> Questions:
        from ..questions.questions import Questions  # imported late: few tools ask the user

        return Questions(self._issuer(), self._preparation.verified, self._redactor.text)

    def _issuer(self) -> States:
        """Return the object that issues and checks `requestState` values. A reload of the tools keeps this object."""
        if self._states is None:
            from ..questions.signed_state import Tickets  # imported late: few calls need a requestState

            self._states = Tickets(os.urandom(32), time.monotonic, os.urandom)
        return self._states

    async def _sent(self, call: CallUnderWay, ready: PreparedCall, arguments: dict[str, Any]) -> tuple[Result, str]:
        """Send the request. Return the result, and a sentence on the response, shown if a hook withholds the result."""
        answer, sent = await self._exchanged(call.tool, ready, arguments, call.report, call.budget)
        if isinstance(answer, Failure):
            from ..result import failures  # imported late: most calls succeed

            told = failures.no_answer(answer, sent)
            return Result.error(told), told
        try:
            if "task" in call.tool.binding:
                tell = partial(self._writer.told, call.tool, answer, sent, call.budget)
                return await self._jobs.started(call, answer, sent, ready, tell), self._done(answer, sent)
            pages = call.tool.binding.get("pages") if self._whole is None else self._whole.pages
            if pages is not None and ready.download is None and 200 <= answer.status < 300:
                answer, sent = await self._walked(call, pages, ready, answer, sent)
            if ready.download is not None and answer.size and 200 <= answer.status < 300:
                return await self._writer.saved(ready.download, answer, sent, call.budget), self._done(answer, sent)
            return await self._writer.told(call.tool, answer, sent, call.budget), self._done(answer, sent)
        finally:
            self._writer.closed(answer)

    async def _walked(
        self, call: CallUnderWay, pages: Pages, ready: PreparedCall, answer: Response, sent: Sent
    ) -> tuple[Response, Sent]:
        """Fetch the pages after the first response. Return all pages as one response, and the last request sent."""
        from ..lookups.page_walk import PageWalk  # imported late: few tools go through pages

        async def prepare(arguments: dict[str, Any]) -> PreparedCall:
            arguments = self._preparation.verified(call.tool, arguments, call.budget)
            return await self._preparation.ready(call.tool, arguments, call.budget)

        async def exchange(ready: PreparedCall, arguments: dict[str, Any]) -> tuple[Response | Failure, Sent]:
            return await self._exchanged(call.tool, ready, arguments, _unheard, call.budget)

        walk = PageWalk(call.tool, pages, prepare, exchange, self._writer.closed)
        return await walk.further(answer, sent, ready.address.authority, self._writer.shown, call.report, self._whole)

    async def _exchanged(
        self, tool: Tool, ready: PreparedCall, arguments: dict[str, Any], report: Report, budget: Budget
    ) -> tuple[Response | Failure, Sent]:
        """Send the request. Return its response or the failure, and a description of the request as it was sent."""
        uri = self.names.new()
        made, chosen, span = ready.request, ready.chosen, spans.current()
        chosen.put(made)
        sent = Sent(tool, made.method, made.path, chosen.variables, uri, arguments, made.key)
        sent.reader, sent.limit = self._catalog.reader, budget.setting
        sent.scopes, sent.offers = chosen.scopes, chosen.offers
        for secret in ready.private:
            self._redactor.learn(secret, "hook")
        if span is not None and (span.traced or self._settings["TRACE"]):
            self._trace(made, span)
        try:
            with budget as seconds:
                answer = await self._sender.send(ready, sent, seconds, report)
        except Failure as failure:
            log.event("warning", "no_answer", tool=tool.name, reason=failure.reason)
            spans.log_to_client("error", f"{sent} got no answer: {failure.reason}.")
            return failure, sent
        if span is not None:
            span.status = answer.status
        if answer.status == UNAUTHORIZED and self._settings.rotation is not None:
            self._settings.rotation.refused()
        answer.redact(self._redactor.field)
        if answer.size > _LONG:
            await asyncio.sleep(0)  # other calls run here, so that they need not wait for work on a long response
        return answer, sent

    def _done(self, answer: Response, sent: Sent) -> str:
        """Return a sentence on the API's response, shown if a hook withholds the result; "" if no hook gets results."""
        if not self._hooks.follow(sent.tool.name):
            return ""
        from ..result import failures  # imported late: few servers have hooks on results

        return failures.answered(answer, sent)

    def _trace(self, made: request.Request, span: spans.Span) -> None:
        """Add header fields of W3C Trace Context to the request. A field that a hook has set is not replaced.

        If this server records a trace, each attempt to send the request adds its own field instead.
        """
        if span.operation is not None and span.operation.trace:
            made.traced = self._settings["TRACE"] is not False
            return
        from ..http import tracecontext  # imported late: most clients send no trace context

        if "traceparent" not in made.names:
            made.headers += tracecontext.fields(span, self._settings["TRACE"])
