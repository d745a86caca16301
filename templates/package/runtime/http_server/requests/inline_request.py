# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Serve an HTTP request inline: in the same turn of the event loop in which the request arrives, without an asyncio
task of its own.

Most requests arrive whole, and have one small response. Such a response is written in the turn of the loop in which its
call ends. Any other request is handed over to a task, for example a request whose response is an event stream.

Inline serving saves two tasks and four turns of the event loop for each request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..streamable import event_stream
from ..streamable.head import Answer

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...http.deadlines import Deadlines
    from ...identity.identity import Identity
    from ..streamable.exchange import Exchange
    from .door import InlineDoor


MOST = 32 * 1024
"""Largest body in bytes of a response that is written inline: less than a connection buffers."""


class InlineRequest:
    """A request that is served inline, that is, without an asyncio task of its own.

    It ends when its response is written, when its client disconnects, or when an asyncio task takes over.
    """

    __slots__ = ("_deadlines", "_done", "_door", "_listens", "_lost", "caller", "exchange")

    def __init__(
        self,
        exchange: Exchange,
        caller: Identity | None,
        door: InlineDoor,
        deadlines: Deadlines,
        done: Callable[[], None],
        lost: Callable[[Exchange], None],
    ) -> None:
        """Create the request.

        `done` is called when it ends; if the client disconnects, `lost` is called before `done`.
        """
        self.exchange = exchange
        self.caller = caller
        self._door = door
        self._deadlines = deadlines
        self._done = done
        self._lost = lost
        self._listens = True

    def begin(self) -> None:
        """Write the response now if it is ready; otherwise write it as soon as it is ready."""
        self.exchange.changed = self._changed
        if self.exchange.parts:
            self._changed()
        else:
            self._deadlines.begin(self, event_stream.SILENCE)

    def expire(self) -> None:
        """Begin an event stream as the response, since the call has been silent for a while."""
        self.exchange.silent()

    def lost(self) -> None:
        """Stop serving the request, since its client has closed the connection."""
        self._rest()
        self._lost(self.exchange)
        self.over()

    def over(self) -> None:
        """Release the request's resources. An asyncio task that takes over the request calls `over` when it ends."""
        self._done()

    def _changed(self) -> None:
        """Write the response if it is small and complete; otherwise let an asyncio task serve the request."""
        if not self._listens:
            return
        self._rest()
        part = self.exchange.parts[0]
        if isinstance(part, Answer) and len(part.body) <= MOST and self._door.write_now(part):
            self.exchange.parts.clear()
            self.over()
        else:
            self._door.hand_over()

    def _rest(self) -> None:
        self._listens = False
        self._deadlines.end(self)
