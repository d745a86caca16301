# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Who is told that the list of tools has changed. No I/O, like the protocol.

In the stateless era it is each stream that asked for it, under the id of the request that opened the stream. In the
handshake era it is the client that shook hands, once it has said `notifications/initialized`: before that, nothing
may be sent to it, so what changed meanwhile is told then. It lists the tools when it likes, so however often they
changed, once is enough.
"""

from __future__ import annotations

from .jsonrpc import notification
from .shapes import stream_params

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .jsonrpc import Id, Members

_CHANGED = "notifications/tools/list_changed"


class Subscriptions:
    """The listeners of one client."""

    __slots__ = ("_greeted", "_initialized", "_owed", "_streams")

    def __init__(self) -> None:
        self._streams: dict[Id, None] = {}  # in the order in which they were opened
        self._greeted = False
        self._initialized = False
        self._owed = False

    def begin(self, id: Id, asked: Members) -> bool:  # noqa: A002
        """A stream is opened by the request with this id; whether it asks for what we tell."""
        honoured = asked.get("toolsListChanged") is True
        if honoured:
            self._streams[id] = None
        return honoured

    def end(self, id: Id) -> None:  # noqa: A002
        """The stream of this id is closed."""
        self._streams.pop(id, None)

    def greeted(self) -> None:
        """A handshake begins, perhaps anew."""
        self._greeted, self._initialized, self._owed = True, False, False

    def initialized(self) -> bytes:
        """The handshake is over; the line that is owed since it began."""
        self._initialized = self._greeted
        owed, self._owed = self._owed, False
        return notification(_CHANGED, b"{}") if owed else b""

    def changed(self) -> bytes:
        """The lines that tell it now."""
        lines = [notification(_CHANGED, stream_params(id)) for id in self._streams]  # noqa: A001
        if self._initialized:
            lines.insert(0, notification(_CHANGED, b"{}"))
        else:
            self._owed = self._greeted
        return b"".join(lines)
