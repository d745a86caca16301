# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Serve the handshake era (up to 2025-11-25): sessions begin with `initialize` and are named by a header field. No I/O.

Any replica can serve a session, since the session id contains the result of the handshake (`session`). A pending call
exists on one replica only. `Relay` sends a response, a cancellation or the end of a session to the other replicas.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ...core.effects import BATCH_REVISION, Cancel, Send
from ...core.jsonrpc import INVALID_REQUEST, Batch, Notification, Request, Response, error
from ...core.notification_settings import METHODS
from ...core.protocol import Protocol, Questions
from ...core.wire_formats import HANDSHAKE_REVISIONS
from ...watching.subscriptions import Subscriptions
from . import session
from .admission import REVISION, SESSION, Answer, accepted, busy, json_answer, refused
from .event_stream import RecordedEvents, Recording
from .exchange import Exchange
from .session import RecentSessions, Relay, Session, SessionNotifications, SessionStreams, setting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeAlias

    from ...core.catalog import Catalog
    from ...core.effects import Effect, Handshake
    from ...core.jsonrpc import Message
    from ...core.spans import Peer
    from ..sealed.seal import Seal
    from .admission import Fields, Head
    from .exchange import Observer, Routes

    Told: TypeAlias = "tuple[Exchange, list[Effect | Relay]]"

CANCELLED = -32800
_CANCELLED = "Request cancelled"
_NO_SESSION = "There is no such session (any more). Send initialize to begin another one."
_QUESTION_PARTS = 4
_MOST_ENDED = 100_000


