# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Subscriptions: which notifications a client gets when a list or a resource has changed. Pure.

In stateless revisions of MCP, each stream that asked for a kind of list is notified, under the id of the request that
opened the stream. In revisions with `initialize`, the client itself is notified. Nothing may be sent before its
`notifications/initialized`, so notifications about earlier changes are sent right after it.

One notification is enough for several changes, since the client requests the list again. No notification is sent about
a kind of list that the server did not have when the client subscribed.

Streams may also ask for the changes of single resources, by their URIs. A client of the revisions with `initialize`
asks for them by requests (`core/notification_settings.py`). This module also writes all these notifications, which are
the same in all revisions.
"""

from __future__ import annotations

from ..core.jsonrpc import dumps, notification
from ..core.notification_settings import stream_params

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.jsonrpc import Id, Members


_CHANGED = "notifications/{}/list_changed"


class Subscriptions:
    """Subscriptions of one client to changes of lists and resources. The client subscribes by opening streams. In
    revisions of MCP that have `initialize`, this request subscribes the client to changes of lists.
    """

    __slots__ = ("_greeted", "_initialized", "_owed", "_streams", "_watched")

    def __init__(self) -> None:
        self._streams: dict[Id, tuple[str, ...]] = {}  # stream id -> kinds of lists reported, oldest stream first
        self._watched: dict[Id, tuple[str, ...]] = {}  # stream id -> URIs that the stream watches
        self._greeted: tuple[str, ...] = ()
        self._initialized = False
        self._owed: list[str] = []

    def begin(self, id: Id, asked: Members, lists: tuple[str, ...]) -> tuple[str, ...]:  # noqa: A002
        """Open a stream under the id of its request. Return the kinds of lists whose changes the stream will report.

        `asked`: the client's `params.notifications`. `lists`: the kinds that the server offers, such as `tools`.
        """
        honoured = tuple(kind for kind in lists if asked.get(f"{kind}ListChanged") is True)
        if honoured:
            self._streams[id] = honoured
        return honoured

    def watch(self, id: Id, uris: tuple[str, ...]) -> None:  # noqa: A002
        """Notify the stream with this id of changes of these resources."""
        if uris:
            self._watched[id] = uris

    @property
    def watched(self) -> set[str]:
        """Return the URIs of all resources that any stream watches."""
        return {uri for uris in self._watched.values() for uri in uris}

    def updated(self, uri: str) -> bytes:
        """Return the notifications for the streams that watch the resource at this URI, which has changed."""
        told = [stream_params(id, uri) for id, uris in self._watched.items() if uri in uris]  # noqa: A001
        return b"".join(notification("notifications/resources/updated", params) for params in told)

    def end(self, id: Id) -> None:  # noqa: A002
        """Close the stream with this id."""
        self._streams.pop(id, None)
        self._watched.pop(id, None)

    def greeted(self, lists: tuple[str, ...]) -> None:
        """Begin a handshake, in place of any earlier one. It offers the client notifications of changes of `lists`."""
        self._greeted, self._initialized, self._owed = lists, False, []

    def initialized(self) -> bytes:
        """Complete the handshake. Return the notifications that were held back since it began."""
        self._initialized = bool(self._greeted)
        owed, self._owed = self._owed, []
        return b"".join(notification(_CHANGED.format(kind), b"{}") for kind in owed)

    def changed(self, lists: list[str]) -> bytes:
        """Return the notifications about these changed lists. Before the handshake is complete, hold them back."""
        lines = []
        promised = [kind for kind in lists if kind in self._greeted]
        if self._initialized:
            lines = [notification(_CHANGED.format(kind), b"{}") for kind in promised]
        else:
            self._owed += [kind for kind in promised if kind not in self._owed]
        for id, heard in self._streams.items():  # noqa: A001
            lines += [notification(_CHANGED.format(kind), stream_params(id)) for kind in lists if kind in heard]
        return b"".join(lines)


def updated_params(uri: str) -> bytes:
    """Return the params of notifications/resources/updated for the revisions of MCP that have `initialize`. For
    stateless revisions, `stream_params` returns these params.
    """
    return dumps({"uri": uri})


def ended_result(id: str | int) -> bytes:  # noqa: A002
    """Return the result of subscriptions/listen when the server ends the stream."""
    return b'{"resultType":"complete",%b' % stream_params(id)[1:]
