# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""One HTTP request and its response so far. No I/O: this module queues parts of the response, and an HTTP server writes
them.

A response is JSON if nothing is sent before the JSON-RPC response. The first notification or elicitation request
turns the response into an event stream. So do 15 seconds in which nothing is sent (`event_stream.SILENCE`). The HTTP
status is then 200, and errors are sent as events. `Routes` maps the key of each call to its exchange, so that a call's
messages are written only to its own response.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from ...core.effects import Call, ReadResource, Send
from ...core.jsonrpc import INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR, error_code
from ...core.limits import Places
from . import event_stream
from .admission import Answer, json_answer

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol as Interface

    from ...core.effects import Effect
    from ...core.jsonrpc import Id
    from ...core.protocol import Observer as _Observer
    from ...core.protocol import Protocol
    from .admission import Fields
    from .event_stream import Recording

    class Observer(_Observer, Interface):
        """Interface of an object that measures requests over HTTP (telemetry.recorder.Recorder)."""

        def session_over(self, seconds: float, revision: str, /) -> None:
            """Count an ended session. `seconds`: how long it lasted. `revision`: its revision of MCP."""


_BAD_REQUEST = (INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR, -32020, -32021, -32022)
_MOST_WAITING = 256
"""Largest number of queued parts for a client that does not read. Then only the JSON-RPC response is still queued."""


class Begin:
    """Part of a response: the head of an event stream. `fields`: its header fields."""

    __slots__ = ("fields",)

    def __init__(self, fields: Fields) -> None:
        self.fields = fields


class End:
    """Part of a response: the end of an event stream."""

    __slots__ = ()


class Exchange:
    """Response to one HTTP request.

    - `id`: id of the JSON-RPC request; None for a batch or a stream without request.
    - `caller`: the client (`Peer.caller`). `keys`: keys of the pending calls.
    - `name`: id of the MCP session, or "".
    - `size`: bytes queued so far.
    - `records()`: begins storing the stream's events, so that a client can resume it; None if resuming is impossible.
    - `open`: the client still listens. `over`: the response is complete.
    - `plain`: the client accepts no event stream, so it gets the JSON-RPC response alone.
    - `changed()`: called whenever a part is queued.
    """

    __slots__ = (
        "_fields", "_parts", "_stateless", "caller", "changed", "id", "keys", "name", "open", "over", "plain",
        "protocol", "recording", "records", "size", "streaming",
    )  # fmt: skip

    def __init__(self, id: Id | None, stateless: bool, fields: Fields) -> None:  # noqa: A002
        """Create the exchange of a request. `fields`: header fields to add to the response, be it JSON or a stream."""
        self.id = id
        self.caller = ""
        self.keys: set[int] = set()
        self.name = ""
        self.protocol: Protocol | None = None
        self.recording: Recording | None = None
        self.records: Callable[[], Recording] | None = None
        self.changed: Callable[[], None] = _nobody
        self.streaming = False
        self.open = True
        self.over = False
        self.plain = False
        self.size = 0
        self._stateless = stateless
        self._fields = fields
        self._parts: deque[Answer | Begin | End | bytes] = deque()

    @property
    def parts(self) -> deque[Answer | Begin | End | bytes]:
        """Return the parts of the HTTP response that are not written yet, in the order in which to write them."""
        return self._parts

    def respond(self, line: bytes) -> None:
        """Complete the exchange with the JSON-RPC response."""
        if self.over:
            return
        if not self.streaming:
            self._end_with(json_answer(self._status(line), line, *self._fields))
            return
        self._put(self._event(line))
        self.close()

    def tell(self, line: bytes) -> None:
        """Send a notification or an elicitation request. If the response is not an event stream yet, it becomes one."""
        if self.over or self.plain:
            return
        self.stream()
        event = self._event(line)
        if len(self._parts) < _MOST_WAITING:
            self._put(event)

    def stream(self) -> None:
        """Turn the response into an event stream if it is not one yet.

        If the stream can be resumed, begin storing its events.
        """
        if self.over:
            return
        if not self.streaming:
            self.streaming = True
            self._put(Begin([*event_stream.HEADERS, *self._fields]))
        if self.records is not None and self.recording is None:
            self.recording = self.records()
            self._put(event_stream.first_event(self.recording.stream))

    def replay(self, event: bytes) -> None:
        """Send a recorded event of the stream that this exchange resumes."""
        if not self.over:
            self._put(event)

    def silent(self) -> None:
        """After a period of silence, begin an event stream, or send a keep-alive on it.

        Without this, a proxy might close the connection.
        """
        if self.over or self.plain:
            return
        if not self.streaming:
            self.stream()
        elif not self._parts:
            self._put(event_stream.KEEP_ALIVE)

    def close(self) -> None:
        """End the event stream."""
        if not self.over:
            self._end_with(End())

    def leave(self) -> None:
        """Stop sending events on this response, since its client uses another stream now.

        The calls go on, and their events are recorded.
        """
        if self.streaming and self.open and not self.over:
            self._put(End())
        self.open = False

    def answer(self, answer: Answer) -> None:
        """Complete the exchange with an HTTP response that is not the JSON-RPC response, such as an HTTP error."""
        if not self.over:
            answer.fields = [*answer.fields, *self._fields]
            self._end_with(answer)

    def _end_with(self, part: Answer | End) -> None:
        self.over = True
        if self.recording is not None:
            self.recording.end()
        self._put(part)

    def _event(self, line: bytes) -> bytes:
        if self.recording is None:
            return event_stream.sent_event(line)
        return self.recording.add(line)

    def _put(self, part: Answer | Begin | End | bytes) -> None:
        if self.open:
            self._parts.append(part)
            self.size += len(part) if isinstance(part, bytes) else len(part.body) if isinstance(part, Answer) else 0
            self.changed()

    def _status(self, line: bytes) -> int:
        """Return the HTTP status for a JSON-RPC response without a stream: always 200 up to MCP 2025-11-25.

        In later revisions, an unknown method gives 404, an invalid request (_BAD_REQUEST) 400, and all else 200.
        """
        code = error_code(self.id, line) if self._stateless and self.id is not None else None
        if code == METHOD_NOT_FOUND:
            return 404
        return 400 if code in _BAD_REQUEST else 200


