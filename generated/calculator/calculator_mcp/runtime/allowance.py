# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""The seconds that one call may take: its hooks and its request share them. A person who is asked takes none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Allowance:
    """What is left of the `total`, in seconds by that clock."""

    __slots__ = ("_clock", "left", "total")

    def __init__(self, total: float, clock: Callable[[], float]) -> None:
        self.total = total
        self.left = total
        self._clock = clock

    @contextmanager
    def counted(self) -> Iterator[float]:
        """The seconds that are left for what is done inside, which counts."""
        began = self._clock()
        try:
            yield self.left
        finally:
            self.left = max(0.0, self.left - (self._clock() - began))
