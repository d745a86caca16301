# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Connect the HTTP server, the MCP endpoint, the calls and the audit log, in one event loop.

Invariant: every call that the endpoint begins is written to the audit log, and then either returns an outcome or is
cancelled. This holds even if the client disconnects. Events of the service go to telemetry, if the operator has enabled
it. Each value of `Host` and `Origin` that is refused is logged, but only once.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from ..core import log, spans
from ..core.effects import Call, Cancel, Origin, PollResources, ReadResource, RejectedCall, UserAnswer
from ..core.jsonrpc import parse
from ..core.limits import Deadlines, Places
from ..core.protocol import cut_short
from ..core.wire_formats import Contents
from ..serve.engine import loaded, unhandled
from ..serve.scheduler import CallScheduler
from ..watching.poller import Poller
from .requests import relayed_messages, response_writer
from .requests.request_task import InlineRequest, RequestTask
from .requests.response_writer import ResponseWriter
from .streamable import admission, metrics_page, server_card, session
from .streamable.access import Access
from .streamable.admission import Answer, OwnPaths
from .streamable.endpoint import Endpoint
from .streamable.session import Relay

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from ..audit.audit import Audit
    from ..calls.execution import ToolExecutor
    from ..core.catalog import Catalog
    from ..core.wire_formats import Asked, Outcome
    from ..delegation.caller_credentials import Credentials
    from ..identity.guard import Guard
    from ..replicas.sharing import Sharing
    from ..serve.scheduler import Start
    from ..settings.settings import Settings
    from ..telemetry.recorder import Recorder
    from ..telemetry.reporter import Reporter
    from ..telemetry.telemetry_settings import Telemetry
    from .listening import Listening
    from .requests.door import Connection, InlineDoor
    from .sealed.seal import Seal
    from .streamable.admission import Head, Peer
    from .streamable.endpoint import Wanted
    from .streamable.event_stream import Recording
    from .streamable.exchange import Exchange
    from .streamable.session import Session


class Measurement:
    """Telemetry of one HTTP service. If `reporter` is None (telemetry is off), the methods do nothing."""

    def __init__(self, reporter: Reporter | None, telemetry: Telemetry | None) -> None:
        self._reporter = reporter
        self._telemetry = telemetry
        self.recorder: Recorder | None = None if reporter is None else reporter.recorder

    def start(self, numbers: Callable[[], tuple[int, int]]) -> None:
        """Start to send or write telemetry. `numbers()` returns how many calls are running and how many are waiting."""
        if self._reporter is not None:
            self._reporter.reads_calls(numbers)
            self._reporter.start()

    async def close(self) -> None:
        """Send the last telemetry report, and stop."""
        if self._reporter is not None:
            await asyncio.to_thread(self._reporter.cut)

    def renew(self, catalog: Catalog) -> None:
        """From now on, record a tool's name only if the tool is in `catalog`. Record any other name as `_OTHER`."""
        if self.recorder is not None:
            self.recorder.renew(catalog)

    def page(self, head: Head, stranger: Callable[[Head], Answer | None]) -> Answer | None:
        """Return the response to a request for `/metrics`, or None for other paths, or if metrics are not served."""
        if head.path != metrics_page.PATH or self._reporter is None or self._telemetry is None:
            return None
        if not self._telemetry.at_path:
            return None
        page = self._reporter
        return metrics_page.answer(head, self._telemetry.token, stranger, page.text, page.media_type)

    def received(self, head: Head, peer: Peer) -> None:
        """Copy the `traceparent` header field of an HTTP request to `peer`, the request's caller."""
        if self.recorder is not None:
            peer.trace = head.get("traceparent") or ""

    def answers(self, part: object) -> None:
        """Count an HTTP response if it is an error."""
        if self.recorder is not None and isinstance(part, Answer) and part.status >= 400:
            self.recorder.turned_away(part.status)

    def ended(self, key: int, outcome: Outcome | str) -> None:
        """Record the outcome of a call, or `cancelled` if the call was cancelled and so has no outcome."""
        if self.recorder is not None:
            self.recorder.ended(key, outcome)


_MOST = 100  # maximum number of logged refusals, since a caller could send any number of hosts and origins


class RefusalLog:
    """Log of refused hosts and origins, which contains each only once."""

    def __init__(self) -> None:
        self._noted: set[str] = set()

    def note(self, fields: dict[str, str]) -> None:
        """Log a refused `Host` or `Origin`, and the setting that would allow it. Do nothing if it was logged before."""
        told = repr(fields)
        if told not in self._noted and len(self._noted) < _MOST:
            self._noted.add(told)
            log.event("warning", fields.pop("event"), **fields)


