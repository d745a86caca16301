# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Cancel tasks at their deadline, as asyncio.timeout does, but with one timer for all deadlines.

The timer is set for the earliest deadline, and set again when it fires. A timer per call would be created, sorted in
and removed for every call, although few ever fire. That would be a tenth of a small call's cost in the HTTP library.
"""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Protocol

    class Expiring(Protocol):
        """Interface of an object with a deadline. It must be hashed by identity."""

        def expire(self) -> None:
            """Do what is due now, such as cancelling an asyncio task.

            `Deadlines` calls this once, after the deadline.
            """


class Deadlines:
    """All deadlines of one event loop. Create and use it inside that loop."""

    __slots__ = ("_due", "_loop", "_running", "_timer")

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._running: dict[Expiring, float] = {}
        self._due = float("inf")
        self._timer: asyncio.TimerHandle | None = None

    def within(self, seconds: float) -> Deadline:
        """Return a deadline for a `with` block of the current asyncio task.

        The asyncio task is cancelled `seconds` after the block begins, and the block raises TimeoutError.
        """
        return Deadline(self, seconds)

    def begin(self, deadline: Expiring, seconds: float) -> None:
        """Start a deadline, or restart it: it expires `seconds` from now."""
        due = self._running[deadline] = self._loop.time() + seconds
        if due < self._due:
            self._set(due)

    def end(self, deadline: Expiring) -> None:
        """Stop a deadline. The timer stays as it is: when it fires, it checks which deadlines have passed."""
        self._running.pop(deadline, None)

    def _set(self, due: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._due, self._timer = due, self._loop.call_at(due, self._ring)

    def _ring(self) -> None:
        self._due, self._timer = float("inf"), None
        now = self._loop.time()
        for deadline in [each for each, due in self._running.items() if due <= now]:
            del self._running[deadline]
            deadline.expire()
        if self._running:
            self._set(min(self._running.values()))


class Deadline:
    """Context manager that cancels its asyncio task if the `with` block lasts past the deadline.

    `expired`: True if the deadline passed during the block, even if the block raised no TimeoutError.
    """

    __slots__ = ("_cancelling", "_deadlines", "_seconds", "_task", "expired")

    def __init__(self, deadlines: Deadlines, seconds: float) -> None:
        self._deadlines = deadlines
        self._seconds = seconds
        self.expired = False

    def expire(self) -> None:
        """Mark the deadline as passed, and cancel the asyncio task that runs the `with` block."""
        self.expired = True
        self._task.cancel()

    def __enter__(self) -> Deadline:
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a deadline is for a task")
        self._task = task
        self._cancelling = task.cancelling()
        self._deadlines.begin(self, self._seconds)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._deadlines.end(self)
        # Raise TimeoutError only if this deadline alone cancelled the task. If other code has cancelled the task as
        # well, the CancelledError must propagate.
        if self.expired and self._task.uncancel() <= self._cancelling and kind is asyncio.CancelledError:
            raise TimeoutError from problem
