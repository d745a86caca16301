# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Which request goes to the upstream when: so many at a time, and so many in a while where the operator limits that.

A room that comes free goes to the waiting tool that has the fewest requests under way, and inside a tool to the call
that came first. No tool has more than seven eighths of all rooms, so one whose upstream hangs leaves room to the rest.
Waiting is a part of the call's time; what cannot be sent early enough to be answered within it is refused in words that
a model can act on.

Invariants: a room that was entered is left exactly once, whatever is cancelled when; no tool waits that could enter.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from math import ceil
from typing import TYPE_CHECKING

from .client import Failure

if TYPE_CHECKING:
    from ..settings.rate import Rate

    Clock = Callable[[], float]
    Rest = Callable[[float], Awaitable[None]]


class Crowded(Failure):
    """It was not the request's turn within its time. `advice` is a sentence for the model."""

    def __init__(self, reason: str, advice: str) -> None:
        super().__init__(reason, sent=False)
        self.advice = advice


# Decision 0037: 64 requests are under way at a time.
class Pace:
    """The rooms and the rate of one server. To be used inside one event loop; `clock` counts its seconds."""

    def __init__(self, most: int, rate: Rate | None, clock: Clock, rest: Rest = asyncio.sleep) -> None:
        """At most `most` requests are under way at a time, and no more are sent than `rate` allows."""
        self._share = most - most // 8
        self._free = most
        self._under_way: dict[str, int] = {}
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}
        self._rate = rate
        self._clock = clock
        self._rest = rest
        self._door = asyncio.Lock()  # is fair: first come, first served
        self._ahead = 0

    async def enter(self, tool: str, latest: float) -> None:
        """Come back when a request of that tool may be sent, before the clock says `latest`. Raises Crowded, or is
        cancelled; otherwise `leave` must follow.
        """
        if self._rate is None and self._clock() <= latest and self._may_enter(tool):
            return self._give(tool)  # as with most
        if self._rate is not None:
            self._due(self._rate, latest, self._ahead)  # what would wait in vain is refused at once
        self._ahead += 1
        try:
            await self._room(tool, latest)
            try:
                if self._rate is not None:
                    await self._turn(self._rate, latest)
                self._in_time(latest)
            except BaseException:
                self.leave(tool)
                raise
        finally:
            self._ahead -= 1

    def leave(self, tool: str) -> None:
        """The request is over."""
        self._free += 1
        if others := self._under_way.pop(tool) - 1:
            self._under_way[tool] = others
        if self._waiting:
            self._admit()

    def _in_time(self, latest: float) -> None:
        if self._clock() > latest:
            raise Crowded("too little of its time was left for an answer", "Nothing was sent. Calling again is safe.")

    def _due(self, rate: Rate, latest: float, ahead: int = 0) -> float:
        """The seconds to wait for the turn of a request that has so many others before it."""
        now = self._clock()
        due = rate.due(now, ahead)
        if due > latest:
            seconds = ceil(due - now)
            advice = f"Nothing was sent. Call again in {seconds} second{'' if seconds == 1 else 's'}."
            raise Crowded(f"this server sends no more than {rate}", advice)
        return due - now

    async def _turn(self, rate: Rate, latest: float) -> None:
        async with self._door:
            due = self._clock() + (wait := self._due(rate, latest))
            if wait > 0:
                await self._rest(wait)
            self._in_time(latest)  # before it counts as sent
            rate.note(max(due, self._clock()))

    async def _room(self, tool: str, latest: float) -> None:
        if self._may_enter(tool):
            self._give(tool)
            return
        given: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(tool, deque()).append(given)
        try:
            async with asyncio.timeout(max(latest - self._clock(), 0)):
                await given
        except BaseException as problem:
            self._give_up(tool, given)
            if isinstance(problem, TimeoutError):
                reason = "too many others were under way for all of its time"
                raise Crowded(reason, "Nothing was sent. Make fewer calls at a time.") from None
            raise

    def _may_enter(self, tool: str) -> bool:
        return self._free > 0 and self._under_way.get(tool, 0) < self._share

    def _give(self, tool: str) -> None:
        self._free -= 1
        self._under_way[tool] = self._under_way.get(tool, 0) + 1

    def _give_up(self, tool: str, given: asyncio.Future[None]) -> None:
        """It waits no longer; a room that it was given at this very moment goes to the next."""
        if given.done() and not given.cancelled():
            self.leave(tool)
        elif given in (queue := self._waiting.get(tool, deque())):
            queue.remove(given)
            if not queue:
                del self._waiting[tool]

    def _admit(self) -> None:
        """Give the free rooms to those that wait. Of equals the tool counts that was given one longest ago."""
        while entering := [tool for tool in self._waiting if self._may_enter(tool)]:
            tool = min(entering, key=lambda tool: self._under_way.get(tool, 0))
            queue = self._waiting.pop(tool)
            given = queue.popleft()
            if queue:
                self._waiting[tool] = queue  # behind all others
            if not given.done():  # else it was cancelled and does not know yet
                self._give(tool)
                given.set_result(None)
