# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""What was read and is not finished: how many calls, and how long their lines were.

So long as there is room, reading goes on whatever the calls do, so that a cancel, a ping, or the end of stdin is heard.
Only a flood fills it; then the reader waits here, which the client feels as a full pipe, and looks up now and then.
"""

from __future__ import annotations

import threading
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# Decision 0005: Reading goes on while calls hang.
#: More than any client has under way, and little to hold.
MOST_CALLS = 4096
#: Bytes of their lines. One call always fits.
MOST_BYTES = 8 * 1024 * 1024
#: Between two looks at who is there.
SECONDS = 0.25


class Backlog:
    """Counts the unfinished calls. Any thread may use it."""

    __slots__ = ("_bytes", "_calls", "_changed", "_lock", "_waiting")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._calls = 0
        self._bytes = 0
        self._waiting = 0

    def enter(self, size: int, attended: Callable[[], bool]) -> bool:
        """Wait for room and take it. False where there is none and `attended`, asked now and then, says that nobody
        will wait for the answer.
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
        """Whether anything is unfinished."""
        return self._calls > 0

    def has_room(self, size: int, calls: int) -> bool:
        """Whether so many calls of that size would enter without waiting, if nobody else did."""
        return self._calls + calls <= MOST_CALLS and self._bytes + size * calls <= MOST_BYTES

    def leave(self, size: int) -> None:
        """A call of that size is finished."""
        with self._lock:
            self._calls -= 1
            self._bytes -= size
            if self._waiting:
                self._changed.notify_all()

    def drain(self, seconds: float) -> None:
        """Wait until nothing is unfinished, or for so long."""
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
