"""Print measured values beside their limits, as a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Bar:
    """One measured value with its name and its upper or lower limit, which the project promises.

    `goal`: a better value that the project works towards, or None. To miss a goal is no failure.
    """

    what: str
    value: float
    comparison: Literal["<=", ">="]
    bar: float
    goal: float | None = None

    @property
    def held(self) -> bool:
        return self.value <= self.bar if self.comparison == "<=" else self.value >= self.bar


def show(bars: list[Bar]) -> int:
    """Print the values with their limits. Return the exit code of the benchmark: 1 if a limit is not met."""
    width = max((len(bar.what) for bar in bars), default=0)
    for bar in bars:
        goal = "" if bar.goal is None else f", goal {bar.goal:g}"
        verdict = "PASS" if bar.held else "MISS"
        print(f"{bar.what:{width}} {bar.value:9.2f}  (bar {bar.comparison} {bar.bar:g}{goal})  {verdict}")
    return 0 if all(bar.held for bar in bars) else 1
