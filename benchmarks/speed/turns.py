"""Measure cases in turn: one sample of each case in each round. So disturbances of the machine affect all cases
alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

K = TypeVar("K")
T = TypeVar("T")


def in_turns(
    cases: Mapping[K, Callable[[], T]], rounds: int, seldom: Mapping[K, int] | None = None
) -> dict[K, list[T]]:
    """Return the samples of each case. The first round is a warm-up and does not count.

    `seldom`: very long case → the number of its rounds. Such a case has no warm-up, and is left out of the other
    rounds.
    """
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
