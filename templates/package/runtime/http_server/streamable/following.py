# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Pass the events of a recorded stream to the exchange that resumed the stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .exchange import Exchange


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
