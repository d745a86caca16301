# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Limit the connections of clients. If all places are taken, the connection that is idle for longest gives way.

Before a request is read, nobody knows who has opened a connection. So the network address counts as the caller. Clients
that open connections and send nothing displace their own connections, and not those of other networks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core import log
from ...core.places import Places

if TYPE_CHECKING:
    from typing import Protocol

    class Connection(Protocol):
        """Interface of a connection (`aiohttp_connections.HttpConnection`). It must be hashed by identity."""

        network: str

        def is_idle(self) -> bool:
            """Return True if no request with a complete head is being served."""

        def give_way(self) -> None:
            """Close the connection."""


class ConnectionPlaces:
    """The open connections of all clients, by network."""

    def __init__(self, most: int) -> None:
        self._places = Places(most)
        self._of: dict[str, dict[Connection, None]] = {}  # the connection whose last head is oldest comes first

    def enter(self, connection: Connection) -> bool:
        """Count a new connection. Return False if there is no place for it."""
        network = connection.network
        if not self._places.has(network):
            log.seldom("warning", "connections_full")
            crowded = self._places.largest() if self._places.is_full else network
            oldest = self._oldest_idle(crowded) or self._oldest_idle(network)
            if oldest is not None:
                self.leave(oldest)
                oldest.give_way()
            if not self._places.has(network):
                return False
        self._places.take(network)
        self._of.setdefault(network, {})[connection] = None
        return True

    def active(self, connection: Connection) -> None:
        """Record that a connection has sent the head of a request."""
        held = self._of.get(connection.network, {})
        if connection in held:
            held[connection] = held.pop(connection)

    def leave(self, connection: Connection) -> None:
        """Stop counting a connection. Do nothing if it is not counted."""
        held = self._of.get(connection.network, {})
        if connection not in held:
            return
        del held[connection]
        if not held:
            del self._of[connection.network]
        self._places.give(connection.network)

    def _oldest_idle(self, network: str) -> Connection | None:
        return next((each for each in self._of.get(network, ()) if each.is_idle()), None)
