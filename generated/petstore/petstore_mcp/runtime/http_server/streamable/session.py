# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Sessions that clients begin with `initialize` (MCP up to 2025-11-25), their notifications and streams. No I/O.

The encrypted session id contains the result of that handshake, so any replica can serve a session. Clients ask for
notifications later, so these settings are stored here.

A process holds a session only while it has a request, a stream or resumable events of that session. The most recently
used sessions are cached too, so that their ids need not be decrypted at each request. A cached session is valid only
for the principal for which its id was decrypted, and only until the id expires.

GET opens a stream of change notifications, which outlives its connection. While the client is disconnected, events are
recorded. A client that resumes the stream by `Last-Event-ID` gets the missed events, and then new events. `Relay` is
the effect that passes a message of a session on to other replicas.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ...core.effects import LOG_LEVELS, Handshake
from ...core.jsonrpc import INVALID_REQUEST, Fault, dumps, loads
from ...core.limits import Places
from ...core.notification_settings import NotificationSettings
from ...core.wire_formats import HANDSHAKE_REVISIONS
from ..sealed.seal import Expired, Unsealed
from . import event_stream
from .admission import Answer, busy, refused
from .event_stream import EventQueue
from .exchange import Exchange, Following

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...core.jsonrpc import Id, Request
    from ...core.protocol import Protocol
    from ..sealed.seal import Seal
    from .admission import Fields, Head
    from .event_stream import Recording
    from .exchange import Routes


MOST_NOTIFIED = 10_000
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
        self._places = Places(MOST_NOTIFIED)

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


# With the session's data in its id, every replica can serve a session that it has never seen (docs/decisions/http.md).
SECONDS = 24 * 60 * 60.0
"""Seconds that a session lasts. Clients then begin another one."""

MOST_TEXT = 80
"""Longest part of a client's name and version in a session id, in characters. Each request repeats the id."""

RESUMABLE = "2025-11-25"
"""First revision whose clients understand the first event of a resumable stream."""

_PURPOSE = "session"


class Session:
    """One session: its conversation, and its pending requests and streams in this process.

    `digest`: name of the session in logs.
    """

    __slots__ = ("caller", "digest", "exchanges", "handshake", "id", "kept", "listening", "protocol", "recordings")

    def __init__(self, id: str, handshake: Handshake, protocol: Protocol) -> None:  # noqa: A002
        self.id = id
        self.caller = ""
        self.digest = digest(id)
        self.handshake = handshake
        self.protocol = protocol
        self.exchanges: dict[Id, Exchange] = {}
        self.listening: Exchange | None = None
        self.kept = EventQueue()
        self.recordings: dict[str, Recording] = {}

    @property
    def resumable(self) -> bool:
        """Return whether the client of this session can resume streams."""
        return self.handshake.revision >= RESUMABLE

    def is_idle(self) -> bool:
        """Drop the recorded events of each stream that can no longer be resumed.

        Return True if this process then holds no request, stream or recorded events of the session.
        """
        for name, each in list(self.recordings.items()):
            if each.late:
                if self.listening is not None and self.listening.recording is each:
                    self.listening.close()
                    self.listening = None
                each.drop()
                del self.recordings[name]
        return not (self.exchanges or self.listening or self.recordings)

    def forget(self) -> None:
        """Drop the recorded events of all streams of the session, because the session has ended."""
        for each in self.recordings.values():
            each.drop()


def digest(id: str) -> str:  # noqa: A002
    """Return a name of the session for logs, which must not contain the id: anybody with the id can use the session."""
    return hashlib.sha256(id.encode()).hexdigest()[:16]


def sealed(seal: Seal, principal: str, handshake: Handshake) -> str:
    """Return the encrypted id for a new session of `principal`."""
    client = handshake.client if isinstance(handshake.client, dict) else {}
    named = {key: client[key][:MOST_TEXT] for key in ("name", "version") if isinstance(client.get(key), str)}
    told = {"r": handshake.revision, "e": int(handshake.asks), "u": int(handshake.urls), "c": named}
    if handshake.declares:
        told["d"] = sorted(handshake.declares)
    value = dumps({**told, "b": int(seal.now())})
    return seal.close(_PURPOSE, principal, value, SECONDS)


