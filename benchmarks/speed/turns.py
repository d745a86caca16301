"""Cases measured in turns: one of each, then the next of each. So what the machine does meanwhile happens to all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

K = TypeVar("K")
T = TypeVar("T")


def in_turns(
    cases: Mapping[K, Callable[[], T]], rounds: int, seldom: Mapping[K, int] | None = None
) -> dict[K, list[T]]:
    """The samples of each case. A round before the first warms caches up and does not count. `seldom` says after how
    many rounds a case is left out, for those that take very long; they get no round to warm up."""
    samples: dict[K, list[T]] = {name: [] for name in cases}
    limits = seldom or {}
    for turn in range(rounds + 1):
        for name, case in cases.items():
            if name in limits and not 1 <= turn <= limits[name]:
                continue
            sample = case()
            if turn:
                samples[name].append(sample)
    return samples
