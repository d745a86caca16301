# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""What a client can ask for that the server sends later: log messages, and notifications of changes. Pure."""

from __future__ import annotations

from .effects import LOG_LEVELS
from .jsonrpc import INVALID_PARAMS, Fault, dumps, echo

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .jsonrpc import Members

METHODS = ("logging/setLevel", "resources/subscribe", "resources/unsubscribe")
"""Methods by which a client asks for notifications."""

MOST_URIS = 100
"""Largest number of resources that one client may watch."""


class NotificationSettings:
    """Notifications that one client has asked for.

    `level`: lowest level of log messages, an index of LOG_LEVELS, or None before the client has set a level. `uris`:
    resources whose changes the client wants to hear of.
    """

    __slots__ = ("level", "uris")

    def __init__(self) -> None:
        self.level: int | None = None
        self.uris: dict[str, None] = {}

    def apply(self, method: str, params: Members) -> None:
        """Apply a request such as `logging/setLevel`. Raise Fault if `params` are invalid."""
        if method == "logging/setLevel":
            level = params.get("level")
            if level not in LOG_LEVELS:
                raise Fault(INVALID_PARAMS, f"{method} needs params.level, one of: {', '.join(LOG_LEVELS)}.")
            self.level = LOG_LEVELS.index(str(level))
            return
        uri = params.get("uri")
        if not isinstance(uri, str):
            raise Fault(INVALID_PARAMS, f"{method} needs params.uri, a string.")
        if method == "resources/unsubscribe":
            self.uris.pop(uri, None)
        elif uri in self.uris or len(self.uris) < MOST_URIS:
            self.uris[uri] = None
        else:
            raise Fault(INVALID_PARAMS, f"At most {MOST_URIS} resources are watched. Unsubscribe from one first.")


def acknowledged_params(id: str | int, lists: tuple[str, ...] = (), uris: tuple[str, ...] = ()) -> bytes:  # noqa: A002
    """Return the params of notifications/subscriptions/acknowledged: the lists and resources whose changes the stream
    will report.
    """
    told: dict[str, object] = {f"{kind}ListChanged": True for kind in lists}
    if uris:
        told["resourceSubscriptions"] = uris
    return b'%b,"notifications":%b}' % (stream_params(id)[:-1], dumps(told))


def stream_params(id: str | int, uri: str = "") -> bytes:  # noqa: A002
    """Return the params of a notification on a stream. `id`: id of the request that opened the stream. `uri`: the
    resource that has changed.
    """
    changed = b',"uri":%b' % dumps(uri) if uri else b""
    return b'{"_meta":{"io.modelcontextprotocol/subscriptionId":%b}%b}' % (echo(id), changed)
