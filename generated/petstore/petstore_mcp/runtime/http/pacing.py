# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Decide when each request is sent: limit the pending requests, and the request rate if the operator sets one.

A slot ("room" in names) is the right to have one request pending. A free slot goes to the waiting caller with the
fewest pending requests. Of that caller's tools, the tool with the fewest pending requests is next; of a tool's calls,
the oldest. No tool may hold more than seven eighths of all slots, so a hanging upstream leaves slots for others. If
there are several callers, no caller may hold more than three quarters. Waiting counts towards the call's time. A
request whose response could not come in time is refused with advice for the model.

Invariants: each slot taken is given back exactly once, whatever is cancelled. No request waits while its tool may take
a free slot.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from math import ceil
from typing import TYPE_CHECKING

from ..core import spans
from .client import Failure

if TYPE_CHECKING:
    from ..settings.rate import Rate

    Clock = Callable[[], float]
    Turn = Callable[[int, float, float], Awaitable["tuple[bool, float] | None"]]
    Rest = Callable[[float], Awaitable[None]]


class NoPlaceFree(Failure):
    """The request got no slot within its time. `advice` is a sentence for the model that called the tool."""

    def __init__(self, reason: str, advice: str) -> None:
        super().__init__(reason, sent=False)
        self.advice = advice


def _too_soon(rate: Rate, wait: float) -> NoPlaceFree:
    seconds = max(1, ceil(wait))
    advice = f"Nothing was sent. Call again in {seconds} second{'' if seconds == 1 else 's'}."
    return NoPlaceFree(f"this server sends no more than {rate}", advice)


