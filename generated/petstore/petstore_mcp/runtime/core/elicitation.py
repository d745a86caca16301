# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""What the client was asked and has not answered: requests of ours, with ids of our own. No I/O, like the protocol."""

from __future__ import annotations

from .jsonrpc import notification, request
from .jsontext import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .jsonrpc import Id

#: Calls that wait for the user at a time. Each keeps one of the places in which calls run, so they must leave most of
#: these; and nobody answers more.
MOST = 16


class Questions:
    """Open questions: the call that waits for each, by the id of the request."""

    __slots__ = ("_closed", "_last", "_open")

    def __init__(self) -> None:
        self._open: dict[Id, int] = {}
        self._last = 0
        self._closed = False

    def ask(self, key: int, params: bytes) -> bytes | None:
        """The line that asks for that call; None where so many are open, or the client answers nothing any more."""
        if self._closed or len(self._open) >= MOST:
            return None
        self._last += 1
        id_ = f"mcpgen-{self._last}"
        self._open[id_] = key
        return request(id_, "elicitation/create", params)

    def answered(self, id_: Id | None) -> int | None:
        """The call that waited for this answer; None where nobody asked, or not any more."""
        return None if id_ is None else self._open.pop(id_, None)

    def withdraw(self, key: int) -> bytes:
        """The line that takes the question of that call back; nothing where none is open."""
        for id_, asking in self._open.items():
            if asking == key:
                del self._open[id_]
                return notification("notifications/cancelled", b'{"requestId":%b}' % dumps(id_))
        return b""

    def close(self) -> list[int]:
        """The calls that wait. Nothing is asked or answered after that."""
        self._closed = True
        waiting = list(self._open.values())
        self._open.clear()
        return waiting
