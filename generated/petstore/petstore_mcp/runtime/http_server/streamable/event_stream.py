# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Write event streams: protocol messages as server-sent events (HTML standard), and store them for clients that resume.

A stream that can be resumed has ids:

    id: STREAM-N        the stream, and the number of the event in it
    event: message
    data: one line of JSON

Messages are ASCII without line breaks, so each fits into one `data:` line.

Events of streams that a client may resume (`Last-Event-ID`) are stored until some minutes after their end.
Memory is bounded per session and in total. A session drops its oldest events; if all sessions hold too much, the caller
with most drops its oldest. A client that asks for dropped events gets an error, since a stream with a gap would be
worse.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


HEADERS = [
    ("Content-Type", "text/event-stream"),
    ("Cache-Control", "no-cache, no-transform"),
    ("X-Accel-Buffering", "no"),
]

KEEP_ALIVE = b": keep-alive\n\n"
SILENCE = 15.0
"""Seconds of silence after which a keep-alive is sent, since proxies close silent connections."""

RETRY = 1000
"""Milliseconds that a client waits before it reconnects."""

_STREAM = 32
_MOST_DIGITS = 6


def sent_event(line: bytes, id: str = "") -> bytes:  # noqa: A002
    """Return a protocol message as a server-sent event, with an event id if one is given."""
    named = b"id: %b\n" % id.encode() if id else b""
    return b"%bevent: message\ndata: %b\n\n" % (named, line.rstrip(b"\n"))


def first_event(stream: str) -> bytes:
    """Return the first event of a resumable stream, with empty data: an id from which the client can resume, and the
    reconnection delay.
    """
    return b"id: %b\nretry: %d\ndata: \n\n" % (event_id(stream, 0).encode(), RETRY)


def event_id(stream: str, number: int) -> str:
    """Return the event id for an event of a stream, from the stream's id and the event's number."""
    return f"{stream}-{number}"


def read_id(text: str) -> tuple[str, int] | None:
    """Return stream and number of an event id, or None if the id does not have the form that this server writes."""
    stream, _, number = text.rpartition("-")
    if not (0 < len(stream) <= _STREAM and stream.isascii() and stream.isalnum()):
        return None
    if not (number.isascii() and number.isdigit() and len(number) <= _MOST_DIGITS):
        return None
    if number != str(int(number)):
        return None
    return stream, int(number)


MOST_EVENTS, MOST_BYTES = 1000, 8 * 1024 * 1024
"""Largest number of events, and of their bytes, that are stored for one session."""

MOST_EVENTS_OF_ALL, MOST_BYTES_OF_ALL = 100_000, 64 * 1024 * 1024
"""Largest number of events, and of their bytes, that are stored for all sessions of this process."""

SECONDS = 300.0
"""Seconds for which a stream can be resumed after its end."""

_BEGINNING = 0
"""Number of the first event of each stream. This event counts towards the limit on stored events, since even an empty
stream takes memory."""


class EventQueue:
    """Queue of the recorded events of one session, or of all sessions of one caller, oldest first."""

    __slots__ = ("_sizes", "size")

    def __init__(self) -> None:
        self._sizes: dict[tuple[Recording, int], int] = {}
        self.size = 0

    def __len__(self) -> int:
        return len(self._sizes)

    def add(self, recording: Recording, number: int, size: int) -> None:
        """Add an event of `recording`."""
        self._sizes[recording, number] = size
        self.size += size

    def remove(self, recording: Recording, number: int) -> int:
        """Remove an event. Return its size in bytes."""
        size = self._sizes.pop((recording, number))
        self.size -= size
        return size

    def drop_oldest(self) -> None:
        """Drop the oldest event."""
        recording, number = next(iter(self._sizes))
        recording.forget(number)


