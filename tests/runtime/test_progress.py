"""Test progress notifications: a phase that lasts is reported, but not together with the response or directly before
it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from package.runtime.core.effects import Call, Dialogue
from package.runtime.core.spans import Span
from package.runtime.serve import call_progress, scheduler

from tests.runtime.test_engine import Bench, text

BEATS = 5


class Reading:
    """A response of which only some bytes have arrived."""

    def __init__(self, received: int = 0, expected: int | None = None, began: bool = True) -> None:
        self.received, self.expected, self.began = received, expected, began


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench()
    yield made
    made.loading.set()


def test_a_call_reports_its_result_and_the_latest_phase_that_lasts(bench: Bench) -> None:
    bench.submit(1, "a", report=["sent", "headers", "body"])
    assert bench.upstream
    bench.until_told(1)
    bench.upstream.let_go("a")
    assert text(bench.outcomes(1)[1]) == "a"
    assert bench.phases == [(1, 3, "body")]


def test_no_phase_is_told_of_a_call_that_is_over_when_it_would_be(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Report no phase of a call that has ended.

    In this test, phases are reported without delay, but the result is ready in the same turn of the loop.
    """
    monkeypatch.setattr(scheduler, "LASTING", 0)
    bench.upstream.gates["a"] = gate = asyncio.Event()
    gate.set()
    bench.submit(1, "a", report=["sent", "headers", "body"])
    assert text(bench.outcomes(1)[1]) == "a"
    assert bench.phases == []


def test_no_answer_follows_a_phase_at_once(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduler, "APART", 10**6)
    bench.submit(1, "a", report=["sent"])
    assert bench.upstream
    bench.until_told(1)
    bench.upstream.let_go("a")
    bench.upstream.until(lambda upstream: "a" not in upstream.running)
    bench.submit(2, "b")
    bench.upstream.let_go("b")
    assert bench.outcomes(1).keys() == {2}
    bench.engine.cancel(1)  # end the wait of APART seconds between the progress and the outcome of call 1
    bench.submit(3, "c")
    bench.upstream.let_go("c")
    assert bench.outcomes(2).keys() == {2, 3}
    assert not bench.engine.others


def test_a_call_that_waits_tells_so_again_and_again(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduler, "BEAT", 0.001)
    bench.submit(1, "a")
    assert bench.upstream
    bench.until_told(BEATS)
    bench.upstream.let_go("a")
    bench.outcomes(1)
    told = [done for _, done, _ in bench.phases]
    assert told == [*range(1, len(told) + 1)]
    assert {message for _, _, message in bench.phases} == {"working, 0 s"}


def test_a_call_that_waits_for_its_user_tells_so(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduler, "BEAT", 0.001)
    bench.submit(1, "a", question="Sure?")
    assert bench.upstream
    bench.until_asked(1)
    bench.until_told(len(bench.phases) + 2)
    assert bench.phases[-1][2] == "waiting for the user, 0 s"
    bench.engine.answer(1, "yes")
    bench.outcomes(1)


def test_a_call_without_a_token_and_one_that_is_over_tell_nothing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler, "BEAT", 0.001)
    bench.engine.submit(Call(1, "quiet", {}, None, Dialogue("", "2025-11-25")), bench, 0)
    bench.submit(2, "cancelled")
    bench.submit(3, "over")
    bench.upstream.until(lambda upstream: len(upstream.running) == 3)
    bench.engine.cancel(2)
    bench.upstream.let_go("over")
    bench.outcomes(1)
    bench.submit(4, "after")
    before = len(bench.phases)
    bench.until_told(before + BEATS)
    assert {key for key, _, _ in bench.phases[before:]} == {4}
    for name in ("quiet", "after"):
        bench.upstream.let_go(name)
    assert bench.outcomes(3).keys() == {1, 3, 4}


@pytest.mark.parametrize(
    ("done", "said", "reads", "requests", "told"),
    [
        (0, "", None, 0, (1, None, "working, 5 s")),
        (1, "sent", Reading(began=False), 1, (2, None, "waiting for the API, 5 s")),
        (2, "headers", Reading(), 1, (3, None, "reading the answer, 0 bytes, 5 s")),
        (2, "headers", Reading(1500), 1, (1500, None, "reading the answer, 1,500 bytes, 5 s")),
        (2, "headers", Reading(1500, 9000), 1, (1500, 9000, "reading the answer, 1,500 of 9,000 bytes, 5 s")),
        (1500, "headers", Reading(1500, 9000), 1, (1501, 9000, "reading the answer, 1,500 of 9,000 bytes, 5 s")),
        (9000, "headers", Reading(9000, 9000), 1, (9001, None, "reading the answer, 9,000 of 9,000 bytes, 5 s")),
        (4, "page 3", Reading(10, 99), 4, (10, None, "page 3; reading the answer, 10 of 99 bytes, 5 s")),
        (4, "page 3", None, 4, (5, None, "page 3; waiting for the API, 5 s")),
        (4, call_progress.USER, None, 0, (5, None, "waiting for the user, 5 s")),
    ],
)
def test_a_beat_says_what_the_call_waits_for_and_goes_forward(
    done: int, said: str, reads: Reading | None, requests: int, told: tuple[int, int | None, str]
) -> None:
    span = Span()
    span.acted, span.requests, span.reads = bool(requests), requests, reads
    assert call_progress.beat(done, said, span, 5.2) == told
