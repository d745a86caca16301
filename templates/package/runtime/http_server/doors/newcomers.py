# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Accept connections, hold them until the head of their first request has arrived, and then let networks take turns.

A connection that is served has a transport, a parser and a task. A new connection is only a socket with its first
bytes. So whoever opens connections again and again, and sends nothing, causes little work. And whoever sends many
requests, each on a new connection, lets another network wait for a few of them only.
"""

from __future__ import annotations

import asyncio
import re
import socket
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING

from ...core import log
from ...core.limits import FairQueue
from ...text.addresses import network

if TYPE_CHECKING:
    from collections.abc import Callable

_EMPTY = b"Connection: close\r\nContent-Length: 0\r\n\r\n"
NO_ROOM = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\n" + _EMPTY
TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\n" + _EMPTY
"""Responses to connections that are closed before a request is read."""

_BACKLOG = 1024
"""Connections that the system holds until the event loop accepts them."""

_AGAIN = 1.0
"""Seconds until connections are accepted again after the system had no descriptor for one."""

_LAST_SECONDS = 0.2
"""Seconds that a client may take, after its connection was accepted as one of the last, to send its request."""

# A connection that was begun costs a transport, a parser and a task, so everybody else waits (docs/decisions/http.md).
_ACCEPTED_AT_ONCE, _BEGUN_AT_ONCE = 16, 2
"""Connections that are accepted, and that begin, before the event loop looks for other work."""

_ENOUGH = 8 * 1024
"""Size in bytes at which a connection begins without the end of a head. aiohttp reads and limits longer heads."""

_END = re.compile(rb"\n\r?\n")
_PIECE = 16 * 1024


class Newcomer:
    """Connection whose first request has not begun.

    - `first`: the bytes that were read already. `ready`: True if they contain the head of a request.
    - `due`: time of the event loop until which the head must arrive.
    """

    __slots__ = ("_all", "due", "first", "network", "ready", "socket")

    def __init__(self, newcomers: Newcomers, connection: socket.socket, network: str, due: float) -> None:
        self._all = newcomers
        self.socket = connection
        self.network = network
        self.due = due
        self.first = b""
        self.ready = False

    def is_idle(self) -> bool:
        """Return True if the head of the first request has not arrived."""
        return not self.ready

    def give_way(self) -> None:
        """Close the connection, with a response if a part of a head has arrived."""
        self._all.dismiss(self, NO_ROOM if self.first else b"")

    def receive(self) -> bool:
        """Read what has arrived. Return False if the client has closed the connection."""
        try:
            data = self.socket.recv(_PIECE)
        except (BlockingIOError, InterruptedError):
            return True
        except OSError:
            return False
        self.first += data
        self.ready = _may_begin(self.first)
        return bool(data)


def _may_begin(first: bytes) -> bool:
    """Return whether the head of a request is complete, too long, or none of HTTP/1."""
    line, end, _ = first.partition(b"\n")
    wrong = not first[:1].isalpha() or (end and b"HTTP/1." not in line)
    return bool(wrong or len(first) >= _ENOUGH or _END.search(first))


class Newcomers:
    """All connections whose first request has not begun."""

    def __init__(
        self,
        enter: Callable[[Newcomer], bool],
        leave: Callable[[Newcomer], None],
        seconds: float,
        begin: Callable[[Newcomer], None],
    ) -> None:
        """Create the object, in the event loop.

        - `enter`, `leave`: take a place for a connection, and give it back (`ConnectionPlaces`).
        - `seconds`: how long a client may take to send the head of its first request.
        - `begin`: serve a connection. The newcomer has a place until the connection takes it.
        """
        self._loop = asyncio.get_running_loop()
        self._enter, self._leave, self._seconds, self._begin = enter, leave, seconds, begin
        self._listening: list[socket.socket] = []
        self._waiting: dict[Newcomer, None] = {}  # whoever came first comes first
        self._ready: FairQueue[Newcomer] = FairQueue()
        self._keys = count()
        self._timer: asyncio.TimerHandle | None = None

    def listen(self, listening: socket.socket) -> None:
        """Accept connections at a socket, which `stop` closes."""
        listening.setblocking(False)
        listening.listen(_BACKLOG)
        self._loop.add_reader(listening, self._accept, listening)
        self._listening.append(listening)

    async def stop(self) -> None:
        """Accept the connections that wait at the listening sockets, and then no more. Begin those whose request
        arrives soon.
        """
        for listening in self._listening:
            self._loop.remove_reader(listening)
            while self._accept(listening):
                continue
            listening.close()  # at once, since the system resets a connection that arrives in between
        self._listening.clear()
        last = self._loop.time() + _LAST_SECONDS
        while self._ready or (self._waiting and self._loop.time() < last):
            await asyncio.sleep(_LAST_SECONDS / 20)

    def close(self) -> None:
        """Close all connections that have not begun."""
        for newcomer in [*self._waiting]:
            self.dismiss(newcomer)
        if self._timer is not None:
            self._timer.cancel()

    def dismiss(self, newcomer: Newcomer, answer: bytes = b"") -> None:
        """Close a connection that has not begun. Send the bytes `answer` before."""
        del self._waiting[newcomer]
        self._loop.remove_reader(newcomer.socket.fileno())
        self._leave(newcomer)
        _close(newcomer.socket, answer)

    def _accept(self, listening: socket.socket) -> bool:
        """Accept connections. Return whether more may wait."""
        for _ in range(_ACCEPTED_AT_ONCE):
            try:
                connection, address = listening.accept()
            except ConnectionAbortedError:  # its client has left; others may wait behind it
                continue
            except (BlockingIOError, InterruptedError):
                return False
            except OSError as problem:
                log.seldom("error", "cannot_accept", error=type(problem).__name__)
                self._loop.remove_reader(listening)
                self._loop.call_later(_AGAIN, self._resume, listening)
                return False
            connection.setblocking(False)
            newcomer = Newcomer(self, connection, network(str(address[0])), self._loop.time() + self._seconds)
            if not self._enter(newcomer):
                _close(connection, NO_ROOM)
                continue
            self._waiting[newcomer] = None
            self._loop.add_reader(connection.fileno(), self._read, newcomer)
            if self._timer is None:
                self._timer = self._loop.call_at(newcomer.due, self._lose_patience)
        return True

    def _resume(self, listening: socket.socket) -> None:
        if listening in self._listening:
            self._loop.add_reader(listening, self._accept, listening)

    def _read(self, newcomer: Newcomer) -> None:
        if not newcomer.receive():
            self.dismiss(newcomer)
        elif newcomer.ready:
            self._loop.remove_reader(newcomer.socket.fileno())
            del self._waiting[newcomer]
            if not self._ready:
                self._loop.call_soon(self._turn)
            self._ready.add(newcomer.network, next(self._keys), newcomer)

    def _turn(self) -> None:
        """Begin some connections. Networks take turns."""
        for _ in range(_BEGUN_AT_ONCE):
            newcomer = self._ready.next(lambda _: True)
            if newcomer is None:
                return
            self._begin(newcomer)
        if self._ready:
            self._loop.call_soon(self._turn)

    def _lose_patience(self) -> None:
        """Refuse the connections whose head is late."""
        self._timer = None
        while self._waiting:
            newcomer = next(iter(self._waiting))
            if newcomer.due > self._loop.time():
                self._timer = self._loop.call_at(newcomer.due, self._lose_patience)
                return
            self.dismiss(newcomer, TOO_SLOW)


def _close(connection: socket.socket, answer: bytes) -> None:
    with suppress(OSError):  # the client may have left
        connection.send(answer)
    connection.close()
