"""Test the rate limit: no time span has more requests than allowed, and no request waits longer than it must.

The test sets the clock.
"""

from __future__ import annotations

import random

import pytest
from package.runtime.settings.setting_parsers import Rate


def times(rate: Rate, arrivals: list[float]) -> list[float]:
    """Return the times at which requests are sent, if they arrive at the times `arrivals`."""
    now, sent = 0.0, []
    for arrival in arrivals:
        now = rate.due(max(now, arrival))
        rate.note(now)
        sent.append(now)
    return sent


def test_a_burst_goes_at_once_and_the_next_when_the_first_is_a_span_ago() -> None:
    assert times(Rate(3, 10, ""), [0, 1, 2, 3, 3, 14, 30]) == [0, 1, 2, 10, 11, 14, 30]
    assert times(Rate(1, 60, ""), [5, 5, 5]) == [5, 65, 125]


@pytest.mark.parametrize("count", [1, 2, 5, 40])
def test_no_span_has_more_than_so_many_and_nobody_waits_without_need(count: int) -> None:
    chance = random.Random(count)
    arrivals = sorted(chance.uniform(0, 60) for _ in range(200))
    sent = times(Rate(count, 7, ""), arrivals)
    for index, (arrival, moment) in enumerate(zip(arrivals, sent, strict=True)):
        before = sent[index - count] + 7 if index >= count else 0
        assert moment == max(arrival, before)


@pytest.mark.parametrize("known", [0, 1, 2, 3, 5])
@pytest.mark.parametrize("ahead", [0, 1, 2, 3, 4, 7])
def test_what_is_foretold_is_what_happens(known: int, ahead: int) -> None:
    """Check that a request behind `ahead` others is sent at the time that was predicted for it."""
    rate = Rate(3, 10, "")
    now = times(rate, [float(each) for each in range(known)])[-1] if known else 0.0
    foretold = rate.due(now, ahead)
    assert times(rate, [now] * (ahead + 1))[-1] == foretold
