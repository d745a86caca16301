# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Backlog: how many calls were read and are not finished yet, and the total size of their lines.

While the backlog has room, the reader goes on reading, even if calls hang. So it notices a cancel, a ping or the end of
stdin. Only a flood of calls fills the backlog. Then the reader waits, the client's pipe fills up, and the reader
regularly checks whether the client is still there.
"""

from __future__ import annotations

import threading
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# A cancellation, a ping and the end of stdin must be noticed even while all calls hang (docs/decisions/calls.md).
#: Largest number of unfinished calls. Clients run fewer at once, and this many need little memory.
MOST_CALLS = 4096
#: Largest total size of the messages of unfinished calls, in bytes. A larger message is accepted if no call is
#: unfinished.
MOST_BYTES = 8 * 1024 * 1024
#: Seconds between two checks whether the client is still there.
SECONDS = 0.25


class Backlog:
    """Counter of unfinished calls, safe for use by any thread."""

    __slots__ = ("_bytes", "_calls", "_changed", "_lock", "_waiting")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._calls = 0
        self._bytes = 0
        self._waiting = 0

    def enter(self, size: int, attended: Callable[[], bool]) -> bool:
        """Wait until a line of `size` bytes has room, and reserve the room. Return False if the client has gone.

        While waiting, `attended` is called regularly. It returns True while the client still waits for answers.
        """
        with self._lock:
            while not self._fits(size):
                if not attended():
                    return False
                self._wait(SECONDS)
            self._calls += 1
            self._bytes += size
            return True

    @property
    def busy(self) -> bool:
        """Return True if at least one call is unfinished."""
        return self._calls > 0

    def has_room(self, size: int, calls: int) -> bool:
        """Return True if `calls` calls of `size` bytes each could enter now without waiting.

        The answer is out of date as soon as another call enters.
        """
        return self._calls + calls <= MOST_CALLS and self._bytes + size * calls <= MOST_BYTES

    def leave(self, size: int) -> None:
        """Release the room of a finished call of `size` bytes."""
        with self._lock:
            self._calls -= 1
            self._bytes -= size
            if self._waiting:
                self._changed.notify_all()

    def drain(self, seconds: float) -> None:
        """Wait until no call is unfinished, for at most `seconds`."""
        end = time.monotonic() + seconds
        with self._lock:
            while self._calls and (left := end - time.monotonic()) > 0:
                self._wait(left)

    def _wait(self, seconds: float) -> None:
        self._waiting += 1
        self._changed.wait(seconds)
        self._waiting -= 1

    def _fits(self, size: int) -> bool:
        return not self._calls or (self._calls < MOST_CALLS and self._bytes + size <= MOST_BYTES)
