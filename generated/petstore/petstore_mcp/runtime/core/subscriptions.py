# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Who is told that a list has changed: of tools, resources or prompts. No I/O, like the protocol.

In the stateless era it is each stream that asked for it, under the id of the request that opened the stream. In the
handshake era it is the client that shook hands, once it has said `notifications/initialized`: before that, nothing
may be sent to it, so what changed meanwhile is told then. It lists them when it likes, so however often they changed,
once is enough. Neither hears of a kind that the server did not have when it asked.
"""

from __future__ import annotations

from .jsonrpc import notification
from .wire_formats import stream_params

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .jsonrpc import Id, Members

_CHANGED = "notifications/{}/list_changed"


class Subscriptions:
    """The listeners of one client."""

    __slots__ = ("_greeted", "_initialized", "_owed", "_streams")

    def __init__(self) -> None:
        self._streams: dict[Id, tuple[str, ...]] = {}  # in the order in which they were opened
        self._greeted: tuple[str, ...] = ()
        self._initialized = False
        self._owed: list[str] = []

    def begin(self, id: Id, asked: Members, lists: tuple[str, ...]) -> tuple[str, ...]:  # noqa: A002
        """A stream is opened by the request with this id; of the `lists` that there are, those that it asks for."""
        honoured = tuple(kind for kind in lists if asked.get(f"{kind}ListChanged") is True)
        if honoured:
            self._streams[id] = honoured
        return honoured

    def end(self, id: Id) -> None:  # noqa: A002
        """The stream of this id is closed."""
        self._streams.pop(id, None)

    def greeted(self, lists: tuple[str, ...]) -> None:
        """A handshake begins, perhaps anew, and promises to tell of changes of these lists."""
        self._greeted, self._initialized, self._owed = lists, False, []

    def initialized(self) -> bytes:
        """The handshake is over; the lines that are owed since it began."""
        self._initialized = bool(self._greeted)
        owed, self._owed = self._owed, []
        return b"".join(notification(_CHANGED.format(kind), b"{}") for kind in owed)

    def changed(self, lists: list[str]) -> bytes:
        """These lists have changed: the lines that tell it now."""
        lines = []
        promised = [kind for kind in lists if kind in self._greeted]
        if self._initialized:
            lines = [notification(_CHANGED.format(kind), b"{}") for kind in promised]
        else:
            self._owed += [kind for kind in promised if kind not in self._owed]
        for id, heard in self._streams.items():  # noqa: A001
            lines += [notification(_CHANGED.format(kind), stream_params(id)) for kind in lists if kind in heard]
        return b"".join(lines)