def opened(seal: Seal, principal: str, id: str) -> tuple[Handshake, float] | None:  # noqa: A002
    """Return the result of the handshake that a session id contains, and the Unix time at which the id expires.

    Return None if the id is invalid for `principal`, or has expired.
    """
    try:
        sealed, until = seal.open_until(_PURPOSE, principal, id)
    except (Unsealed, Expired):
        return None
    value: Any = loads(sealed.decode())[0]
    if value["r"] not in HANDSHAKE_REVISIONS:
        return None
    began = float(value.get("b", 0))
    declares = frozenset(value.get("d", ()))
    return Handshake(value["r"], bool(value["e"]), value["c"], bool(value.get("u")), began, declares), until


# Decrypting the session id for each request took a twentieth of a small call's CPU time (docs/decisions/speed.md).
MOST_RECENT = 512
"""Largest number of cached sessions. A session takes about 3 KiB."""


class RecentSessions:
    """Least recently used (LRU) cache of sessions, by session id."""

    __slots__ = ("_entries",)

    def __init__(self) -> None:
        self._entries: dict[str, tuple[Session, str, float]] = {}  # the most recently used session last

    def get(self, id: str, principal: str, now: float) -> Session | None:  # noqa: A002
        """Return the session with exactly this id, or None if it is not cached.

        Return None too if the session belongs to another principal, or has expired at `now`.
        """
        entry = self._entries.pop(id, None)
        if entry is None:
            return None
        found, owner, until = entry
        if until <= now:
            return None
        self._entries[id] = entry
        return found if owner == principal else None

    def put(self, found: Session, principal: str, until: float) -> None:
        """Cache a session of `principal` until `until`. If the cache is full, drop the least recently used session."""
        self._entries[found.id] = found, principal, until
        if len(self._entries) > MOST_RECENT:
            del self._entries[next(iter(self._entries))]

    def drop(self, id: str) -> None:  # noqa: A002
        """Drop the session with this id."""
        self._entries.pop(id, None)

    def clear(self) -> None:
        """Drop all sessions."""
        self._entries.clear()


# A replica must not acknowledge an answer that nobody waits for, so the request's id names who asked
# (docs/decisions/http.md).
class Relay:
    """Action to perform: send the message `line` of a session to other replicas. If `line` is None, tell them that the
    session has ended.

    `replica`: name of the receiver, "" for all replicas. `exchange`: the client's HTTP request with this message, which
    gets its response after the message was sent on. `setting`: the notification setting that the message changed; it is
    stored for replicas that start later.
    """

    __slots__ = ("exchange", "line", "replica", "session", "setting")

    def __init__(
        self,
        session: str,
        line: bytes | None,
        exchange: Exchange | None = None,
        replica: str = "",
        setting: Setting | None = None,
    ) -> None:
        self.setting = setting
        self.session = session
        self.line = line
        self.exchange = exchange
        self.replica = replica


class ResumeElsewhere:
    """Action to perform: send the events of another replica's stream after event `number` on `exchange`."""

    __slots__ = ("exchange", "found", "number", "stream")

    def __init__(self, found: Session, stream: str, number: int, exchange: Exchange) -> None:
        self.found = found
        self.stream = stream
        self.number = number
        self.exchange = exchange


