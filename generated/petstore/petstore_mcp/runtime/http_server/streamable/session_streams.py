# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Serve GET up to MCP 2025-11-25: a session's stream of change notifications, and resumed streams. No I/O.

A stream of change notifications outlives its connection. While the client is disconnected, events are recorded. A
client that resumes the stream by `Last-Event-ID` gets the missed events, and then new events.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.jsonrpc import INVALID_REQUEST
from . import event_stream
from .admission import busy
from .exchange import Exchange
from .following import Following
from .head import Answer, refused

if TYPE_CHECKING:
    from collections.abc import Callable

    from .head import Fields, Head
    from .replay import Recording
    from .routes import Routes
    from .session import Session


class ResumeElsewhere:
    """Action to perform: send the events of another replica's stream after event `number` on `exchange`."""

    __slots__ = ("exchange", "found", "number", "stream")

    def __init__(self, found: Session, stream: str, number: int, exchange: Exchange) -> None:
        self.found = found
        self.stream = stream
        self.number = number
        self.exchange = exchange


class SessionStreams:
    """Request handler for GET. `recalls`: True if streams of other replicas can be resumed.

    `record(session, exchange)` makes an exchange (response to one request) record its events, so that its stream can be
    resumed. `keep(session)` stores the session in this process.
    """

    def __init__(
        self, routes: Routes, record: Callable[[Session, Exchange], None], keep: Callable[[Session], None]
    ) -> None:
        self.recalls = False
        self._routes = routes
        self._record = record
        self._keep = keep

    def open(self, found: Session, head: Head, fields: Fields) -> tuple[Exchange, list[ResumeElsewhere]]:
        """Open a session's stream of change notifications, or resume a stream.

        Return the exchange (the response so far), and the effect (action to perform) that resumes a stream of another
        replica, if one is needed.
        """
        exchange = Exchange(None, stateless=False, fields=fields)
        exchange.caller, exchange.name = found.caller, found.id
        if (last := head.get("last-event-id")) is not None:
            return exchange, self._resume(found, last, exchange)
        if found.listening is not None and found.listening.open:
            exchange.answer(refused(409, INVALID_REQUEST, "This session has such a stream already."))
        elif not self._routes.takes_stream(found.caller):
            exchange.answer(busy())
        else:
            self._begin(found, exchange)
        return exchange, []

    def go_on(self, found: Session, exchange: Exchange) -> None:
        """Make `exchange` the session's stream of change notifications, in place of the stream that another replica has
        served.

        The recorded events of that stream must have been sent on this exchange before.
        """
        taken = found.listening is not None and found.listening.open
        if taken or not self._routes.takes_stream(found.caller):
            exchange.close()
        elif exchange.open:
            self._begin(found, exchange)

    def lost(self, found: Session, exchange: Exchange) -> None:
        """Record that the client closed the connection of the session's stream of change notifications.

        The client may resume the stream later if the stream is recorded.
        """
        self._routes.forget(exchange)
        if exchange.recording is None:
            found.listening = None
            exchange.close()
        else:
            exchange.recording.leave()

    def _resume(self, found: Session, last: str, exchange: Exchange) -> list[ResumeElsewhere]:
        named = event_stream.read_id(last)
        recording = found.recordings.get(named[0]) if named else None
        if named is not None and recording is None and self.recalls:
            return [ResumeElsewhere(found, *named, exchange)]
        if named is not None and recording is not None and recording.ended_with(named[1]):
            exchange.answer(Answer(204))  # tells a client to stop reconnecting (HTML, server-sent events)
            return []
        behind = recording.behind(named[1]) if named and recording else None
        if behind is None or recording is None:
            exchange.answer(nothing_to_resume())
            return []
        former = found.listening
        if former is not None and former.recording is recording:
            self._routes.forget(former)
            if not self._routes.takes_stream(found.caller):
                exchange.answer(busy())
                former.close()
                return []
        exchange.stream()
        for event in behind:
            exchange.replay(event)
        if former is not None and former.recording is recording:
            former.leave()
            former.records, former.recording, exchange.recording = None, None, recording
            self._listen(found, exchange)
        else:
            _hand_over(found, recording, exchange)
        return []

    def _begin(self, found: Session, exchange: Exchange) -> None:
        """Begin a new stream of change notifications on `exchange`, and close an older stream if there is one.

        The caller has checked that no client is connected to the older stream.
        """
        if found.listening is not None:
            found.listening.close()
        self._record(found, exchange)
        self._listen(found, exchange)
        exchange.stream()

    def _listen(self, found: Session, exchange: Exchange) -> None:
        """Send change notifications of the session on `exchange` from now on."""
        if exchange.recording is not None:
            exchange.recording.come()
        found.listening = exchange
        exchange.protocol = found.protocol
        self._keep(found)
        self._routes.open(exchange)


def _hand_over(found: Session, recording: Recording, exchange: Exchange) -> None:
    """Send the further events of a recorded stream to `exchange`, and none to the older exchanges of the stream."""
    before = [each.exchange for each in recording.heard if isinstance(each, Following)]
    before += [each for each in found.exchanges.values() if each.recording is recording]
    for each in before:
        each.leave()
    recording.heard = [each for each in recording.heard if not isinstance(each, Following)]
    if recording.ended_at is not None:
        exchange.close()
    else:
        recording.heard.append(Following(exchange))


def nothing_to_resume() -> Answer:
    """Return the error response that says that nothing can be resumed.

    If the response were an empty stream, clients would try to resume it again and again.
    """
    return refused(400, INVALID_REQUEST, "There is nothing to resume behind this Last-Event-ID.")
