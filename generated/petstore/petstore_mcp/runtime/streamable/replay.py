# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Store the events of streams that a client may resume (`Last-Event-ID`), until some minutes after their end. No I/O.

Memory is bounded per session and in total: the oldest events are dropped first. A client that asks for dropped events
gets an error, since a stream with a gap would be worse.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from . import event_stream

if TYPE_CHECKING:
    from collections.abc import Callable

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
    """Bounded queue of the recorded events of one session, oldest first, or of all sessions (`whole` is then None).

    `whole`: the queue of all sessions, in which the events of a session count too.
    """

    def __init__(self, most_events: int, most_bytes: int, whole: EventQueue | None = None) -> None:
        self._most_events = most_events
        self._most_bytes = most_bytes
        self._whole = whole
        self._sizes: OrderedDict[tuple[Recording, int], int] = OrderedDict()
        self._bytes = 0

    def add(self, recording: Recording, number: int, size: int) -> None:
        """Add an event of `recording` to the queue. Drop the oldest events while the queue exceeds its limits."""
        self._sizes[recording, number] = size
        self._bytes += size
        if self._whole is not None:
            self._whole.add(recording, number, size)
        while len(self._sizes) > self._most_events or self._bytes > self._most_bytes:
            oldest, its_number = next(iter(self._sizes))
            oldest.forget(its_number)

    def remove(self, recording: Recording, number: int) -> None:
        """Remove an event from this queue and from `whole`, the queue of all sessions, if there is one."""
        self._bytes -= self._sizes.pop((recording, number), 0)
        if self._whole is not None:
            self._whole.remove(recording, number)


class Recording:
    """Recorded events of one stream.

    `heard` holds listeners. They are called with the number and bytes of each new event. At the end of the stream, None
    replaces the bytes.
    """

    def __init__(self, stream: str, clock: Callable[[], float], kept: EventQueue) -> None:
        """Begin a recording. `stream`: id of the stream. `clock()` returns seconds.

        `kept`: queue of all recorded events of the session.
        """
        self.stream = stream
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
        event = self._events[number] = event_stream.event(line, event_stream.event_id(self.stream, number))
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
        if number > self._last or (number == self._last and self.ended_at is not None):
            return None
        wanted = range(number + 1, self._last + 1)
        return None if any(each not in self._events for each in wanted) else [self._events[each] for each in wanted]
