"""Budgets of work. Work is counted in steps and not in seconds, so that every machine stops at the same place.

A small document can describe very much: schemas that each name the next one twice are a few lines, and more ways than
anybody can walk. Each pass does what is in proportion to what it reads, or draws on a budget.
"""

from collections import Counter


class Exhausted(Exception):
    """A budget is used up. `is_run` says that it was the one of the whole run, and not of a part."""

    def __init__(self, *, is_run: bool) -> None:
        super().__init__(is_run)
        self.is_run = is_run


class Budget:
    """Steps that one run may take: so many in each of its parts, which `begin` begins, and so many in all of them."""

    __slots__ = ("_charged", "_granted", "_part", "_run", "left")

    def __init__(self, run: int, part: int) -> None:
        self._run = run
        self._part = part
        self._charged: Counter[str] = Counter()
        self.left = self._granted = 0
        self.begin()

    @property
    def culprit(self) -> str:
        """What most of the steps of this part were spent on; empty where that has no name."""
        return max(self._charged, key=self._charged.__getitem__, default="")

    def begin(self) -> None:
        """Begin another part."""
        self._run -= self._granted - max(self.left, 0)
        self.left = self._granted = min(self._part, self._run)
        self._charged.clear()

    def spend(self, steps: int) -> None:
        """Take so many steps. Raises Exhausted where there are not as many left."""
        self.left -= steps
        if self.left < 0:
            raise Exhausted(is_run=self._granted < self._part)

    def charge(self, name: str, steps: int) -> None:
        """Note that `name` is what so many of the steps were spent on."""
        self._charged[name] += steps
