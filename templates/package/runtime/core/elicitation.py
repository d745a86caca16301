# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Elicitation: keep track of requests that the server has sent to the client and that are unanswered. No I/O."""

from __future__ import annotations

from .jsonrpc import dumps, notification, request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .jsonrpc import Id

#: Largest number of calls of one client that may wait for the user at once. A waiting call keeps its place among the
#: running calls, and other calls must still find one.
MOST = 16


class Questions:
    """Unanswered questions to the user: id of the server's request -> key of the call that waits for the answer."""

    __slots__ = ("_closed", "_last", "_open", "_prefix")

    def __init__(self, prefix: str = "mcpgen") -> None:
        """Create an empty set of elicitation requests. The id of each request begins with `prefix`."""
        self._prefix = prefix
        self._open: dict[Id, int] = {}
        self._last = 0
        self._closed = False

    def ask(self, key: int, params: bytes) -> bytes | None:
        """Return the line of a request that asks the user about the call `key`.

        Return None if too many questions are open or the client has closed its input.
        """
        if self._closed or len(self._open) >= MOST:
            return None
        self._last += 1
        id_ = f"{self._prefix}-{self._last}"
        self._open[id_] = key
        return request(id_, "elicitation/create", params)

    def answered(self, id_: Id | None) -> int | None:
        """Return the key of the call that waited for this answer, or None if no open question has this id."""
        return None if id_ is None else self._open.pop(id_, None)

    def withdraw(self, key: int) -> bytes:
        """Return the line that cancels the open question of a call, or b"" if there is none."""
        for id_, asking in self._open.items():
            if asking == key:
                del self._open[id_]
                return notification("notifications/cancelled", b'{"requestId":%b}' % dumps(id_))
        return b""

    def close(self) -> list[int]:
        """Return the keys of the waiting calls, and forget their questions. No question can be asked from now on."""
        self._closed = True
        waiting = list(self._open.values())
        self._open.clear()
        return waiting