class SessionStreams:
    """Request handler for GET. `recalls`: True if streams of other replicas can be resumed.

    `record(session, exchange)` makes an exchange (response to one request) record its events, so that its stream can be
    resumed. `keep(session)` stores the session in this process.
    """

    def __init__(
        self, routes: Routes, record: Callable[[Session, Exchange], None], keep: Callable[[Session], None]
    ) -> None:
        self.recalls = False
        self._routes = routes
        self._record = record
        self._keep = keep

    def open(self, found: Session, head: Head, fields: Fields) -> tuple[Exchange, list[ResumeElsewhere]]:
        """Open a session's stream of change notifications, or resume a stream.

        Return the exchange (the response so far), and the effect (action to perform) that resumes a stream of another
        replica, if one is needed.
        """
        exchange = Exchange(None, stateless=False, fields=fields)
        exchange.caller, exchange.name = found.caller, found.id
        if (last := head.get("last-event-id")) is not None:
            return exchange, self._resume(found, last, exchange)
        if found.listening is not None and found.listening.open:
            exchange.answer(refused(409, INVALID_REQUEST, "This session has such a stream already."))
        elif not self._routes.takes_stream(found.caller):
            exchange.answer(busy())
        else:
            self._begin(found, exchange)
        return exchange, []

    def go_on(self, found: Session, exchange: Exchange) -> None:
        """Make `exchange` the session's stream of change notifications, in place of the stream that another replica has
        served.

        The recorded events of that stream must have been sent on this exchange before.
        """
        taken = found.listening is not None and found.listening.open
        if taken or not self._routes.takes_stream(found.caller):
            exchange.close()
        elif exchange.open:
            self._begin(found, exchange)

    def lost(self, found: Session, exchange: Exchange) -> None:
        """Record that the client closed the connection of the session's stream of change notifications.

        The client may resume the stream later if the stream is recorded.
        """
        self._routes.forget(exchange)
        if exchange.recording is None:
            found.listening = None
            exchange.close()
        else:
            exchange.recording.leave()

    def _resume(self, found: Session, last: str, exchange: Exchange) -> list[ResumeElsewhere]:
        named = event_stream.read_id(last)
        recording = found.recordings.get(named[0]) if named else None
        if named is not None and recording is None and self.recalls:
            return [ResumeElsewhere(found, *named, exchange)]
        if named is not None and recording is not None and recording.ended_with(named[1]):
            exchange.answer(Answer(204))  # tells a client to stop reconnecting (HTML, server-sent events)
            return []
        behind = recording.behind(named[1]) if named and recording else None
        if behind is None or recording is None:
            exchange.answer(nothing_to_resume())
            return []
        former = found.listening
        if former is not None and former.recording is recording:
            self._routes.forget(former)
            if not self._routes.takes_stream(found.caller):
                exchange.answer(busy())
                former.close()
                return []
        exchange.stream()
        for event in behind:
            exchange.replay(event)
        if former is not None and former.recording is recording:
            former.leave()
            former.records, former.recording, exchange.recording = None, None, recording
            self._listen(found, exchange)
        else:
            _hand_over(found, recording, exchange)
        return []

    def _begin(self, found: Session, exchange: Exchange) -> None:
        """Begin a new stream of change notifications on `exchange`, and close an older stream if there is one.

        The caller has checked that no client is connected to the older stream.
        """
        if found.listening is not None:
            found.listening.close()
        self._record(found, exchange)
        self._listen(found, exchange)
        exchange.stream()

    def _listen(self, found: Session, exchange: Exchange) -> None:
        """Send change notifications of the session on `exchange` from now on."""
        if exchange.recording is not None:
            exchange.recording.come()
        found.listening = exchange
        exchange.protocol = found.protocol
        self._keep(found)
        self._routes.open(exchange)


def _hand_over(found: Session, recording: Recording, exchange: Exchange) -> None:
    """Send the further events of a recorded stream to `exchange`, and none to the older exchanges of the stream."""
    before = [each.exchange for each in recording.heard if isinstance(each, Following)]
    before += [each for each in found.exchanges.values() if each.recording is recording]
    for each in before:
        each.leave()
    recording.heard = [each for each in recording.heard if not isinstance(each, Following)]
    if recording.ended_at is not None:
        exchange.close()
    else:
        recording.heard.append(Following(exchange))


def nothing_to_resume() -> Answer:
    """Return the error response that says that nothing can be resumed.

    If the response were an empty stream, clients would try to resume it again and again.
    """
    return refused(400, INVALID_REQUEST, "There is nothing to resume behind this Last-Event-ID.")
