"""Test progress: phases that last are reported, but none together with or directly before the response."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from package.runtime.serve import work

from tests.runtime.test_engine import Bench, text


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
    """Here a phase would be reported at once, and the result is ready in the same turn of the loop."""
    monkeypatch.setattr(work, "LASTING", 0)
    bench.upstream.gates["a"] = gate = asyncio.Event()
    gate.set()
    bench.submit(1, "a", report=["sent", "headers", "body"])
    assert text(bench.outcomes(1)[1]) == "a"
    assert bench.phases == []


def test_no_answer_follows_a_phase_at_once(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "APART", 10**6)
    bench.submit(1, "a", report=["sent"])
    assert bench.upstream
    bench.until_told(1)
    bench.upstream.let_go("a")
    bench.upstream.until(lambda upstream: "a" not in upstream.running)
    bench.submit(2, "b")
    bench.upstream.let_go("b")
    assert bench.outcomes(1).keys() == {2}
    bench.engine.cancel(1)  # this ends the wait
    bench.submit(3, "c")
    bench.upstream.let_go("c")
    assert bench.outcomes(2).keys() == {2, 3}
    assert not bench.engine.others