class RecordedEvents:
    """Bounded store of the recorded events of all sessions of this process, by caller."""

    def __init__(self) -> None:
        self._of: dict[str, EventQueue] = {}
        self._count = self._size = 0

    def add(self, recording: Recording, number: int, size: int) -> None:
        """Store an event. While there are too many, the caller with most drops its oldest: a caller with many events
        displaces its own.
        """
        own = self._of.setdefault(recording.caller, EventQueue())
        own.add(recording, number, size)
        recording.session.add(recording, number, size)
        self._count, self._size = self._count + 1, self._size + size
        while len(recording.session) > MOST_EVENTS or recording.session.size > MOST_BYTES:
            recording.session.drop_oldest()
        while self._size > MOST_BYTES_OF_ALL:
            max(self._of.values(), key=lambda each: each.size).drop_oldest()
        while self._count > MOST_EVENTS_OF_ALL:
            max(self._of.values(), key=len).drop_oldest()

    def remove(self, recording: Recording, number: int) -> None:
        """Remove an event."""
        own = self._of[recording.caller]
        self._count, self._size = self._count - 1, self._size - own.remove(recording, number)
        recording.session.remove(recording, number)
        if not own:
            del self._of[recording.caller]


class Recording:
    """Recorded events of one stream.

    `heard` holds listeners. They are called with the number and bytes of each new event. At the end of the stream, None
    replaces the bytes.
    """

    def __init__(
        self, stream: str, clock: Callable[[], float], kept: RecordedEvents, session: EventQueue, caller: str
    ) -> None:
        """Begin a recording. `stream`: id of the stream. `clock()` returns seconds.

        `kept` has the events of all sessions, and `session` those of the session of this stream, which belongs to
        `caller`.
        """
        self.stream = stream
        self.session = session
        self.caller = caller
        self.ended_at: float | None = None
        self._left_at: float | None = None
        self.heard: list[Callable[[int, bytes | None], None]] = []
        self._clock = clock
        self._kept = kept
        self._events: dict[int, bytes] = {_BEGINNING: b""}
        self._last = _BEGINNING
        kept.add(self, _BEGINNING, 0)

    def add(self, line: bytes) -> bytes:
        """Record a message as the next event, and return the event."""
        self._last += 1
        number = self._last
        event = self._events[number] = sent_event(line, event_id(self.stream, number))
        self._kept.add(self, number, len(event))
        for each in list(self.heard):
            each(number, event)
        return event

    def forget(self, number: int) -> None:
        """Drop the recorded event with this number."""
        if self._events.pop(number, None) is not None:
            self._kept.remove(self, number)

    def end(self) -> None:
        """Mark the stream as ended."""
        if self.ended_at is None:
            self.ended_at = self._clock()
            for each in list(self.heard):
                each(self._last, None)

    def leave(self) -> None:
        """Record that the client has closed the connection. The client may resume the stream later."""
        self._left_at = self._clock()

    def come(self) -> None:
        """Record that the client has resumed the stream."""
        self._left_at = None

    def drop(self) -> None:
        """Drop all recorded events of the stream."""
        for number in list(self._events):
            self.forget(number)

    def ended_with(self, number: int) -> bool:
        """Return True if the stream has ended, and `number` is its last event."""
        return self.ended_at is not None and number == self._last

    @property
    def late(self) -> bool:
        """Return True if a stream that has ended, or whose client has left, can no longer be resumed.

        A stream cannot be resumed after SECONDS seconds, or if all its events were dropped.
        """
        since = self._left_at if self.ended_at is None else self.ended_at
        return since is not None and (self._clock() - since > SECONDS or not self._events)

    def behind(self, number: int) -> list[bytes] | None:
        """Return the events after the event `number`.

        Return None if that event is unknown, if a later event was dropped, or if the stream ended with that event.
        """
        if number > self._last or self.ended_with(number):
            return None
        wanted = range(number + 1, self._last + 1)
        return None if any(each not in self._events for each in wanted) else [self._events[each] for each in wanted]
