# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""What one call may use: its seconds, and steps of work on what came in with it or with its answer.

Hooks and the request share the seconds; a person who is asked takes none. A step is about a microsecond of work that
holds up all other calls, so that steps bound how long they wait.
"""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType

STEPS = 50_000
"""Steps of one call. What is ordinary takes some hundreds; all of them take less than a tenth of a second."""


class Exhausted(Exception):
    """Raised when the steps or the seconds of a call are used up."""


class Budget:
    """Seconds and steps of one call. `left` is the rest of the `total` seconds, by the clock that it is made with."""

    __slots__ = ("_clock", "_since", "_steps", "left", "total")

    def __init__(self, total: float, clock: Callable[[], float], steps: int = STEPS) -> None:
        self.total = total
        self.left = total
        self._clock = clock
        self._steps = steps

    def __enter__(self) -> float:
        """The seconds that are left for what is done inside, which counts."""
        self._since = self._clock()
        return self.left

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.left = max(0.0, self.left - (self._clock() - self._since))

    def spend(self, steps: int) -> None:
        """Count steps of work that is about to be done. Raises Exhausted."""
        self._steps -= steps
        if self._steps < 0:
            raise Exhausted
