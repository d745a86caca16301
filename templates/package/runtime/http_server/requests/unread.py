# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Limit the bytes of responses that clients have not read yet.

If the limit is exceeded, the connection of the client that has read nothing for the longest time is closed. So clients
that do not read cannot use up the memory that other clients need. Bytes count as read when they have been written to
the connection.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

MOST = 128 * 1024 * 1024


class UnreadBytes:
    """Counter of the bytes that clients have not read yet, with a limit for all clients together."""

    def __init__(self) -> None:
        self._readers: dict[Reader, None] = {}  # the client that has not read for the longest time comes first
        self._total = 0

    def grown(self, reader: Reader, size: int) -> None:
        """Add `size` unread bytes of a client (`reader`).

        While the limit is exceeded, close the connection of the client that has read nothing for the longest time.
        """
        self._readers.setdefault(reader)
        self._total += size
        while self._total > MOST and self._readers:
            next(iter(self._readers)).drop()

    def shrunk(self, reader: Reader, size: int) -> None:
        """Subtract bytes that a reader has read, and mark the reader as most recently active.

        Forget the reader if it has no unread bytes left.
        """
        del self._readers[reader]
        self._total -= size
        if reader.waiting:
            self._readers[reader] = None


class Reader:
    """One client that receives a response. `give_up()` closes its connection."""

    __slots__ = ("_give_up", "_unread", "waiting")

    def __init__(self, unread: UnreadBytes, give_up: Callable[[], None]) -> None:
        self._unread = unread
        self._give_up = give_up
        self.waiting = 0

    def add(self, size: int) -> None:
        """Count bytes that now wait for the client to read them."""
        if size:
            self.waiting += size
            self._unread.grown(self, size)

    def took(self, size: int) -> None:
        """Stop counting bytes as unread, since they were written to the connection or are discarded."""
        size = min(size, self.waiting)
        if size:
            self.waiting -= size
            self._unread.shrunk(self, size)

    def drop(self) -> None:
        """Close the client's connection, and stop counting its unread bytes."""
        self.took(self.waiting)
        self._give_up()
