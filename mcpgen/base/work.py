"""Limit work by counting steps instead of seconds, so that a compile stops at the same place on every machine.

A small document can cause exponential work: a few schemas that each refer to the next one twice. Each pass takes time
in proportion to its input, or counts its steps against a budget.
"""

from collections import Counter


class Exhausted(Exception):
    """Raised if a `Budget` has no steps left.

    `is_run`: True if the steps of the whole run are used up, such as those of a comparison of all tools. False if only
    the steps of one part are used up, such as those of one tool.
    """

    def __init__(self, *, is_run: bool) -> None:
        super().__init__(is_run)
        self.is_run = is_run


class Budget:
    """Limit on the steps of work in a run (such as the comparison of all tools), and in each part of the run (such as
    one tool). `begin` starts a part.
    """

    __slots__ = ("_charged", "_granted", "_part", "_run", "left")

    def __init__(self, run: int, part: int) -> None:
        self._run = run
        self._part = part
        self._charged: Counter[str] = Counter()
        self.left = self._granted = 0
        self.begin()

    @property
    def culprit(self) -> str:
        """Return the name for which `charge` has recorded the most steps since `begin` was called, such as the name of
        a schema. Return "" if nothing was recorded.
        """
        return max(self._charged, key=self._charged.__getitem__, default="")

    def begin(self) -> None:
        """Start the next part of the run (see the class), such as one tool. The part may take the maximum number of
        steps of a part, or all steps that are left for the run if these are fewer.
        """
        self._run -= self._granted - max(self.left, 0)
        self.left = self._granted = min(self._part, self._run)
        self._charged.clear()

    def spend(self, steps: int) -> None:
        """Take `steps` from the budget. Raises Exhausted if fewer are left."""
        self.left -= steps
        if self.left < 0:
            raise Exhausted(is_run=self._granted < self._part)

    def charge(self, name: str, steps: int) -> None:
        """Record that `steps` were spent on `name`, so that `culprit` can find it. Takes nothing from the budget."""
        self._charged[name] += steps
