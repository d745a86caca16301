# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Serve the stateless era (2026-07-28): each POST is a separate conversation with one response. No I/O.

Requests are independent of each other: each has a `Protocol` of its own, dropped with its response. So a cancellation
sent by POST cancels nothing. Closing the connection cancels a call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.effects import Cancel, Origin, PollResources, RejectedCall, Send, SendError
from ...core.envelope import VERSION, meta_of
from ...core.jsonrpc import INVALID_REQUEST, Fault, Notification, Request, answer, error
from ...core.protocol import Protocol
from ...core.subscriptions import Subscriptions, ended_result
from ...core.wire_formats import STATELESS_REVISIONS
from . import admission
from .admission import REVISION, STREAM, accepted, admits, busy, no_stream, refused
from .exchange import Exchange

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...core.catalog import Catalog
    from ...core.effects import Effect, Peer
    from ...core.jsonrpc import Message
    from .access import Access
    from .admission import Answer, Fields, Head
    from .exchange import Observer, Routes

    Told = tuple[Exchange, list[Effect]]

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
            return exchange, _rejected(message, peer)
        if (refusal := access.refusal(peer, message)) is not None:
            exchange.answer(refusal)
            return exchange, _rejected(message, peer)
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


def _rejected(request: Request, peer: Peer) -> list[Effect]:
    """Return a list of one effect (action to perform), which writes a refused tool call to the audit log.

    Return [] for a refused request of another kind.
    """
    return [RejectedCall(request.params.get("name"), Origin(peer=peer))] if request.method == "tools/call" else []


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
