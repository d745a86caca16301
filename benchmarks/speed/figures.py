"""What a family of cases finds: figures, which are medians with their spread, and the bars that they must hold."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from benchmarks.bars import Bar


@dataclass(frozen=True, slots=True)
class Figure:
    """The median of `count` samples, the least and the most of them, in `unit`: of that subject, in that case."""

    case: str
    subject: str
    unit: str
    median: float
    low: float
    high: float
    count: int

    @classmethod
    def of(cls, case: str, subject: str, unit: str, samples: Sequence[float]) -> Figure:
        """Of samples, of which there must be some."""
        return cls(case, subject, unit, statistics.median(samples), min(samples), max(samples), len(samples))


@dataclass(slots=True)
class Found:
    """All that a family found. `notes` are sentences, such as what was left out and why."""

    figures: list[Figure] = field(default_factory=list)
    bars: list[Bar] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, case: str, subject: str, unit: str, samples: Sequence[float]) -> None:
        """A figure of these samples, where there are any."""
        if samples:
            self.figures.append(Figure.of(case, subject, unit, samples))

    def median(self, case: str, subject: str, unit: str) -> float | None:
        """A figure, None where it was not measured."""
        return median(self.figures, case, subject, unit)

    def at_most(self, bar: float, what: str, above: float | None, below: float | None) -> None:
        """A bar that this ratio must not be above, where both of its figures were measured."""
        if above is not None and below:
            self.bars.append(Bar(what, above / below, "<=", bar))

    def at_least(self, bar: float, what: str, above: float | None, below: float | None) -> None:
        """A bar that this ratio must not be below, where both of its figures were measured."""
        if above is not None and below:
            self.bars.append(Bar(what, above / below, ">=", bar))


def median(figures: Iterable[Figure], case: str, subject: str, unit: str) -> float | None:
    """The median of that figure, None where there is none."""
    found = (each.median for each in figures if (each.case, each.subject, each.unit) == (case, subject, unit))
    return next(found, None)


def told(figures: Iterable[Figure]) -> str:
    """The figures for a terminal: a line for each subject in each case, with medians, their spread in brackets."""
    rows: dict[tuple[str, str], list[str]] = {}
    for each in figures:
        spread = f"[{_digits(each.low)} {_digits(each.high)}]" if each.count > 1 else ""
        rows.setdefault((each.case, each.subject), []).append(
            f"{_digits(each.median):>7} {each.unit} {spread}".ljust(32)
        )
    return "\n".join(f"{case:30} {subject:24} {' '.join(told)}".rstrip() for (case, subject), told in rows.items())


def _digits(value: float) -> str:
    """Three of them, or all before the point."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