class SessionHandler:
    """Request handler for the sessions of MCP revisions up to 2025-11-25, which begin with `initialize`.

    `recorded` is called for each resumable stream, with the session's digest, the record of the stream's events, and
    the id of the request that the stream answers (None for a GET request). `streams` handles GET requests. `replica` is
    the name of this process among the replicas.
    """

    def __init__(
        self,
        routes: Routes,
        keys: Iterator[int],
        seal: Seal,
        clock: Callable[[], float],
        changes: bool,
        observer: Observer | None = None,
    ) -> None:
        """Create a handler that holds no session yet. `seal` encrypts session ids.

        `keys` yields a number for each call, which identifies the call within the process. `clock()` returns seconds.
        `changes`: True if the tools can change. `observer` records requests, sessions and their durations.
        """
        self._observer = observer
        self.recorded: Callable[[str, Recording, object], None] = lambda *_: None
        self.streams = SessionStreams(routes, self._record, self._keep)
        self.replica = os.urandom(8).hex()
        self._routes = routes
        self._keys = keys
        self._seal = seal
        self._clock = clock
        self._changes = changes
        self._sessions: dict[str, Session] = {}
        self._recent = RecentSessions()
        self._kept = RecordedEvents()
        self._ended: dict[str, float] = {}
        self._notifications = SessionNotifications()

    # Methods for messages from clients

    def initialize(self, request: Request, head: Head, peer: Peer, catalog: Catalog, fields: Fields) -> Answer:
        """Begin a session, and return the response with the session id. Refuse a request that names a valid session.

        Some clients send the id of an ended session with `initialize`. An error would keep them out for good.
        """
        if self.knows(head, peer, catalog):
            return refused(400, INVALID_REQUEST, "This session was begun already.")
        protocol = self._protocol(catalog)
        protocol.heard_from(peer, catalog)
        line = b"".join(effect.line for effect in protocol.receive(request) if isinstance(effect, Send))
        if protocol.handshake is None:
            return json_answer(200, line, *fields)
        id_ = session.sealed(self._seal, peer.principal, protocol.handshake)
        return json_answer(200, line, ("Mcp-Session-Id", id_), *fields)

    def find(self, head: Head, peer: Peer, catalog: Catalog) -> Session | Answer:
        """Return the session that a request names, or the error response."""
        named = head.get(SESSION)
        if named is None:
            return refused(400, INVALID_REQUEST, "Send initialize first, and its Mcp-Session-Id with each request.")
        found = self._opened(named, peer, catalog)
        if found is None:
            return _gone()
        revision = head.get(REVISION)
        if revision is not None and revision not in HANDSHAKE_REVISIONS:
            return refused(400, INVALID_REQUEST, "MCP-Protocol-Version is not the revision of this session.")
        peer.session = found.digest
        found.caller = peer.caller
        found.protocol.heard_from(peer, catalog)
        return found

    def receive(self, found: Session, message: Message, line: bytes, fields: Fields) -> Told:
        """Process a message of a session. Return the exchange (the HTTP response so far) and the actions to perform.

        `line`: the message as received.
        """
        if isinstance(message, Batch):
            return self._batch(found, message, fields)
        if isinstance(message, Request) and message.method in METHODS:
            return self._set_notifications(found, message, line, fields)
        if isinstance(message, Request):
            return self._request(found, message, fields)
        exchange = Exchange(None, stateless=False, fields=fields)
        effects = self._told(found, message)
        self._rest(found)
        if not effects and isinstance(message, Response) and (asking := _asking(message.id)) not in ("", self.replica):
            return exchange, [Relay(found.id, line, exchange, asking)]
        exchange.answer(accepted())
        return exchange, [Relay(found.id, line)] if not effects and _is_cancel(message) else [*effects]

    def go_on(self, found: Session, exchange: Exchange) -> None:
        """Send change notifications on `exchange`, which has resumed a stream that another replica began."""
        self.streams.go_on(self._sessions.get(found.id, found), exchange)

    def end(self, found: Session) -> list[Effect | Relay]:
        """End a session: cancel its calls and close its streams, here and on other replicas."""
        if self._observer is not None and found.handshake.began:
            self._observer.session_over(self._seal.now() - found.handshake.began, found.handshake.revision)
        return [*self.ended(found.id), Relay(found.id, None)]

    def knows(self, head: Head, peer: Peer, catalog: Catalog) -> bool:
        """Return whether a request names a valid session."""
        named = head.get(SESSION)
        return named is not None and self._opened(named, peer, catalog) is not None

    # Methods for messages from other replicas

    def relayed(self, id: str, message: Message) -> list[Effect]:  # noqa: A002
        """Process a message that another replica received for the session `id`. Return the actions to perform."""
        if isinstance(message, Request):
            settings = self._notifications.apply(id, message)
            if id in self._sessions:
                self._sessions[id].protocol.notifications = settings
            return []
        found = self._sessions.get(id)
        return [] if found is None else self._told(found, message)

    def remember_ended(self, digest: str, seconds: float) -> None:
        """Remember that the session with this digest has ended, for the `seconds` until the session's id expires."""
        self._ended[digest] = self._clock() + seconds
        if len(self._ended) > _MOST_ENDED:
            del self._ended[next(iter(self._ended))]

    def ended(self, id: str) -> list[Effect]:  # noqa: A002
        """End the session with this id in this process: close its streams, and return the actions that cancel its
        calls.
        """
        self.remember_ended(session.digest(id), session.SECONDS)
        self._recent.drop(id)
        self._notifications.drop(id)
        found = self._sessions.pop(id, None)
        if found is None:
            return []
        effects: list[Effect] = []
        for exchange in list(found.exchanges.values()):
            effects += [Cancel(key) for key in self._routes.forget(exchange)]
            exchange.respond(error(exchange.id, CANCELLED, _CANCELLED))
        if found.listening is not None:
            self._routes.forget(found.listening)
            found.listening.close()
        found.forget()
        return effects

    def renew(self, offered: Callable[[Peer | None], Catalog]) -> None:
        """Use new tools in the sessions of this process from the next request on, and notify their clients.

        `offered(peer)` returns the catalog for the client `peer`.
        """
        self._recent.clear()
        for found in self._sessions.values():
            lines = found.protocol.renew(offered(found.protocol.peer))
            if found.listening is not None:
                for line in lines.splitlines(keepends=True):
                    found.listening.tell(line)

    # Methods that concern an `Exchange`, the response to one HTTP request

    def lost(self, found: Session, exchange: Exchange) -> None:
        """Record that the client closed the connection of `exchange`. The exchange's calls go on."""
        exchange.open = False
        exchange.parts.clear()
        if exchange is found.listening:
            self.streams.lost(found, exchange)
        self._rest(found)

    def expire(self, exchange: Exchange) -> None:
        """End the stream of an exchange whose access token has expired (security requirement A8).

        If the stream is recorded, later events are recorded too, so that the client can resume the stream with a new
        token. If it is not recorded and has pending calls, it goes on, because nobody could get their results later.
        """
        found = self._sessions.get(exchange.name)
        if found is not None and exchange is found.listening:
            exchange.leave()
            self.streams.lost(found, exchange)
            self._rest(found)
        elif exchange.streaming and (exchange.recording is not None or not exchange.keys):
            exchange.leave()

    def settle(self, found: Session, exchange: Exchange) -> None:
        """Forget an exchange if its response is complete."""
        if exchange.over:
            found.exchanges = {name: each for name, each in found.exchanges.items() if each is not exchange}
        self._rest(found)

    def session_of(self, exchange: Exchange) -> Session | None:
        """Return the session of an exchange, or None if this process does not hold the session."""
        return self._sessions.get(exchange.name)

    def sweep(self) -> None:
        """Forget expired streams, and ended sessions whose ids have expired."""
        for each in list(self._sessions.values()):
            self._rest(each)
        now = self._clock()
        self._ended = {name: until for name, until in self._ended.items() if until > now}

    # Private methods

    def _opened(self, id: str, peer: Peer, catalog: Catalog) -> Session | None:  # noqa: A002
        """Return the session with this id, or None if the id is not valid for `peer`.

        A session that this process does not hold is restored from its id.
        """
        found = self._recent.get(id, peer.principal, self._seal.now())
        if found is None:
            opened = session.opened(self._seal, peer.principal, id)
            if opened is None:
                return None
            handshake, until = opened
            found = self._sessions.get(id) or self._restored(id, handshake, catalog)
            self._recent.put(found, peer.principal, until)
        found.protocol.notifications = self._notifications.get(id) or found.protocol.notifications
        return None if found.digest in self._ended else found

    def _restored(self, id: str, handshake: Handshake, catalog: Catalog) -> Session:  # noqa: A002
        protocol = self._protocol(catalog)
        protocol.resume(handshake)
        return Session(id, handshake, protocol)

    def _protocol(self, catalog: Catalog) -> Protocol:
        # The ids of elicitation requests begin with this prefix, so that no two replicas use the same id.
        questions = Questions(f"mcpgen-{self.replica}-{os.urandom(4).hex()}")
        changes = Subscriptions() if self._changes else None
        return Protocol(catalog, changes, self._keys, questions, self._observer)

    def _set_notifications(self, found: Session, request: Request, line: bytes, fields: Fields) -> Told:
        """Store which notifications a session's client has requested, in this process and on the other replicas.

        The session id cannot contain these settings, since the id was issued earlier.
        """
        exchange, effects = self._request(found, request, fields)
        if found.protocol.notifications is None:
            return exchange, [*effects]
        self._notifications.put(found.id, found.protocol.notifications, found.caller)
        made = setting(request, found.protocol.notifications)
        return exchange, [*effects, Relay(found.id, line, setting=made)]

    def _request(self, found: Session, request: Request, fields: Fields) -> Told:
        exchange = Exchange(request.id, stateless=False, fields=fields)
        exchange.caller = found.caller
        if not self._routes.takes_call(found.caller):
            exchange.answer(busy())
            return exchange, []
        if found.resumable:
            self._record(found, exchange)
        left = self._routes.begin(exchange, found.protocol, found.protocol.receive(request))
        self._follow(found, exchange)
        return exchange, [*left]

    def _batch(self, found: Session, batch: Batch, fields: Fields) -> Told:
        exchange = Exchange(None, stateless=False, fields=fields)
        exchange.caller = found.caller
        if found.handshake.revision != BATCH_REVISION or not batch.messages:
            sentence = f"A POST holds one message. Only in {BATCH_REVISION} may it hold several, and never none."
            exchange.answer(refused(400, INVALID_REQUEST, sentence))
            return exchange, []
        if not self._routes.takes_call(found.caller):
            exchange.answer(busy())
            return exchange, []
        left = self._routes.begin(exchange, found.protocol, found.protocol.receive(batch))
        if not exchange.over and not exchange.keys:
            exchange.answer(accepted())
        self._follow(found, exchange)
        return exchange, [*left]

    def _follow(self, found: Session, exchange: Exchange) -> None:
        """Remember an exchange until its response is complete."""
        exchange.name = found.id
        if exchange.over:
            return
        found.exchanges[exchange.id if exchange.id is not None else f"\0{id(exchange)}"] = exchange
        self._keep(found)

    def _told(self, found: Session, message: Message) -> list[Effect]:
        """Process a message that needs no response. Return its effects (actions that the transport must perform),
        except those of type Send.
        """
        effects = found.protocol.receive(message)
        left: list[Effect] = [effect for effect in effects if not isinstance(effect, Send)]
        for effect in left:
            if isinstance(effect, Cancel) and (target := self._routes.end(effect.key)) is not None:
                self._cancelled(target, [effect.line for effect in effects if isinstance(effect, Send)])
                self.settle(found, target)
        return left

    def _cancelled(self, target: Exchange, lines: list[bytes]) -> None:
        """End the exchange of a cancelled request, which gets no response: clients report one as unknown.

        A batch's exchange ends when no request is pending.
        """
        if target.id is not None:
            for line in lines:  # `notifications/cancelled` for the call's pending elicitation request, if any
                target.tell(line)
        elif lines:
            target.respond(b"".join(lines))
        if target.streaming and not target.keys:
            target.close()
        elif not target.keys:
            target.answer(accepted())

    def _record(self, found: Session, exchange: Exchange) -> None:
        """Let `exchange` store its events once its response is an event stream, if the client can resume streams."""

        def begin() -> Recording:
            recording = Recording(os.urandom(12).hex(), self._clock, self._kept, found.kept, found.caller)
            found.recordings[recording.stream] = recording
            self.recorded(found.digest, recording, exchange.id)
            self._keep(found)
            return recording

        if found.resumable:
            exchange.records = begin

    def _keep(self, found: Session) -> None:
        self._sessions[found.id] = found

    def _rest(self, found: Session) -> None:
        """Drop a session that has nothing pending in this process. The session can be restored later from its id."""
        if found.is_idle():
            self._sessions.pop(found.id, None)


def _asking(id: object) -> str:  # noqa: A002
    """Return the replica's name in the id of a question to the client; "" if the id has another form."""
    parts = id.split("-") if isinstance(id, str) else []
    return parts[1] if len(parts) == _QUESTION_PARTS and parts[1].isalnum() else ""


def unheard(shared: bool) -> Answer:
    """Return the error response to a client's JSON-RPC response for which no call in this process waits.

    If the replicas share a store (`shared`), a call in another replica may wait. So the error asks the client to send
    the response again. Otherwise the error says that no call waits.
    """
    if shared:
        return busy("Another replica may wait for this answer, and cannot be told just now. Send it again.")
    return refused(400, INVALID_REQUEST, "Nobody waits for this answer here (any more).")


def _gone() -> Answer:
    return refused(404, INVALID_REQUEST, _NO_SESSION)


def _is_cancel(message: Message) -> bool:
    return isinstance(message, Notification) and message.method == "notifications/cancelled"
