# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""The seconds that one call may take: its hooks and its request share them. A person who is asked takes none."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType


class Allowance:
    """What is left of the `total`, in seconds by that clock."""

    __slots__ = ("_clock", "_since", "left", "total")

    def __init__(self, total: float, clock: Callable[[], float]) -> None:
        self.total = total
        self.left = total
        self._clock = clock

    def __enter__(self) -> float:
        """The seconds that are left for what is done inside, which counts."""
        self._since = self._clock()
        return self.left

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.left = max(0.0, self.left - (self._clock() - self._since))
