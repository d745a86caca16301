# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Serve MCP over Streamable HTTP: a request comes in; actions to carry out (effects) and the parts of its response go
out.

This module does no I/O, never waits and reads no clock. The HTTP server passes the head and body of a request, and gets
an `Exchange` with the parts to write. Actions are returned as the protocol's effects, and as `Relay` and
`ResumeElsewhere`, which concern other replicas.

All revisions of MCP are served at one path. Those of the "handshake era" are the ones that begin with `initialize`:

    the message                                              is served as
    -------------------------------------------------------  ------------------------------------------------------
    names a revision or capabilities in `_meta`              2026-07-28: with a `Protocol` of its own, dropped after
                                                             the response
    has a header field with a revision not of the            the same, but refused: `_meta` lacks the revision
    handshake era
    is `initialize`                                          handshake era: the response has a session id
    has a session id                                         handshake era: with the `Protocol` of that session,
                                                             restored from the id if this process has none
    anything else                                            400: a session is required

Clients choose ids and progress tokens, so they are unique only within one POST (2026-07-28) or one session. The key of
a call is unique among the calls of all clients.

In the stateless era (2026-07-28), each POST is a separate conversation with one response. So a cancellation sent by
POST cancels nothing. Closing the connection cancels a call.
"""

from __future__ import annotations

from itertools import chain, count, zip_longest
from typing import TYPE_CHECKING

from ...core.effects import VERSION, Cancel, Origin, PollResources, RejectedCall, Send, SendError, is_stateless, meta_of
from ...core.jsonrpc import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    Batch,
    Fault,
    Malformed,
    Notification,
    Request,
    answer,
    error,
    parse,
)
from ...core.protocol import Protocol
from ...core.wire_formats import HANDSHAKE_REVISIONS, STATELESS_REVISIONS
from ...watching.subscriptions import Subscriptions, ended_result
from . import admission
from .admission import REVISION, STREAM, Answer, accepted, admits, busy, json_answer, no_stream, refused
from .exchange import Exchange, Routes
from .older import SessionHandler
from .session import Relay, ResumeElsewhere

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeAlias

    from ...core.catalog import Catalog
    from ...core.effects import Call, Effect, Fetch
    from ...core.jsonrpc import Message
    from ...core.spans import Peer
    from ...core.wire_formats import Asked, Outcome
    from ..sealed.seal import Seal
    from .access import Access
    from .admission import Fields, Head
    from .exchange import Observer

    Told = tuple[Exchange, list[Effect]]

    Wanted: TypeAlias = "Effect | Relay | ResumeElsewhere"

_LISTEN = "subscriptions/listen"


class StatelessHandler:
    """Request handler of the stateless era: the MCP revisions in which each request names its revision."""

    def __init__(self, routes: Routes, keys: Iterator[int], changes: bool, observer: Observer | None = None) -> None:
        """Create the handler. `keys` yields a number for each call, which identifies the call within the process.

        `changes`: True if the tools can change. `observer` records messages and their durations for telemetry.
        """
        self._observer = observer
        self._routes = routes
        self._keys = keys
        self._changes = changes
        self._seen: Catalog | None = None
        self._repeats = False

    def receive(self, head: Head, message: Message, peer: Peer, access: Access, fields: Fields) -> Told:
        """Process a message. Return the exchange (the HTTP response so far) and the actions to perform.

        `fields`: header fields to add to any response. `access` decides which tools and resources the peer may use.
        """
        if not isinstance(message, Request):
            exchange = Exchange(None, stateless=True, fields=fields)
            exchange.answer(_unasked(head, message))
            if self._observer is not None and isinstance(message, Notification):
                self._observer.notified(message, peer, None)
            return exchange, []
        exchange = Exchange(message.id, stateless=True, fields=fields)
        exchange.caller = peer.caller
        try:
            admission.check(head, message, lambda tool: self._repeated(access.whole, tool))
        except Fault as fault:
            line = error(message.id, fault.code, fault.sentence, fault.data)
            exchange.respond(line)
            if self._observer is not None:
                told = SendError(line, fault.code, fault.sentence)
                self._observer.answered(self._observer.begin(message, peer), message, [told], None)
            return exchange, [*_rejected(message, peer)]
        if (refusal := access.refusal(peer, message)) is not None:
            exchange.answer(refusal)
            return exchange, [*_rejected(message, peer)]
        takes = self._routes.takes_stream if message.method == _LISTEN else self._routes.takes_call
        if message.method == _LISTEN and not admits(head, STREAM):
            exchange.answer(no_stream())
        elif not takes(exchange.caller):
            exchange.answer(busy())
        return exchange, [] if exchange.over else self._served(exchange, message, peer, access.catalog(peer.identity))

    def lost(self, exchange: Exchange) -> list[Effect]:
        """Return the actions to perform after a connection was closed: cancel its calls (requirement M14)."""
        return [Cancel(key) for key in self._routes.forget(exchange)]

    def close(self, exchange: Exchange) -> None:
        """End a stream of change notifications: send the result of its request (requirement M15)."""
        if exchange.id is not None:
            exchange.respond(answer(exchange.id, ended_result(exchange.id)))

    def _served(self, exchange: Exchange, request: Request, peer: Peer, catalog: Catalog) -> list[Effect]:
        changes = Subscriptions() if self._changes else None
        protocol = Protocol(catalog, changes, self._keys, observer=self._observer)
        protocol.heard_from(peer, catalog)
        effects = protocol.receive(request)
        if request.method != _LISTEN or not _acknowledged(effects):
            return self._routes.begin(exchange, protocol, effects)
        exchange.protocol = protocol
        self._routes.open(exchange)
        for effect in effects:
            if isinstance(effect, Send):
                exchange.tell(effect.line)
        return [effect for effect in effects if isinstance(effect, PollResources)]

    def _repeated(self, catalog: Catalog, tool: str) -> dict[str, str]:
        """Return the arguments of a tool that header fields must repeat.

        Few servers have such arguments. So the catalog is searched once for any, and the result is cached.
        """
        if self._seen is not catalog:
            self._seen, self._repeats = catalog, catalog.describes(b'"x-mcp-header"')
        if not self._repeats:
            return {}
        tool = catalog.resolve_alias(tool)
        return admission.headers_of(catalog.tool(tool).schema) if catalog.has(tool) else {}


def _acknowledged(effects: list[Effect]) -> bool:
    """Return True if the server accepts a `subscriptions/listen` request, so that its response is an event stream.

    `effects`: actions that the request causes. An accepted request causes a notification, a refused one an error.
    """
    return any(isinstance(effect, Send) and b'"method":' in effect.line for effect in effects)


def _unasked(head: Head, message: Message) -> Answer:
    """Return the HTTP response to a message that is not a request: 202 for a valid notification, else 400 (requirement
    M11).
    """
    if not isinstance(message, Notification):
        return refused(400, INVALID_REQUEST, "A POST holds one request or one notification.")
    meta = meta_of(message)
    said = meta.get(VERSION) if isinstance(meta, dict) else None
    if any(each is not None and each not in STATELESS_REVISIONS for each in (head.get(REVISION), said)):
        return refused(400, INVALID_REQUEST, "The notification names a revision that is not spoken here.")
    return accepted()


class Endpoint:
    """Handler of all requests to the MCP path, from all clients. Not thread-safe."""

    def __init__(
        self,
        access: Access,
        seal: Seal,
        clock: Callable[[], float],
        changes: bool = False,
        observer: Observer | None = None,
    ) -> None:
        """Create the handler. `access`: the tools, and the rules for who may use them. `seal` encrypts session ids.

        `clock()` returns seconds. `changes`: True if the tools can change (`renew`). `observer` records requests and
        their durations for telemetry.
        """
        self._access = access
        self.routes = Routes()
        keys = count(1)
        self.older = SessionHandler(self.routes, keys, seal, clock, changes, observer)
        self._stateless = StatelessHandler(self.routes, keys, changes, observer)

    # Methods for messages from clients

    def receive(self, head: Head, peer: Peer, body: bytes, fields: Fields) -> tuple[Exchange, list[Wanted]]:
        """Process an admitted HTTP request. Return its exchange (the response so far), and the effects: actions to
        perform, such as running a tool.

        `fields`: header fields that are added to any response.
        """
        if head.method == "POST":
            exchange, wanted = self._post(head, peer, body, fields)
            exchange.plain = not admits(head, STREAM)
            return exchange, wanted
        found = self.older.find(head, peer, self._access.catalog(peer.identity))
        if isinstance(found, Answer):
            return _answered(found, fields)
        if head.method == "GET":
            exchange, recalls = self.older.streams.open(found, head, fields)
            return exchange, [*recalls, *([PollResources()] if found.protocol.watched else [])]
        exchange, _ = _answered(Answer(204), fields)
        return exchange, [*self.older.end(found)]

    def lost(self, exchange: Exchange) -> list[Wanted]:
        """Record that the client has closed the connection of an exchange. Return the actions to perform (effects)."""
        exchange.open = False
        if exchange.name:
            if (found := self.older.session_of(exchange)) is not None:
                self.older.lost(found, exchange)
            return []
        return [*self._stateless.lost(exchange)]

    def _post(self, head: Head, peer: Peer, body: bytes, fields: Fields) -> tuple[Exchange, list[Wanted]]:
        message = parse(body)
        if isinstance(message, Malformed):
            id_ = message.id if message.code == INVALID_PARAMS else None
            return _answered(json_answer(400, error(id_, message.code, message.sentence)), fields)
        if is_stateless(meta_of(message)) or self._names_newer(head, peer):
            exchange, effects = self._stateless.receive(head, message, peer, self._access, fields)
            return exchange, [*effects]
        offered = self._access.catalog(peer.identity)
        if isinstance(message, Request) and message.method == "initialize":
            return _answered(self.older.initialize(message, head, peer, offered, fields), [])
        found = self.older.find(head, peer, offered)
        if isinstance(found, Answer):
            return _answered(found, fields)
        if (refusal := self._access.refusal(peer, message)) is not None:
            exchange, _ = _answered(refusal, fields)
            return exchange, [*_rejected(message, peer)]
        exchange, wanted = self.older.receive(found, message, body, fields)
        return exchange, [*wanted]

    # Methods by which a call reports its outcome, progress, log messages and questions

    def finished(self, key: int, outcome: Outcome) -> None:
        """Respond to the request of a finished call."""
        exchange = self.routes.end(key)
        if exchange is None or exchange.protocol is None:
            return
        line = exchange.protocol.finished(key, outcome)
        if line is not None:
            exchange.respond(line)
        if exchange.name and (found := self.older.session_of(exchange)) is not None:
            self.older.settle(found, exchange)

    def progress(self, key: int, done: float, message: str, total: float | None = None) -> None:
        """Send progress of a call, if its client asked for progress."""
        exchange = self.routes.calls.get(key)
        if exchange is None or exchange.protocol is None:
            return
        if (line := exchange.protocol.progress(key, done, total, message)) is not None:
            exchange.tell(line)

    def log(self, key: int, level: str, content: object) -> None:
        """Send a log message about a call to its client."""
        exchange = self.routes.calls.get(key)
        if exchange is None or exchange.protocol is None:
            return
        if (line := exchange.protocol.log(key, level, content)) is not None:
            exchange.tell(line)

    def ask(self, key: int, question: Asked | None) -> bool:
        """Send the client a call's question to the user (elicitation). If `question` is None, cancel the open question.

        Return True if a message was sent.
        """
        exchange = self.routes.calls.get(key)
        if exchange is None or exchange.protocol is None or exchange.plain:
            return False
        protocol = exchange.protocol
        line = protocol.withdraw(key) if question is None else protocol.ask(key, question)
        if line is not None:
            exchange.tell(line)
        return line is not None

    # Methods for resources that clients watch for changes

    def polled(self) -> dict[str, Fetch]:
        """Return URI -> the request that polls it, for each polled resource that an open stream watches.

        Callers take turns, one resource each, since not all resources are polled if there are too many.
        """
        of: dict[str, dict[str, Fetch]] = {}
        for exchange in self.routes.streams:
            if exchange.protocol is not None:
                of.setdefault(exchange.caller, {}).update(exchange.protocol.polled())
        rounds = zip_longest(*(each.items() for each in of.values()))
        return dict(each for each in chain.from_iterable(rounds) if each is not None)

    def updated(self, uri: str) -> None:
        """Notify the streams that watch the resource at this URI, which has changed."""
        for exchange in list(self.routes.streams):
            if exchange.protocol is not None and (lines := exchange.protocol.updated(uri)):
                exchange.tell(lines)

    # Methods that concern all clients and calls

    def renew(self, catalog: Catalog, roles: frozenset[str] = frozenset()) -> None:
        """Use the tools of `catalog` from the next request on, and notify the streams that listen for changes.

        `roles`: roles that the operator gives to callers without an access token.
        """
        self._access.renew(catalog, roles)
        self.older.renew(self._offered)
        for exchange in list(self.routes.streams):
            if exchange.protocol is not None and not exchange.name:
                offered = self._offered(exchange.protocol.peer)
                for line in exchange.protocol.renew(offered).splitlines(keepends=True):
                    exchange.tell(line)

    # A call that has begun may take effect in the API, so it is answered even after its token has expired
    # (docs/decisions/identity.md).
    def expire(self, exchange: Exchange) -> None:
        """End the stream of an exchange whose access token has expired (security requirement A8).

        In the handshake era (MCP up to 2025-11-25), the client resumes the stream with its next token. In the stateless
        era, only streams of change notifications end. A response that is not a stream is still sent.
        """
        if exchange in self.routes.streams and not exchange.name:
            self.routes.forget(exchange)
            self._stateless.close(exchange)
        elif exchange.name:
            self.older.expire(exchange)

    def close_streams(self) -> None:
        """End each stream of change notifications, because the process is about to end."""
        self.routes.closing = True
        for exchange in list(self.routes.streams):
            self.routes.forget(exchange)
            if exchange.name:
                exchange.close()
            else:
                self._stateless.close(exchange)

    def cut(self, outcome: Callable[[Call | None], Outcome]) -> None:
        """Respond to each pending call with `outcome(call)`, because the process ends."""
        for key, exchange in list(self.routes.calls.items()):
            protocol = exchange.protocol
            running = protocol.running(key) if protocol is not None else None
            self.finished(key, outcome(running))

    def _offered(self, peer: Peer | None) -> Catalog:
        return self._access.catalog(None if peer is None else peer.identity)

    def _names_newer(self, head: Head, peer: Peer) -> bool:
        """Return True if a header field names a revision of MCP that is not one of those up to 2025-11-25.

        Return False for a request of a valid session.
        """
        named = head.get(REVISION)
        if named is None or named in HANDSHAKE_REVISIONS:
            return False
        return not self.older.knows(head, peer, self._offered(peer))


def _rejected(message: Message, peer: Peer) -> list[RejectedCall]:
    """Return the actions that write the tool calls of a refused message to the audit log, though no call ran."""
    each = message.messages if isinstance(message, Batch) else [message]
    calls = [one for one in each if isinstance(one, Request) and one.method == "tools/call"]
    return [RejectedCall(one.params.get("name"), Origin(peer=peer)) for one in calls]


def _answered(answer: Answer, fields: Fields) -> tuple[Exchange, list[Wanted]]:
    exchange = Exchange(None, stateless=False, fields=fields)
    exchange.answer(answer)
    return exchange, []
