# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Budget of one call: seconds, and steps of work on its arguments and its result.

Hooks and the HTTP request share the seconds. Time spent waiting for the user's answer is not counted. A step is about
one microsecond of work during which no other call can run, so steps limit how long other calls wait.
"""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType

STEPS = 50_000
"""Steps of work that one call may take.

An ordinary call takes some hundreds of steps. 50,000 steps together take less than 0.1 seconds.
"""


class Exhausted(Exception):
    """Raised when the steps or the seconds of a call are used up."""


class Budget:
    """Seconds, and steps of work, that one call may use. `left`: the seconds that remain of `total`, by `clock`.

    `setting`: what sets the seconds, such as an environment variable; "" if unknown.
    """

    __slots__ = ("_clock", "_since", "_steps", "left", "setting", "total")

    def __init__(self, total: float, clock: Callable[[], float], steps: int = STEPS, setting: str = "") -> None:
        self.setting = setting
        self.total = total
        self.left = total
        self._clock = clock
        self._steps = steps

    def __enter__(self) -> float:
        """Count the seconds from here to the end of the `with` block. Return the seconds left in the call's budget."""
        self._since = self._clock()
        return self.left

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.left = max(0.0, self.left - (self._clock() - self._since))

    def start(self) -> float:
        """Begin to count seconds. Return the seconds of the budget that are left."""
        return self.__enter__()

    def stop(self) -> None:
        """Stop counting seconds until the next `start`, for example while a user answers."""
        self.__exit__(None, None, None)

    def apart(self) -> Budget:
        """Return a budget with all steps, for work without which the call still gets a good answer."""
        return Budget(self.left, self._clock)

    def spend(self, steps: int) -> None:
        """Count `steps` before the work is done. Raise Exhausted if too few steps are left."""
        self._steps -= steps
        if self._steps < 0:
            raise Exhausted