def _nobody() -> None:
    """Do nothing. Used as `Exchange.changed` until an HTTP server waits for parts of the response."""


class Following:
    """Listener that passes the events of a recorded stream to the exchange that resumed the stream."""

    __slots__ = ("exchange",)

    def __init__(self, exchange: Exchange) -> None:
        self.exchange = exchange

    def __call__(self, number: int, event: bytes | None) -> None:
        if event is None:
            self.exchange.close()
        else:
            self.exchange.replay(event)


MOST_CALLS = 2000
"""Largest number of pending calls. Further calls are refused (503)."""

MOST_STREAMS = 1000
"""Largest number of open streams that wait for notifications of changes."""


class Routes:
    """Pending calls of all clients, and the clients' streams for change notifications."""

    __slots__ = ("_for_calls", "_for_streams", "calls", "closing", "streams")

    def __init__(self) -> None:
        self.calls: dict[int, Exchange] = {}
        self.streams: dict[Exchange, None] = {}
        self.closing = False
        self._for_calls = Places(MOST_CALLS)
        self._for_streams = Places(MOST_STREAMS)

    def takes_call(self, caller: str) -> bool:
        """Return True if `caller` may begin another call."""
        return self._for_calls.has(caller)

    def takes_stream(self, caller: str) -> bool:
        """Return True if `caller` may open another stream. Return False if the process is about to end."""
        return not self.closing and self._for_streams.has(caller)

    def open(self, exchange: Exchange) -> None:
        """Add a stream on which a client gets notifications of changes, such as a changed list of tools."""
        self.streams[exchange] = None
        self._for_streams.take(exchange.caller)

    def begin(self, exchange: Exchange, protocol: Protocol, effects: list[Effect]) -> list[Effect]:
        """Register the calls in `effects` under `exchange`, and send the JSON-RPC messages in `effects` to the client.

        `effects`: the actions that the protocol wants performed. Return all of them except the messages.
        """
        exchange.protocol = protocol
        left: list[Effect] = []
        for effect in effects:
            if isinstance(effect, Send):
                exchange.respond(effect.line)
                continue
            if isinstance(effect, (Call, ReadResource)):
                exchange.keys.add(effect.key)
                self.calls[effect.key] = exchange
                self._for_calls.take(exchange.caller)
            left.append(effect)
        return left

    def end(self, key: int) -> Exchange | None:
        """Remove a finished call and return its exchange, or None if no such call is pending."""
        exchange = self.calls.pop(key, None)
        if exchange is not None:
            exchange.keys.discard(key)
            self._for_calls.give(exchange.caller)
        return exchange

    def forget(self, exchange: Exchange) -> list[int]:
        """Remove an exchange and its calls, and return the keys of these calls."""
        if exchange in self.streams:
            del self.streams[exchange]
            self._for_streams.give(exchange.caller)
        keys = sorted(exchange.keys)
        for key in keys:
            self.end(key)
        return keys