# 64 hanging calls of one tool, or of one caller, must not keep all others waiting (docs/decisions/requests.md).
class RequestLimiter:
    """Concurrency and rate limiter of one server. Use it inside one event loop; `clock` returns seconds."""

    def __init__(
        self, most: int, rate: Rate | None, clock: Clock, rest: Rest = asyncio.sleep, turn: Turn | None = None
    ) -> None:
        """Allow at most `most` pending requests, and no more requests per time than `rate`.

        `turn` asks the store that replicas share when the next request may be sent (`replicas.sharing.Sharing.turn`).
        """
        self._turn_of_all = turn
        self._share = most - most // 8
        self._part = most - most // 4
        self._free = most
        self._under_way: dict[str, int] = {}
        self._callers: dict[str, int] = {}  # pending requests by caller; "" (the only caller) has no limit, so no entry
        self._waiting: dict[tuple[str, str], deque[asyncio.Future[None]]] = {}
        self._rate = rate
        self._clock = clock
        self._rest = rest
        self._door = asyncio.Lock()  # asyncio.Lock is fair: first come, first served
        self._ahead = 0

    async def enter(self, tool: str, latest: float, caller: str = "") -> None:
        """Wait until a request of this tool may be sent. Raise NoPlaceFree if that would be later than `latest`.

        `latest` is a time of the limiter's `clock`. `caller` is the name of the client, "" if there is only one. After
        success, `leave` must be called.
        """
        who = caller, tool
        if self._rate is None and self._clock() <= latest and self._may_enter(who):
            return self._give(who)  # fast path: a slot is free
        if self._rate is not None:
            self._due(self._rate, latest, self._ahead)  # refuse at once a request that cannot be sent in time
        self._ahead += 1
        try:
            await self._room(who, latest)
            try:
                if self._rate is not None:
                    await self._turn(self._rate, latest)
                self._in_time(latest)
            except BaseException:
                self.leave(tool, caller)
                raise
        finally:
            self._ahead -= 1

    def leave(self, tool: str, caller: str = "") -> None:
        """Free the slot after the request, and admit waiting requests."""
        self._free += 1
        _less(self._under_way, tool)
        if caller:
            _less(self._callers, caller)
        if self._waiting:
            self._admit()

    def _in_time(self, latest: float) -> None:
        if self._clock() > latest:
            raise NoPlaceFree(
                "too little of its time was left for an answer", "Nothing was sent. Calling again is safe."
            )

    def _due(self, rate: Rate, latest: float, ahead: int = 0) -> float:
        """Return the seconds until the rate allows a request that has `ahead` requests before it.

        Raise NoPlaceFree if that moment is later than `latest`.
        """
        now = self._clock()
        due = rate.due(now, ahead)
        if due > latest:
            raise _too_soon(rate, due - now)
        return due - now

    async def _turn(self, rate: Rate, latest: float) -> None:
        if await self._shared(rate, latest):
            return
        async with self._door:
            due = self._clock() + (wait := self._due(rate, latest))
            if wait > 0:
                await self._pause(rate, wait)
            self._in_time(latest)  # the pause may have ended late: check the time again before counting the request
            rate.note(max(due, self._clock()))

    async def _shared(self, rate: Rate, latest: float) -> bool:
        """Wait until the rate limit that all replicas share allows a request. Return False if there is no such limit,
        or if the store of the replicas does not answer.

        Raise NoPlaceFree if the limit allows no request before `latest`.
        """
        if self._turn_of_all is None:
            return False
        turn = await self._turn_of_all(rate.count, rate.seconds, latest - self._clock())
        if turn is None:
            return False
        taken, wait = turn
        if not taken:
            raise _too_soon(rate, wait)
        if wait > 0:
            await self._pause(rate, wait)
        self._in_time(latest)
        rate.note(self._clock())
        return True

    async def _pause(self, rate: Rate, seconds: float) -> None:
        spans.log_to_client("info", f"Waits {seconds:.1f} s, because this server sends no more than {rate}.")
        await self._rest(seconds)

    async def _room(self, who: tuple[str, str], latest: float) -> None:
        if self._may_enter(who):
            self._give(who)
            return
        given: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(who, deque()).append(given)
        try:
            async with asyncio.timeout(max(latest - self._clock(), 0)):
                await given
        except BaseException as problem:
            self._give_up(who, given)
            if isinstance(problem, TimeoutError):
                reason = "too many others were under way for all of its time"
                raise NoPlaceFree(reason, "Nothing was sent. Make fewer calls at a time.") from None
            raise

    def _may_enter(self, who: tuple[str, str]) -> bool:
        caller, tool = who
        if caller and self._callers.get(caller, 0) >= self._part:
            return False
        return self._free > 0 and self._under_way.get(tool, 0) < self._share

    def _give(self, who: tuple[str, str]) -> None:
        caller, tool = who
        self._free -= 1
        self._under_way[tool] = self._under_way.get(tool, 0) + 1
        if caller:
            self._callers[caller] = self._callers.get(caller, 0) + 1

    def _give_up(self, who: tuple[str, str], given: asyncio.Future[None]) -> None:
        """Remove a waiting request. If it was given a slot at this very moment, pass the slot on."""
        if given.done() and not given.cancelled():
            self.leave(who[1], who[0])
        elif given in (queue := self._waiting.get(who, deque())):
            queue.remove(given)
            if not queue:
                del self._waiting[who]

    def _admit(self) -> None:
        """Give the free slots to waiting requests. Pairs of caller and tool come in this order: the caller that holds
        the fewest slots, then the tool that holds the fewest slots, then the pair that was served, or began to wait,
        longest ago.
        """
        while entering := [who for who in self._waiting if self._may_enter(who)]:
            who = min(entering, key=lambda who: (self._callers.get(who[0], 0), self._under_way.get(who[1], 0)))
            queue = self._waiting.pop(who)
            given = queue.popleft()
            if queue:
                # Move the pair to the end of `_waiting`: `min` takes the first of equal pairs, so these take turns.
                self._waiting[who] = queue
            if not given.done():  # a done future was cancelled: its request no longer needs a slot
                self._give(who)
                given.set_result(None)


def _less(counts: dict[str, int], name: str) -> None:
    """Decrease the number of pending requests of `name`, a tool or a caller, by one. Remove the entry at zero."""
    if counts[name] == 1:
        del counts[name]
    else:
        counts[name] -= 1
