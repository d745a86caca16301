"""Test deadlines: each cancels only its own asyncio task, in time and once. Other tasks, and cancellations by other
code, are not disturbed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from package.runtime.core.limits import Deadline, Deadlines

HOURS = 36000.0


async def for_ever() -> None:
    await asyncio.get_running_loop().create_future()


def run(scene: Callable[[Deadlines], Awaitable[None]]) -> None:
    async def main() -> None:
        await asyncio.wait_for(scene(Deadlines()), 30)

    asyncio.run(main())


def test_what_ends_in_time_ends_as_it_would() -> None:
    async def scene(deadlines: Deadlines) -> None:
        with deadlines.within(HOURS) as deadline:
            await asyncio.sleep(0)
        assert not deadline.expired
        with pytest.raises(KeyError), deadlines.within(HOURS) as deadline:
            raise KeyError
        assert not deadline.expired

    run(scene)


@pytest.mark.parametrize("seconds", [-1.0, 0.0, 0.001])
def test_what_takes_longer_is_cut_off(seconds: float) -> None:
    async def scene(deadlines: Deadlines) -> None:
        with pytest.raises(TimeoutError), deadlines.within(seconds) as deadline:
            await for_ever()
        assert deadline.expired
        task = asyncio.current_task()
        assert task is not None
        assert task.cancelling() == 0

    run(scene)


@pytest.mark.parametrize(("outer", "inner"), [(HOURS, 0.0), (0.0, HOURS), (0.0, 0.0)])
def test_of_two_in_one_task_those_that_are_over_say_so(outer: float, inner: float) -> None:
    async def scene(deadlines: Deadlines) -> None:
        around, within = deadlines.within(outer), deadlines.within(inner)
        with pytest.raises(TimeoutError), around, within:
            await for_ever()
        assert (around.expired, within.expired) == (outer == 0, inner == 0)

    run(scene)


def test_whoever_else_cancels_the_task_sees_it_cancelled() -> None:
    async def scene(deadlines: Deadlines) -> None:
        made: list[Deadline] = []

        async def work() -> None:
            with deadlines.within(HOURS) as deadline:
                made.append(deadline)
                await for_ever()

        for both in (False, True):
            task = asyncio.ensure_future(work())
            await asyncio.sleep(0)
            task.cancel()
            if both:
                made[-1].expire()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert task.cancelled()

    run(scene)


def test_one_timer_is_enough_and_the_first_due_rings_first(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene(deadlines: Deadlines) -> None:
        loop = asyncio.get_running_loop()
        timers: list[float] = []
        call_at = loop.call_at

        def count(when: float, *given: object, **named: object) -> asyncio.TimerHandle:
            timers.append(when)
            return call_at(when, *given, **named)  # type: ignore[arg-type]

        monkeypatch.setattr(loop, "call_at", count)
        ended: list[int] = []

        async def work(number: int, seconds: float) -> None:
            try:
                with deadlines.within(seconds):
                    await for_ever()
            except TimeoutError:
                ended.append(number)

        with deadlines.within(HOURS):
            for _ in range(100):
                with deadlines.within(HOURS):
                    await asyncio.sleep(0)
            assert len(timers) == 1
            works = [asyncio.ensure_future(work(number, seconds)) for number, seconds in enumerate((HOURS, HOURS, 0.0))]
            await works[2]
            assert ended == [2]
            # two more timers: one for the deadline at 0.0, and then one for the earliest of the remaining deadlines
            assert len(timers) == 3
            for each in works[:2]:
                each.cancel()
            await asyncio.gather(*works, return_exceptions=True)

    run(scene)


def test_what_has_ended_is_never_rung_for() -> None:
    async def scene(deadlines: Deadlines) -> None:
        with deadlines.within(0.0) as past:
            pass
        with pytest.raises(TimeoutError), deadlines.within(0.001):
            await for_ever()
        assert not past.expired

    run(scene)
