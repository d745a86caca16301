# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Count values in histograms and counters. Each metric has one series per set of attributes. Not thread-safe.

The module does no input or output.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .metrics import Metric

    Attributes = tuple[tuple[str, "str | int"], ...]

MOST_SERIES = 2000
"""Maximum number of series of one metric. Further sets of attributes are counted in one series without attributes."""


class Buckets:
    """One series of a histogram of seconds: how many durations lie between two bounds, and the sum of all durations."""

    __slots__ = ("_nanoseconds", "bounds", "counts", "sum")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds = bounds
        self._nanoseconds = [round(bound * 1e9) for bound in bounds]
        self.counts = [0] * (len(bounds) + 1)
        self.sum = 0.0

    def add(self, durations: list[int]) -> None:
        """Count durations, given in nanoseconds. Counting many at a time costs less per duration.

        A duration equal to a bound is counted below that bound. A negative duration (the clock was set back) counts as
        0.
        """
        durations = sorted(durations)
        counted = 0
        for place, bound in enumerate(self._nanoseconds):
            below = bisect_right(durations, bound)
            self.counts[place] += below - counted
            counted = below
        self.counts[-1] += len(durations) - counted
        self.sum += sum(durations[bisect_left(durations, 0) :]) / 1e9

    @property
    def count(self) -> int:
        """Return the number of durations counted."""
        return sum(self.counts)


class Total:
    """One series of a counter: its total for one set of attributes."""

    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value = 0


class Series:
    """Store of all counted values: buckets of histograms and totals of counters, by metric and attributes."""

    def __init__(self) -> None:
        self.histograms: dict[Metric, dict[Attributes, Buckets]] = {}
        self.counters: dict[Metric, dict[Attributes, Total]] = {}

    def buckets(self, metric: Metric, attributes: Attributes) -> Buckets:
        """Return the series of a histogram for these attributes, created at first use."""
        found = self.histograms.setdefault(metric, {})
        attributes = _within(found, attributes)
        if attributes not in found:
            found[attributes] = Buckets(metric.bounds)
        return found[attributes]

    def total(self, metric: Metric, attributes: Attributes = ()) -> Total:
        """Return the series of a counter for these attributes, created at first use."""
        found = self.counters.setdefault(metric, {})
        return found.setdefault(_within(found, attributes), Total())


def _within(found: dict[Attributes, Buckets] | dict[Attributes, Total], attributes: Attributes) -> Attributes:
    return attributes if attributes in found or len(found) < MOST_SERIES else ()
