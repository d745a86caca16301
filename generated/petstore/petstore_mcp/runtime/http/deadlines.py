# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Ends what takes too long, as asyncio.timeout does, with one timer for all that runs.

A timer is set for the first that is due, and set anew when it rings. One for each call would be made, sorted in and
taken out for every call, and hardly any ever rings: that is a tenth of what a small call costs in the HTTP library.
"""

from __future__ import annotations

import asyncio
from types import TracebackType


class Deadlines:
    """The deadlines of one event loop, in which it is to be used."""

    __slots__ = ("_due", "_loop", "_running", "_timer")

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._running: dict[Deadline, float] = {}
        self._due = float("inf")
        self._timer: asyncio.TimerHandle | None = None

    def within(self, seconds: float) -> Deadline:
        """For a `with` block of the current task, which so many seconds after its beginning is cancelled and raises
        TimeoutError."""
        return Deadline(self, seconds)

    def begin(self, deadline: Deadline, seconds: float) -> None:
        """From now on it counts."""
        due = self._running[deadline] = self._loop.time() + seconds
        if due < self._due:
            self._set(due)

    def end(self, deadline: Deadline) -> None:
        """It has become irrelevant. The timer stays: when it rings, it finds out for whom."""
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
    """One of them. `expired` says whether it has passed, whatever came of that."""

    __slots__ = ("_cancelling", "_deadlines", "_seconds", "_task", "expired")

    def __init__(self, deadlines: Deadlines, seconds: float) -> None:
        self._deadlines = deadlines
        self._seconds = seconds
        self.expired = False

    def expire(self) -> None:
        """It has passed."""
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
        # Whoever else cancelled the task must see it cancelled.
        if self.expired and self._task.uncancel() <= self._cancelling and kind is asyncio.CancelledError:
            raise TimeoutError from problem
