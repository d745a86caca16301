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
"""

from __future__ import annotations

from itertools import chain, count, zip_longest
from typing import TYPE_CHECKING

from ...core.effects import Origin, PollResources, RejectedCall
from ...core.envelope import is_stateless, meta_of
from ...core.jsonrpc import INVALID_PARAMS, Batch, Malformed, Request, error, parse
from ...core.wire_formats import HANDSHAKE_REVISIONS
from .admission import REVISION, STREAM, Answer, admits, json_answer
from .exchange import Exchange, Routes
from .older import SessionHandler
from .session import Relay, ResumeElsewhere
from .stateless import StatelessHandler

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from ...core.catalog import Catalog
    from ...core.effects import Call, Effect, Fetch, Peer
    from ...core.jsonrpc import Message
    from ...core.wire_formats import Asked, Outcome
    from ..sealed.seal import Seal
    from .access import Access
    from .admission import Fields, Head
    from .exchange import Observer

    Wanted: TypeAlias = "Effect | Relay | ResumeElsewhere"


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
