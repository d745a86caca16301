# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""One call from its name and arguments to its result. The sequence, and nothing else:

    prepared (preparation.py), confirmed, sent (sending.py), answer interpreted, hooks, redacted, promise kept

Nothing is sent before all that can be refused has been refused, and nothing leaves without having passed the redactor.
Whatever goes wrong on the way is an error result in words for the model; only a fault of our own raises.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from copy import copy, deepcopy
from itertools import count
from typing import TYPE_CHECKING, Any

from ..core import log, spans
from ..core.budget import Budget
from ..core.effects import Dialogue, Fetch
from ..core.wire_formats import ABSENT, Contents, Result
from ..http import descriptors
from ..http.client import Client, Failure
from ..http.exchange import Sent
from ..http.sending import Sender
from ..http.shares import Shares
from ..http.trimming import Trimmer
from ..request import request
from ..request.argument_errors import HookFailed, Refuse, Refused
from ..result import response
from ..result.result_store import Resources
from ..settings import credentials
from ..settings.origins import Endpoint
from ..settings.settings import NotReady
from ..text.addresses import Address
from ..text.redaction import Redactor
from . import hook_runner
from .preparation import Preparation, sentence

if TYPE_CHECKING:
    from ..core.catalog import Catalog, Tool
    from ..http.exchange import Response
    from ..result.downloads import Download
    from ..result.structured import Promises
    from ..settings.settings import Settings
    from .consent import Ask, Consent
    from .preparation import Ready

Report = Callable[[str], None]

REACH_SECONDS = 5.0
_LONG = 64 * 1024
"""Bytes of an answer from which on it takes a while to look at it, for which it gets a turn of the loop."""
_SILENT = Dialogue("", "")


def _unheard(phase: str) -> None:
    """The progress of what nobody is told of."""


#: Results of the largest size that are kept at a time.
_RESULTS = 4


def _origins(settings: Settings) -> set[str]:
    """Return the origins that connections may be kept to."""
    endpoints = [found.address for found in settings.endpoints.values() if isinstance(found, Endpoint)]
    return {found.origin for found in [*settings.servers, *endpoints] if isinstance(found, Address)}


