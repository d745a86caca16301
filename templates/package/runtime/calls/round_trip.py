# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Send the request of a prepared call, turn its response into the result, and remove secrets from the result.

A response that is too large for the result is stored, and can be read later as a resource.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from ..core import log, spans
from ..core.effects import Dialogue
from ..core.wire_formats import ABSENT, Result
from ..http.client import Failure
from ..http.exchange import Sent
from ..http.sending import UNAUTHORIZED
from ..http.trimming import Trimmer
from ..result import response
from .preparation import CallUnderWay

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ..core.catalog import Catalog, Tool
    from ..core.limits import Budget
    from ..core.wire_formats import Block
    from ..http.exchange import Response
    from ..http.sending import Sender
    from ..http_server.handles import Sharing
    from ..request.request import Request
    from ..result.result_store import KeptResults, Names
    from ..results.result_rules import ResultRules
    from ..settings.settings import Settings
    from ..tables.table import View
    from ..text.redaction import Redactor
    from .preparation import PreparedCall

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
            self._settings.rotation.refused()
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
        if answer.size > most or "result" in call.tool.binding or answer.label == _GRAPHQL:
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
