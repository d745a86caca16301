# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Map the key of each call to its exchange: the HTTP request that began the call, and the response. So a call's
messages are written only to this response. No I/O.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.effects import Call, ReadResource, Send
from ...core.places import Places

if TYPE_CHECKING:
    from typing import Protocol as Interface

    from ...core.effects import Effect
    from ...core.protocol import Observer as _Observer
    from ...core.protocol import Protocol
    from .exchange import Exchange

    class Observer(_Observer, Interface):
        """Interface of an object that measures requests over HTTP (telemetry.recorder.Recorder)."""

        def session_over(self, seconds: float, revision: str, /) -> None:
            """Count an ended session. `seconds`: how long it lasted. `revision`: its revision of MCP."""


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
