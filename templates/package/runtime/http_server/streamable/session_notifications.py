# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Remember which notifications each session has asked for, such as log messages from a given level up. No I/O.

The encrypted session id contains only the result of `initialize`. Clients send these settings later, so the settings
are stored here.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from typing import TYPE_CHECKING

from ...core.envelope import LOG_LEVELS
from ...core.jsonrpc import Fault
from ...core.notification_settings import NotificationSettings
from ...core.places import Places

if TYPE_CHECKING:
    from ...core.jsonrpc import Request

MOST = 10_000
"""Largest number of sessions whose settings are remembered."""


class Setting:
    """A client's change of its log level or of a resource subscription, for the store that replicas share.

    `name`: `level`, or a digest of the resource's URI. `counts`: False if the client has unsubscribed.
    """

    __slots__ = ("counts", "name")

    def __init__(self, name: str, counts: bool) -> None:
        self.name = name
        self.counts = counts


def setting(request: Request, settings: NotificationSettings) -> Setting | None:
    """Return what `request` has set or withdrawn: the log level, or the subscription to a resource. Return None if the
    request was invalid.

    `settings`: all settings of the session after the request, which contain only valid subscriptions.
    """
    if request.method == "logging/setLevel":
        level = request.params.get("level")
        return Setting("level", True) if level in LOG_LEVELS else None
    uri = request.params.get("uri")
    if not isinstance(uri, str):
        return None
    name = hashlib.sha256(uri.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    if request.method == "resources/unsubscribe":
        return Setting(name, False)
    return Setting(name, True) if uri in settings.uris else None


class SessionNotifications:
    """Cache of the notification settings of sessions, by session id.

    If the cache is full, the caller with most sessions in it loses the settings that changed longest ago.
    """

    __slots__ = ("_callers", "_known", "_places")

    def __init__(self) -> None:
        self._known: dict[str, NotificationSettings] = {}
        self._callers: dict[str, str] = {}
        self._places = Places(MOST)

    def __len__(self) -> int:
        return len(self._known)

    def get(self, id: str) -> NotificationSettings | None:  # noqa: A002
        """Return the settings of the session with this id, or None if it has none."""
        return self._known.get(id)

    def put(self, id: str, settings: NotificationSettings, caller: str) -> None:  # noqa: A002
        """Remember the settings of a session of `caller`, "" if another replica has received them."""
        caller = caller or self._callers.get(id, "")
        self.drop(id)
        if self._places.is_full:
            most = self._places.largest()
            self.drop(next(each for each in self._known if self._callers[each] == most))
        self._known[id], self._callers[id] = settings, caller
        self._places.take(caller)

    def apply(self, id: str, request: Request) -> NotificationSettings:  # noqa: A002
        """Apply a request that another replica has received, such as `logging/setLevel`, to a session's notification
        settings. Return all of these settings.

        An invalid request is ignored here, since the other replica has answered it with an error.
        """
        settings = self._known.get(id) or NotificationSettings()
        with suppress(Fault):
            settings.apply(request.method, request.params)
        self.put(id, settings, "")
        return settings

    def drop(self, id: str) -> None:  # noqa: A002
        """Forget the settings of a session that has ended."""
        if self._known.pop(id, None) is not None:
            self._places.give(self._callers.pop(id))
