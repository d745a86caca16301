# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Budget of one call: seconds, and steps of work on its arguments and its answer.

Hooks and the HTTP request share the seconds; time spent waiting for the user's answer is not counted. A step is about
one microsecond of work that blocks all other calls, so steps limit how long other calls wait.
"""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType

STEPS = 50_000
"""Steps of work in one call. An ordinary call takes some hundreds; all steps together take less than a tenth of a
second.
"""


class Exhausted(Exception):
    """Raised when the steps or the seconds of a call are used up."""


class Budget:
    """Seconds and steps of one call. `left` is how many of the `total` seconds remain, by the given clock."""

    __slots__ = ("_clock", "_since", "_steps", "left", "total")

    def __init__(self, total: float, clock: Callable[[], float], steps: int = STEPS) -> None:
        self.total = total
        self.left = total
        self._clock = clock
        self._steps = steps

    def __enter__(self) -> float:
        """Start counting time and return the seconds that are left. The time inside the `with` block is subtracted."""
        self._since = self._clock()
        return self.left

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.left = max(0.0, self.left - (self._clock() - self._since))

    def spend(self, steps: int) -> None:
        """Count `steps` of work before doing the work. Raise Exhausted if too few steps are left."""
        self._steps -= steps
        if self._steps < 0:
            raise Exhausted
