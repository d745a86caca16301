"""Test the numbers of a call's progress: phases, heartbeats and hooks together make one number that only grows."""

from __future__ import annotations

from typing import Any

import pytest
from package.runtime.core.spans import Span
from package.runtime.serve.call_progress import CallProgress

PHASE, LEAVE, BEAT = "phase", "leave", "beat"
FIRST, SECOND = "before_all", "after_all"


def told(*events: Any) -> list[tuple[float, float | None, str]]:
    """Apply events of a call: phases, heartbeats, and reports and ends of hooks.

    Return the call's progress after each event, except after the end of a hook (LEAVE).
    """
    progress, found = CallProgress(), []
    for event in events:
        if event == BEAT:
            found.append(progress.beat(False, None, 5))
            continue
        if event[0] == PHASE:
            progress.phase(event[1])
        elif event[0] == LEAVE:
            progress.leave(event[1])
            continue
        else:
            progress.advance(*event)
        found.append((progress.done, progress.total, progress.said))
    return found


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        pytest.param([(FIRST, 0, 10, "a"), (FIRST, 3, 10, "b")], [(0, 10, "a"), (3, 10, "b")], id="as it is given"),
        pytest.param(
            [(FIRST, 3, 10, "a"), (FIRST, 3, 10, "b")], [(3, 10, "a"), (3.001, 10, "b")], id="another message"
        ),
        pytest.param([(FIRST, 3, 2, "a")], [(3, None, "a")], id="more than the total"),
        pytest.param(
            [(FIRST, 3, 10, "a"), BEAT, BEAT, (FIRST, 4, 10, "b")],
            [(3, 10, "a"), (3.001, 10, "a, 5 s"), (3.002, 10, "a, 5 s"), (4, 10, "b")],
            id="heartbeats between two numbers",
        ),
        pytest.param(
            [(FIRST, 1, 2, ""), BEAT], [(1, 2, ""), (1.001, 2, "working, 5 s")], id="a heartbeat without a message"
        ),
        pytest.param(
            [(FIRST, 40, 100, "a"), (LEAVE, FIRST), (PHASE, "sent"), (PHASE, "body")],
            [(40, 100, "a"), (41, None, "sent"), (42, None, "body")],
            id="phases after a hook",
        ),
        pytest.param(
            [(FIRST, 4.5, 9, "a"), (LEAVE, FIRST), BEAT],
            [(4.5, 9, "a"), (5, None, "working, 5 s")],
            id="a hook that is over",
        ),
        pytest.param(
            [(PHASE, "sent"), (SECOND, 0, 2, "a"), (SECOND, 1, 2, "b"), (SECOND, 2, 2, "c")],
            [(1, None, "sent"), (1.001, 3, "a"), (2, 3, "b"), (3, 3, "c")],
            id="a scale that begins later",
        ),
        pytest.param(
            [(PHASE, "sent"), (SECOND, 50, 60, "a")], [(1, None, "sent"), (50, 60, "a")], id="a scale that is above"
        ),
        pytest.param(
            [(FIRST, 5, 5, "a"), (LEAVE, FIRST), (SECOND, 1, 5, "b"), (LEAVE, FIRST), BEAT],
            [(5, 5, "a"), (6, 10, "b"), (6.001, 10, "b, 5 s")],
            id="the next hook",
        ),
        pytest.param(
            [(FIRST, 2**52, None, "a"), BEAT], [(2**52, None, "a"), (2**52 + 1, None, "a, 5 s")], id="large numbers"
        ),
    ],
)
def test_one_number_grows(events: list[Any], expected: list[tuple[float, float | None, str]]) -> None:
    assert told(*events) == expected
    numbers = [done for done, _, _ in expected]
    assert numbers == sorted({*numbers})


def test_a_hook_that_waits_for_the_user_says_so() -> None:
    progress = CallProgress()
    progress.advance(FIRST, 1, 2, "a")
    assert progress.beat(True, Span(), 5) == (1.001, 2, "waiting for the user, 5 s")
