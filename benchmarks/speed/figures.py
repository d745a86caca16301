"""Results of a family of cases: medians of samples with their spread, and limits on them."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from benchmarks.bars import Bar


@dataclass(frozen=True, slots=True)
class Figure:
    """Median, minimum and maximum of `count` samples in `unit`, for one measured program in one case."""

    case: str
    subject: str
    unit: str
    median: float
    low: float
    high: float
    count: int

    @classmethod
    def of(cls, case: str, subject: str, unit: str, samples: Sequence[float]) -> Figure:
        """Return the median, minimum and maximum of these samples. There must be at least one sample."""
        return cls(case, subject, unit, statistics.median(samples), min(samples), max(samples), len(samples))


@dataclass(slots=True)
class Found:
    """All results of a family of cases, such as `start` or `memory`.

    `bars`: limits on figures. `notes`: sentences, such as what was left out and why.
    """

    figures: list[Figure] = field(default_factory=list)
    bars: list[Bar] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, case: str, subject: str, unit: str, samples: Sequence[float]) -> None:
        """Add a `Figure` (median and spread) of these samples to the results, if there are any samples."""
        if samples:
            self.figures.append(Figure.of(case, subject, unit, samples))

    def median(self, case: str, subject: str, unit: str) -> float | None:
        """Return the median of a figure, or None if it was not measured."""
        return median(self.figures, case, subject, unit)

    def at_most(self, bar: float, what: str, above: float | None, below: float | None) -> None:
        """Add an upper limit `bar` on the ratio `above` / `below`, if both were measured."""
        if above is not None and below:
            self.bars.append(Bar(what, above / below, "<=", bar))

    def at_least(
        self, bar: float, what: str, above: float | None, below: float | None, goal: float | None = None
    ) -> None:
        """Add a lower limit `bar` on the ratio `above` / `below`, if both were measured. `goal`: as in `Bar`."""
        if above is not None and below:
            self.bars.append(Bar(what, above / below, ">=", bar, goal))


def median(figures: Iterable[Figure], case: str, subject: str, unit: str) -> float | None:
    """Return the median for this case, program and unit, or None if it was not measured."""
    found = (each.median for each in figures if (each.case, each.subject, each.unit) == (case, subject, unit))
    return next(found, None)


def told(figures: Iterable[Figure]) -> str:
    """Return the figures as text: a line for each case and measured program, with minimum and maximum in brackets."""
    rows: dict[tuple[str, str], list[str]] = {}
    for each in figures:
        spread = f"[{_digits(each.low)} {_digits(each.high)}]" if each.count > 1 else ""
        rows.setdefault((each.case, each.subject), []).append(
            f"{_digits(each.median):>7} {each.unit} {spread}".ljust(32)
        )
    return "\n".join(f"{case:30} {subject:24} {' '.join(told)}".rstrip() for (case, subject), told in rows.items())


def _digits(value: float) -> str:
    """Return a number as text: from 100 on rounded to an integer, below 100 with three significant digits."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