GRACE = 8.0
"""Seconds that pending calls have after the signal to end. Container platforms kill a process after ten seconds."""

MOST_BODIES = 256 * 1024 * 1024
"""Largest number of bytes of all requests that are being read or whose calls are pending."""

_SWEEP = 30.0
_ELSEWHERE = (
    "This result is not here: another replica keeps it, or the process that kept it has ended. Call the tool again."
)


class Service:
    """HTTP service of one server. It runs in the event loop in which it is started."""

    def __init__(
        self,
        catalog: Catalog,
        settings: Settings,
        listening: Listening,
        seal: Seal,
        make: Callable[[ToolExecutor | None, Catalog, Settings], ToolExecutor],
        audit: Audit | None = None,
        sharing: Sharing | None = None,
        guard: Guard | None = None,
        callers: Credentials | None = None,
        reporter: Reporter | None = None,
    ) -> None:
        """Create a service. `make(former, catalog, settings)` creates the tool executor; `former` is the executor to
        replace, or None.

        `sharing`: state shared with other replicas, or None. `guard` checks access tokens. `callers`: store of the
        callers' credentials, or None if API requests use the server's own. `reporter` reports telemetry, or is None.
        """
        self._callers = callers
        self._measured = Measurement(reporter, settings.telemetry)
        self._sharing, self._guard = sharing, guard
        self._steps: set[asyncio.Task[None]] = set()
        self.ready = False
        self.paths = OwnPaths(listening["HTTP_URL"])
        self._make, self._audit = make, audit
        self._caller: ToolExecutor | None = None
        self._bodies = Places(MOST_BODIES)
        self._work = CallScheduler(lambda size: None)
        self._listening = listening
        self._admission = admission.Admission(listening, settings.prefix, guard, callers is not None)
        always, issued = frozenset(listening["AUTH_SCOPES"]), bool(listening["AUTH_ISSUER"])
        claim, first = listening["AUTH_ROLES_CLAIM"], listening["AUTH_FIRST_SCOPES"]
        access = Access(catalog, settings["ROLES"], claim, always, issued, guard, first)
        self._endpoint = Endpoint(access, seal, time.monotonic, settings.again is not None, self._measured.recorder)
        self._catalog, self._settings = catalog, settings
        self._silences = Deadlines()
        self._poller = Poller(self._endpoint.polled, lambda: self._caller, self._endpoint.updated)
        self._writer = ResponseWriter(self._silences, self._endpoint, guard, self._lost)
        self._refusals = RefusalLog()
        self._under_way = 0
        self._idle = asyncio.Event()
        self._idle.set()

    async def start(self) -> None:
        """Load the tool executor and start the parts of the service. After this, the service accepts requests."""
        self._measured.start(lambda: self._work.numbers)
        asyncio.get_running_loop().set_exception_handler(unhandled)
        self._load(self._catalog, self._settings)
        if self._sharing is not None:
            older_era = self._endpoint.older
            older_era.streams.recalls, older_era.recorded = True, self._recorded
            self._sharing.start(older_era.replica, self._relayed, older_era.remember_ended)
        if self._guard is not None:
            self._guard.start()
        self.ready = self._work.caller is not None
        self._sweep()

    async def handle(self, head: Head, connection: Connection) -> None:
        """Serve one request. The caller cancels this coroutine if the client disconnects."""
        self._enter()
        try:
            admitted = self._admitted(head)
            if isinstance(admitted, admission.UncheckedToken):
                admitted = await self._checked(head, admitted.token)
            if isinstance(admitted, Answer):
                self._measured.answers(admitted)
                await connection.answer(admitted)
            else:
                await self._serve(head, admitted, connection)
        except TimeoutError:  # close the connection: the client does not read its response, so writing has timed out
            connection.abort()
        finally:
            self._leave()

    def admit_inline(self, head: Head) -> Peer | None:
        """Return the caller of a request that may be served inline (without an asyncio task of its own), else None."""
        admitted = self._admitted(head)
        return admitted if isinstance(admitted, admission.Peer) and not self._admission.is_browser(head) else None

    def begin_inline(self, head: Head, peer: Peer, body: bytes, door: InlineDoor) -> InlineRequest | None:
        """Begin to serve a request inline (without an asyncio task of its own), and return it. Return None if memory
        for requests is used up: the caller of this method then refuses the request.
        """
        caller, size = peer.caller, len(body)
        if not self._bodies.has(caller, size):
            return None
        self._enter()
        self._bodies.take(caller, size)

        def done() -> None:
            self._bodies.give(caller, size)
            self._leave()

        try:
            exchange = self._received(head, peer, body)
        except BaseException:
            done()
            raise
        return InlineRequest(exchange, peer.identity, door, self._silences, done, self._lost)

    async def resume(self, request: InlineRequest, connection: Connection) -> None:
        """Serve the rest of a request that was begun inline (without an asyncio task of its own). If the client
        disconnects, the caller cancels this coroutine.
        """
        try:
            await self._writer.write(request.exchange, connection, request.caller)
        except TimeoutError:  # close the connection: the client does not read its response, so writing has timed out
            connection.abort()
        finally:
            request.over()

    def _enter(self) -> None:
        self._under_way += 1
        self._idle.clear()

    def _leave(self) -> None:
        self._under_way -= 1
        if not self._under_way:
            self._idle.set()

    def renew(self, catalog: Catalog, settings: Settings) -> None:
        """Use the tools of `catalog` from the next request on. Pending calls keep their version of the tools."""
        self._catalog, self._settings = catalog, settings
        if self._work.caller is not None:
            self._load(catalog, settings)
        self._endpoint.renew(catalog, settings["ROLES"])
        self._measured.renew(catalog)

    async def drain(self) -> None:
        """End the streams of change notifications, and wait for pending calls.

        After a time limit, end the calls that still run.
        """
        self.ready = False
        self._endpoint.close_streams()
        try:
            async with asyncio.timeout(GRACE):
                await self._idle.wait()
        except TimeoutError:
            self._endpoint.cut(cut_short)
            self._work.stop()
            await asyncio.sleep(0)

    async def close(self) -> None:
        """Close connections and stores that calls use. Call this after the last request."""
        if self._caller is not None:
            await self._caller.close()
        if self._sharing is not None:
            await self._sharing.close()
        if self._guard is not None:
            await self._guard.close()
        await self._measured.close()

    # Methods that serve one request

    def _admitted(self, head: Head) -> Peer | Answer | admission.UncheckedToken:
        if head.path != admission.PATH:
            if head.path == "/readyz":
                ready = self.ready and (self._guard is None or self._guard.ready)
                return admission.told(head, *((200, b"ok\n") if ready else (503, b"not ready\n")))
            if (public := server_card.answer(head, self._listening, self._catalog)) is not None:
                return public
            if (page := self._measured.page(head, self._admission.stranger)) is not None:
                return page
        admitted = self._admission.admit(head)
        if isinstance(admitted, Answer) and admitted.note is not None:
            self._refusals.note(dict(admitted.note))
        return admitted

    async def _checked(self, head: Head, token: str) -> Peer | Answer:
        """Check an access token that is not in the cache.

        Return the caller, or the response that refuses the request.
        """
        from ..identity.problems import InvalidToken, Unavailable  # imported late: only with an authorization server

        if self._guard is None:
            return self._admission.unauthorized(head, None)
        try:
            return self._admission.welcome(head, await self._guard.check(token, head.address))
        except InvalidToken as problem:
            return self._admission.unauthorized(head, str(problem))
        except Unavailable as problem:
            return self._admission.unavailable(head, str(problem), problem.seconds)

    async def _serve(self, head: Head, peer: Peer, connection: Connection) -> None:
        """Read a request and write its response. Meanwhile, the request's size in bytes counts towards MOST_BODIES."""
        is_browser = self._admission.is_browser(head)
        caller, size = peer.caller, admission.most_to_read(head)
        if not self._bodies.has(caller, size):
            await connection.answer(admission.busy())
            return
        self._bodies.take(caller, size)
        try:
            body = await response_writer.body(connection) if size else b""
            if isinstance(body, Answer):
                await connection.answer(body)
            elif is_browser and self._callers is not None:
                page = await self._callers.browser(head.method, head.path, head.query, body)
                await connection.answer(Answer(page.status, page.body, list(page.fields)))
            else:
                here = RequestTask(connection, peer.identity, self._writer, self._silences)
                await here.respond(self._received(head, peer, body, here.start))
        finally:
            self._bodies.give(caller, size)

    def _received(self, head: Head, peer: Peer, body: bytes, start: Start | None = None) -> Exchange:
        """Pass a whole request to the MCP endpoint, carry out the actions that it returns, and return the exchange (the
        request with its response).

        `start` runs the tool call if that is the only action.
        """
        if self._callers is not None:
            peer.given = response_writer.given(head, self._callers.fields)
        self._measured.received(head, peer)
        exchange, wanted = self._endpoint.receive(head, peer, body, self._admission.shared_with(head))
        for each in wanted:
            self._do(each, len(body), peer, start if len(wanted) == 1 else None)
        self._measured.answers(exchange.parts[0] if exchange.parts else None)
        return exchange

    def _lost(self, exchange: Exchange) -> None:
        """Carry out what follows from a closed connection, such as cancelling its calls."""
        for each in self._endpoint.lost(exchange):
            self._do(each, 0, None)

    def _do(self, effect: Wanted, size: int, peer: Peer | None, start: Start | None = None) -> None:
        if isinstance(effect, Call):
            self._begin(effect, size, start)
        elif isinstance(effect, RejectedCall):
            if self._audit is not None:
                self._audit.reject(effect)
        elif isinstance(effect, ReadResource):
            self._step(self._read(effect, peer))
        elif isinstance(effect, Cancel):
            if self._audit is not None:
                self._audit.end(effect.key, "cancelled")
            self._measured.ended(effect.key, "cancelled")
            self._work.abandon(effect.key)
        elif isinstance(effect, UserAnswer):
            self._work.answered(effect.key, effect.reply)
        elif isinstance(effect, PollResources):
            self._poller.wake()
        elif isinstance(effect, Relay):
            self._step(relayed_messages.relay(self._sharing, effect))
        elif isinstance(effect, session.ResumeElsewhere) and self._sharing is not None:
            self._step(relayed_messages.resume(self._sharing, effect, self._go_on))

    def _begin(self, call: Call, size: int, start: Start | None) -> None:
        call.span = call.span or spans.Span(call.origin)
        call.span.offered = call.offered
        if self._audit is not None and (refusal := self._audit.begin(call)):
            self.done(call.key, refusal)
            return
        self._work.arrive(call, self, size, start)

    async def _read(self, wanted: ReadResource, peer: Peer | None) -> None:
        """Respond with the stored result at a URI, if the caller may read it."""
        if self._caller is None:
            self.done(wanted.key, Contents(wanted.uri, None))
            return
        spans.enter(spans.Span(Origin(peer=peer)))
        await self._caller.bring(wanted.uri)
        found = self._caller.resources.look_up(wanted.uri)
        if found.contents is None and self._caller.names.admits(wanted.uri.partition("?")[0]):
            found.reason = found.reason or _ELSEWHERE
        self.done(wanted.key, found)

    # Methods for state that replicas share

    def _step(self, step: Coroutine[None, None, None]) -> None:
        """Run the coroutine `step` in an asyncio task of its own."""
        task = asyncio.get_running_loop().create_task(step)
        self._steps.add(task)
        task.add_done_callback(self._steps.discard)

    def _relayed(self, id: str, line: bytes | None) -> None:  # noqa: A002
        """Process a message of a session that another replica has received and passed on."""
        known = self._endpoint.older
        # Poll the resource if the message subscribes to one, and this replica has the session's stream.
        self._poller.wake()
        for effect in known.ended(id) if line is None else known.relayed(id, parse(line)):
            self._do(effect, 0, None)

    def _go_on(self, found: Session, exchange: Exchange) -> None:
        """Continue here a stream of change notifications that another replica began."""
        self._endpoint.older.go_on(found, exchange)
        self._poller.wake()

    def _recorded(self, digest: str, recording: Recording, id: object) -> None:  # noqa: A002
        """Store the events of a stream from now on, so that other replicas can resume the stream."""
        if self._sharing is not None:
            recording.heard.append(self._sharing.record(digest, recording.stream, id, recording.caller))

    # Methods by which a call reports its outcome, progress, log messages and questions (work.Listener)

    def attended(self) -> bool:
        """Return True. Over HTTP, the connection shows if a client still waits, so no check is needed here."""
        return True

    def done(self, key: int, outcome: Outcome) -> None:
        """Record the outcome of a call in the audit log and in telemetry, and respond to its request."""
        if self._audit is not None:
            self._audit.end(key, outcome)
        self._measured.ended(key, outcome)
        self._endpoint.finished(key, outcome)

    def progress(self, key: int, done: float, message: str, total: float | None = None) -> None:
        """Send progress of a call, if its client asked for progress."""
        self._endpoint.progress(key, done, message, total)

    def log(self, key: int, level: str, content: object) -> None:
        """Send a log message about a call to its client."""
        self._endpoint.log(key, level, content)

    def ask(self, key: int, question: Asked | None) -> bool:
        """Send the client a call's question to the user (elicitation). If `question` is None, cancel the open question.

        Return False if no message was sent, for example because the call has ended; else True.
        """
        return self._endpoint.ask(key, question)

    def _load(self, catalog: Catalog, settings: Settings) -> None:
        def make() -> ToolExecutor:
            self._caller = self._make(self._caller, catalog, settings)
            self._caller.lasting.record = self._audit
            return self._caller

        self._work.caller = loaded(make)

    def _sweep(self) -> None:
        self._endpoint.older.sweep()
        asyncio.get_running_loop().call_later(_SWEEP, self._sweep)
