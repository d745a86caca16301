"""Test the limits on concurrent requests and on their rate: which request may start when, and what cancellations
change.

No network is used, and the test sets the clock.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable

import pytest
from package.runtime.http.sending import NoPlaceFree, RequestLimiter
from package.runtime.settings.setting_parsers import Rate

from tests.runtime.client_scene import Deadlines, turns

FAR = 1e9


class Street:
    """Requests that run until the test ends them, with the order in which they started."""

    def __init__(self, most: int, rate: Rate | None = None) -> None:
        self.now = 0.0
        self.pauses: list[float] = []
        self.pace = RequestLimiter(most, rate, lambda: self.now, self._rest)
        self.entered: list[str] = []
        self._ends: dict[str, asyncio.Event] = {}
        self._resting: list[asyncio.Future[None]] = []

    async def _rest(self, seconds: float) -> None:
        self.pauses.append(seconds)
        resting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._resting.append(resting)
        await resting

    async def passes(self, seconds: float) -> None:
        """Move the clock, and end the pause of every request that waits for the rate limit."""
        self.now += seconds
        for resting in self._resting:
            if not resting.done():
                resting.set_result(None)
        await turns()

    async def _request(self, name: str, end: float) -> None:
        await self.pace.enter(name[0], end)
        try:
            self.entered.append(name)
            await self._ends.setdefault(name, asyncio.Event()).wait()
        finally:
            self.pace.leave(name[0])

    def come(self, *names: str, end: float = FAR) -> list[asyncio.Task[None]]:
        """Submit requests with these names. The first letter of a name stands for its tool."""
        return [asyncio.ensure_future(self._request(name, end)) for name in names]

    async def ends(self, *names: str) -> None:
        for name in names:
            self._ends.setdefault(name, asyncio.Event()).set()
        await turns()


def run(scene: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(asyncio.wait_for(scene(), 60))


def test_no_more_are_under_way_than_may_be_and_the_first_is_first() -> None:
    async def scene() -> None:
        street = Street(2)
        street.come("a1", "a2", "a3", "a4", "a5")
        await turns()
        assert street.entered == ["a1", "a2"]
        await street.ends("a2")
        assert street.entered == ["a1", "a2", "a3"]
        await street.ends("a1", "a3", "a4", "a5")
        assert street.entered == ["a1", "a2", "a3", "a4", "a5"]

    run(scene)


def test_rel_02_a_tool_that_hangs_leaves_room_to_the_others() -> None:
    async def scene() -> None:
        street = Street(64)
        street.come(*(f"a{number}" for number in range(100)))
        await turns()
        assert len(street.entered) == 56
        street.come(*(f"b{number}" for number in range(8)))
        await turns()
        assert street.entered[56:] == [f"b{number}" for number in range(8)]

    run(scene)


def test_rel_02_a_room_that_comes_free_goes_to_whom_has_fewest() -> None:
    async def scene() -> None:
        street = Street(8)
        street.come(*(f"a{number}" for number in range(9)))
        street.come("b0", "b1", "c0", "b2", "c1")
        await turns()
        assert street.entered == ["a0", "a1", "a2", "a3", "a4", "a5", "a6", "b0"]
        # each slot that tool a frees goes to the waiting tool with the fewest running requests: to c or b, never to a
        await street.ends("a0", "a1", "a2")
        assert street.entered[8:] == ["c0", "b1", "c1"]
        await street.ends("c0")
        assert street.entered[11:] == ["b2"]

    run(scene)


def test_one_room_goes_round_among_the_tools() -> None:
    async def scene() -> None:
        street = Street(1)
        names = ["a0", "a1", "a2", "a3", "b0", "b1", "c0"]
        street.come(*names)
        await turns()
        for _ in names:
            await street.ends(street.entered[-1])
        assert street.entered == ["a0", "a1", "b0", "c0", "a2", "b1", "a3"]

    run(scene)


def test_life_09_who_gives_up_leaves_no_room_behind() -> None:
    """Cancel requests that wait, that just got their slot, and that run. Each slot must become free."""

    async def scene() -> None:
        street = Street(1)
        (first,) = street.come("a1")
        await turns()
        given_up, waits, late = street.come("a2", "a3", "b1")
        await turns()
        given_up.cancel()
        await turns()
        first.cancel()
        await asyncio.sleep(0)  # a3 got the slot, but its asyncio task has not run yet
        waits.cancel()
        await turns()
        assert street.entered == ["a1", "b1"]
        late.cancel()
        await turns()
        street.come("a4")
        await turns()
        assert street.entered == ["a1", "b1", "a4"]
        assert street.pace._waiting == {}

    run(scene)


def test_life_09_cancelled_at_any_moment() -> None:
    async def scene() -> None:
        chance = random.Random(9)
        street = Street(4, Rate(100_000, 1, ""))
        for round_ in range(200):
            tasks = street.come(*(f"{chance.choice('abc')}{round_}.{number}" for number in range(12)))
            for task in chance.sample(tasks, 12):
                await turns(chance.randrange(3))
                if chance.random() < 0.3 and street.entered:
                    street._ends.setdefault(street.entered[-1], asyncio.Event()).set()
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            assert (street.pace._free, street.pace._under_way, street.pace._waiting) == (4, {}, {})
            assert street.pace._ahead == 0

    run(scene)


def test_waiting_for_a_room_ends_with_the_time_of_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene() -> None:
        deadlines = Deadlines(monkeypatch)
        street = Street(1)
        street.now = 5.0
        street.come("a1")
        await turns()
        (waits,) = street.come("a2", end=35.0)
        await turns()
        assert deadlines.seconds == [30.0]
        deadlines.pass_now()
        with pytest.raises(NoPlaceFree) as refused:
            await waits
        assert refused.value.advice == "Nothing was sent. Make fewer calls at a time."
        await street.ends("a1")
        assert street.pace._free == 1

    run(scene)


@pytest.mark.parametrize(("most", "share"), [(1, 1), (4, 4), (8, 7), (64, 56), (256, 224)])
def test_rel_02_the_share_of_one_tool(most: int, share: int) -> None:
    async def scene() -> None:
        street = Street(most)
        street.come(*(f"a{number}" for number in range(most)))
        await turns()
        assert len(street.entered) == share

    run(scene)


def test_rel_04_nothing_is_sent_that_has_no_time_left() -> None:
    """Send no request whose deadline has passed, neither at once nor after a wait.

    Such a request does not count against the rate.
    """

    async def scene() -> None:
        street = Street(2, Rate(1, 10, "a second"))
        street.now = 5.0
        for pace in (street.pace, RequestLimiter(2, None, lambda: street.now)):
            with pytest.raises(NoPlaceFree) as refused:
                await pace.enter("a", 4.9)
            assert refused.value.advice.startswith("Nothing was sent. Call")
            assert pace._free == 2
        street.come("a1", end=6)
        (late,) = street.come("a2", end=15.5)
        await turns()
        await street.passes(11)
        with pytest.raises(NoPlaceFree) as refused:
            await late
        assert refused.value.reason == "too little of its time was left for an answer"
        street.come("a3", end=17)
        await turns()
        assert street.entered == ["a1", "a3"]

    run(scene)


def test_what_comes_too_often_waits_for_its_turn_and_what_would_wait_too_long_does_not() -> None:
    async def scene() -> None:
        street = Street(8, Rate(2, 60, "a minute"))
        street.come("a1", "b1", end=30)
        await turns()
        assert street.entered == ["a1", "b1"]
        street.now = 35.0
        (refused,) = street.come("a2", end=59.9)
        with pytest.raises(NoPlaceFree) as reason:
            await refused
        assert reason.value.reason == "this server sends no more than 2 requests a minute"
        assert reason.value.advice == "Nothing was sent. Call again in 25 seconds."
        street.come("a3", "b3", "c3", end=65)
        await turns()
        assert street.entered == ["a1", "b1"]
        assert street.pauses == [25.0]
        await street.passes(25.0)
        assert street.entered == ["a1", "b1", "a3", "b3"]
        street.now = 119.1
        (refused,) = street.come("d3", end=119.9)
        with pytest.raises(NoPlaceFree) as reason:
            await refused
        assert reason.value.advice == "Nothing was sent. Call again in 1 second."

    run(scene)


def test_who_gives_up_its_turn_leaves_it_to_the_next() -> None:
    async def scene() -> None:
        street = Street(8, Rate(1, 10, "a second"))
        street.come("a1")
        await turns()
        given_up, _ = street.come("a2", "b2", end=25)
        await turns()
        given_up.cancel()
        await turns()
        await street.passes(10.0)
        assert street.entered == ["a1", "b2"]
        assert street.pace._under_way == {"a": 1, "b": 1}

    run(scene)