# Decision 0106: A new table has a new caller.
class Caller:
    """Makes the calls of one server, as one table says. To be made inside the event loop that it is used in."""

    def __init__(self, catalog: Catalog, settings: Settings) -> None:
        log.set_level(settings.log_level)
        self._catalog = catalog
        self._settings = settings
        self._preparation = Preparation(catalog, settings, credentials.Keys(catalog.security, settings))
        self._hooks = self._preparation.hooks
        self._promises: Promises | None = None
        rooms, files = descriptors.plan(settings.concurrency, len(_origins(settings)))
        if rooms < settings.concurrency:
            log.event("warning", "few_descriptors", rooms=rooms, wanted=settings.concurrency)
        shares = Shares(files=files)
        self._client = Client(settings, self._preparation.agent, shares)
        self._redactor = Redactor(credentials.sensitive(catalog.security, settings))
        log.redact_with(self._redactor.text)
        self._sender = Sender(self._client, settings, self._redactor.learn, rooms=rooms)
        self._consent: Consent | None = None
        self._numbers = count(1)
        self._trimmer = Trimmer()
        self.resources = Resources(_RESULTS * settings.sizes.kept, shares)

    @property
    def hooked(self) -> bool:
        """Whether code of the user's runs in calls."""
        return not self._hooks.idle

    def report(self) -> None:
        """Say in the log what is wrong with settings and hooks."""
        for problem in self._settings.problems:
            log.event("error", "setting", reason=problem)
        for warning in self._settings.warnings:
            log.event("warning", "setting", reason=warning)
        self._hooks.report()

    def following(self, catalog: Catalog, settings: Settings) -> Caller:
        """A caller for another table of the same server. It shares what does not come from the table: connections and
        their limits, tokens, what is kept, what users were asked, and the secrets, of which none is forgotten.
        """
        self._consent = self._consent or self._asking()
        self._redactor.add(credentials.sensitive(catalog.security, settings))
        caller = copy(self)
        caller._catalog, caller._settings = catalog, settings
        caller._preparation = Preparation(catalog, settings, credentials.Keys(catalog.security, settings))
        caller._hooks, caller._promises = caller._preparation.hooks, None
        caller._hooks.report()
        for warning in settings.warnings:
            if warning not in self._settings.warnings:  # such as an origin that the new table names
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
        """The result of calling that tool, which must exist. `report` hears "sent", "headers" and "body"; `dialogue`
        and `ask` are how the user can be asked. Raises wire_formats.Ended.
        """
        tool = self._catalog.tool(name)
        budget = self._preparation.budget(tool)
        done = ""
        with self._redactor.during():
            try:
                result, done = await self._made(tool, arguments, report, dialogue, ask, budget)
                if self._hooks.follow(name):
                    result = await self._hooks.after(name, result, budget, done)
            except HookFailed as failed:
                result = Result.error(hook_runner.withheld(name, str(failed), done) if done else sentence(name, failed))
            result = self._redacted(result)
        if tool.output_schema is None or result.is_error:
            return result
        if self._promises is None:
            from ..result.structured import Promises  # most servers promise nothing

            self._promises = Promises()
        with budget:
            return self._promises.keep(tool, result, budget)

    async def reach(self) -> list[str]:
        """For --doctor: what keeps calls from being made. Asks each server of the table, and sends no credentials."""
        found = list(self._settings.problems)
        for index in range(max(1, len(self._settings.servers))):
            try:
                found += await self._reached(self._settings.server(index))
            except NotReady as missing:
                found.append(str(missing))
        return found

    async def _reached(self, address: Address) -> list[str]:
        """Why nothing answers below that base URL. GET is asked where HEAD fails, which some servers do not know."""
        for method in ("HEAD", "GET"):
            try:
                await self._client.send(request.Request(method, "/"), address, REACH_SECONDS)
            except Failure as failure:
                found = [f"{address}: {failure.reason}."]
            else:
                return []
        return found

    async def try_tool(self, name: str) -> tuple[bool, str]:
        """For --doctor: call a reading tool without arguments. Whether all is well, and a sentence."""
        from . import trial  # nothing else tries

        tool = self._catalog.tool(name)
        with self._redactor.during():
            try:
                ready = self._preparation.unhooked(tool, {})
                budget = Budget(REACH_SECONDS, time.monotonic)
                answer, sent = await self._exchanged(tool, ready, {}, _unheard, budget)
            except (Refused, NotReady) as reason:
                return False, sentence(name, reason)
            if not isinstance(answer, Failure):
                self._closed(answer)
            return trial.verdict(answer, sent)

    async def try_grant(self, grant: credentials.Grant) -> str:
        """For --doctor: why no access token can be fetched with that; "" where one can."""
        try:
            await self._sender.try_grant(grant, REACH_SECONDS)
        except NotReady as reason:
            return str(reason)
        return ""

    async def fetch(self, wanted: Fetch) -> Contents | Result:
        """What that resource holds, or an error that says why it cannot be had. No hook is asked."""
        from ..result import fetching  # most servers have none

        tool = fetching.as_tool(wanted)
        with self._redactor.during():
            try:
                ready = self._preparation.unhooked(tool, wanted.arguments)
                budget = self._preparation.budget(tool)
                answer, sent = await self._exchanged(tool, ready, wanted.arguments, _unheard, budget)
            except (Refused, NotReady) as reason:
                spans.note(refused=True)
                return fetching.refused(wanted, reason)
            try:
                if not isinstance(answer, Failure) and response.is_large(answer, self._settings.sizes.shown):
                    await self._keep(answer, sent, budget)
                return fetching.read(wanted, answer, sent, self._redactor, self.resources)
            finally:
                if not isinstance(answer, Failure):
                    self._closed(answer)

    async def close(self) -> None:
        """Close the connections to the upstream, and keep nothing any more."""
        self.resources.close()
        await self._client.close()

    async def _made(
        self,
        tool: Tool,
        arguments: dict[str, Any],
        report: Report,
        dialogue: Dialogue,
        ask: Ask | None,
        budget: Budget,
    ) -> tuple[Result, str]:
        """Checked, confirmed, and either answered by the user's own code or sent; and in a sentence what was done,
        whatever becomes of the result, "" where nothing was. Raises HookFailed or Ended.
        """
        given = deepcopy(arguments) if "confirm" in tool.binding else {}  # what hooks make of them is nobody's business
        try:
            arguments = await self._preparation.checked(tool, arguments, budget)
            if "reads" in tool.binding:
                from ..result import read_result  # loaded by now

                return read_result.read(self.resources, arguments, self._settings.sizes.shown), ""
            hook = self._hooks.replacing(tool.name)
            ready = None if hook else await self._preparation.ready(tool, arguments, budget)
            if "confirm" in tool.binding:
                about = str(ready or f"{hook} in hooks.py"), ready.files if ready else ""
                if refusal := await self._confirmed(tool, given, about, dialogue, ask):
                    return refusal, ""
            if ready is not None:
                return await self._sent(tool, ready, arguments, report, budget)
            if not spans.act():
                raise Refuse("The server was stopped.")
            return await self._hooks.instead(tool.name, arguments, budget), f"{hook} had answered the call."
        except (Refused, NotReady, Refuse) as reason:
            spans.note(refused=True)
            return Result.error(sentence(tool.name, reason)), ""

    async def _confirmed(
        self, tool: Tool, arguments: dict[str, Any], about: tuple[str, str], dialogue: Dialogue, ask: Ask | None
    ) -> Result | None:
        """None where the user wants this call; else what is answered instead. `about` is the request line, and a digest
        of the files that it sends. Raises Ended.
        """
        from .consent import nobody  # most servers ask nothing

        self._consent = self._consent or self._asking()
        return await self._consent.obtain(tool, arguments, about, dialogue, ask or nobody)

    def _asking(self) -> Consent:
        from .consent import Consent  # most servers ask nothing
        from .signed_state import Tickets  # nor need tickets for it

        return Consent(Tickets(os.urandom(32), time.monotonic, os.urandom), self._redactor.text)

    async def _sent(
        self, tool: Tool, ready: Ready, arguments: dict[str, Any], report: Report, budget: Budget
    ) -> tuple[Result, str]:
        """The request sent, and what its answer comes to; and what was done."""
        answer, sent = await self._exchanged(tool, ready, arguments, report, budget)
        if isinstance(answer, Failure):
            from ..result import failures  # most calls succeed

            told = failures.no_answer(answer, sent)
            return Result.error(told), told
        try:
            if ready.download is not None and answer.size and 200 <= answer.status < 300:
                return await self._saved(ready.download, answer, sent, budget), self._done(answer, sent)
            return await self._told(tool, answer, sent, budget), self._done(answer, sent)
        finally:
            self._closed(answer)

    def _closed(self, answer: Response) -> None:
        """Give back what an answer took."""
        if answer.held is not None or answer.spool is not None:
            size = answer.size
            answer.close()
            self._trimmer.freed(size)

    async def _told(self, tool: Tool, answer: Response, sent: Sent, budget: Budget) -> Result:
        """What an answer comes to."""
        shown, view = self._settings.sizes.shown, None
        if "result" in tool.binding:
            from ..result.result_rules import View  # most tools show what was answered

            view = View(tool.binding["result"])
            if (instead := view.take(answer, sent, shown)) is not None:
                return instead
        if response.is_large(answer, shown):
            await self._keep(answer, sent, budget)
        result = response.interpret(answer, sent, self._redactor, shown)
        if view is not None and not result.is_error:
            result = view.dressed(result, answer, sent, self._redactor, shown)
        return result

    async def _saved(self, download: Download, answer: Response, sent: Sent, budget: Budget) -> Result:
        """The answer written to a file, and what is told of that."""
        from ..result.downloads import Unwritten  # loaded by now

        try:
            size = await download.save(answer, self._redactor, budget)
        except Unwritten as reason:
            return Result.error(f"{sent.tool.name} was answered with {answer.named}. {reason}")
        return response.saved(answer, sent, download.path, size)

    async def _keep(self, answer: Response, sent: Sent, budget: Budget) -> None:
        """Keep an answer that is too large to be shown, as much of it as there is time for."""
        from ..result import large_results  # most answers fit

        with budget as seconds:
            answer.kept = await large_results.keep(answer, sent.uri, self._redactor, self.resources, seconds)

    async def _exchanged(
        self, tool: Tool, ready: Ready, arguments: dict[str, Any], report: Report, budget: Budget
    ) -> tuple[Response | Failure, Sent]:
        """The request sent, and its answer, or why there is none."""
        uri = f"{self._catalog.name}://result/{next(self._numbers)}"
        made, chosen, span = ready.request, ready.chosen, spans.current()
        chosen.put(made)
        sent = Sent(tool, made.method, made.path, chosen.variables, uri, arguments, made.key)
        sent.reader = self._catalog.reader
        sent.scopes, sent.offers = chosen.scopes, chosen.offers
        for secret in ready.private:
            self._redactor.learn(secret, "hook")
        if span is not None and (self._settings.trace or span.origin.traceparent):
            self._trace(made, span)
        try:
            with budget as seconds:
                answer = await self._sender.send(ready, sent, seconds, report)
        except Failure as failure:
            log.event("warning", "no_answer", tool=tool.name, reason=failure.reason)
            return failure, sent
        if span is not None:
            span.status = answer.status
        answer.redact(self._redactor.field)
        if answer.size > _LONG:
            await asyncio.sleep(0)  # what is ready leaves before
        return answer, sent

    def _done(self, answer: Response, sent: Sent) -> str:
        """What stays true of an answered request where a hook withholds its result; "" where none could."""
        if not self._hooks.follow(sent.tool.name):
            return ""
        from ..result import failures  # most servers have no such hook

        return failures.answered(answer, sent)

    def _trace(self, made: request.Request, span: spans.Span) -> None:
        """Tell the API which trace the call is part of."""
        from ..http import tracecontext  # most clients trace nothing

        if "traceparent" not in made.names:  # else a hook does
            made.headers += tracecontext.fields(span, self._settings.trace)

    def _redacted(self, result: Result) -> Result:
        shown = Result([*map(self._shown, result.content)], result.structured, result.is_error)
        if result.written and not self._redactor.may_be_in(result.written):
            shown.written = result.written
        elif result.structured is not ABSENT:
            shown.structured = self._redactor.whole(result.structured)
        return shown

    def _shown(self, block: dict[str, Any]) -> dict[str, Any]:
        """The block without secrets. Its base64 stays: it was made of what holds none, and must stay readable."""
        if block.keys() == {"type", "text"} and block["type"] == "text" and isinstance(block["text"], str):
            return {"type": "text", "text": self._redactor.text(block["text"])}  # as with most
        encoded = {name: block[name] for name in ("data", "blob") if name in block}
        inner = {name: self._shown(block[name]) for name in ("resource",) if isinstance(block.get(name), dict)}
        rest = {name: member for name, member in block.items() if name not in encoded and name not in inner}
        return {**self._redactor.value(rest), **inner, **encoded}
