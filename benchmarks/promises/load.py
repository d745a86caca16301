"""Measure REL-01, REL-02 and REL-14: many calls at once, calls that are never answered, cancelled calls."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from pathlib import Path

from benchmarks.bars import Bar
from benchmarks.promises.session import Session, session, within
from tests.runtime.upstream import serving

SECONDS = 2.0
"""Deadline in seconds of calls that the API never answers."""


async def none_is_lost(project: Path, calls: int = 10_000, at_once: int = 200) -> list[Bar]:
    """Measure REL-01: each of many concurrent calls gets one response, from an API that takes 0 to 50 ms."""
    async with serving(within(0.05)) as upstream, session(project, upstream.port) as server:
        room, answered = asyncio.Semaphore(at_once), Counter[str]()

        async def one(number: int) -> None:
            async with room:
                answered["failed" if (await server.call("get_case", n=number))["isError"] else "ok"] += 1

        began = time.perf_counter()
        await asyncio.gather(*map(one, range(calls)))
        took = time.perf_counter() - began
        print(
            f"{calls:,} calls, {at_once} in flight: {answered['ok']:,} ok, {took:.1f} s, {calls / took:,.0f} a second"
        )
        return [
            Bar("REL-01 calls that were lost or failed", calls - answered["ok"], "<=", 0),
            Bar("REL-01 answers that nobody asked for", server.lost, "<=", 0),
            Bar("REL-01 requests beyond one a call", len(upstream.requests) - calls, "<=", 0),
        ]


async def the_deadline_holds(project: Path, number: int = 50) -> list[Bar]:
    """Measure requirement REL-02: calls that the API never answers end at their deadline, and delay no others."""
    deadline = {"HOSTILE_TIMEOUT": f"{SECONDS:g}"}
    async with serving(within(0.0)) as upstream, session(project, upstream.port, deadline) as server:
        await server.call("get_case", n=1)
        alone = await _slowest(server, number)
        began = time.perf_counter()
        hanging = [asyncio.ensure_future(_timed(server, -each)) for each in range(1, number + 1)]
        await asyncio.sleep(0.2)
        beside = await _slowest(server, number)
        late = [seconds - SECONDS for seconds in await asyncio.gather(*hanging)]
        print(f"{number} hanging calls: all answered after {time.perf_counter() - began:.2f} s")
        print(f"{number} fast ones: the slowest {alone * 1000:.0f} ms alone, {beside * 1000:.0f} ms beside them")
    return [
        Bar("REL-02 seconds from the deadline, the latest", max(late), "<=", 0.3),
        Bar("REL-02 seconds from the deadline, the earliest", min(late), ">=", -0.3),
        Bar("REL-02 seconds that hanging calls delay fast ones", beside - alone, "<=", 0.2),
    ]


async def _slowest(server: Session, number: int) -> float:
    return max(await asyncio.gather(*(_timed(server, each) for each in range(1, number + 1))))


async def _timed(server: Session, number: int) -> float:
    began = time.perf_counter()
    await server.call("get_case", n=number)
    return time.perf_counter() - began


async def cancelled_calls_leave_nothing(project: Path, seconds: float = 8.0, workers: int = 80) -> list[Bar]:
    """Measure requirement REL-14: workers cancel their calls at random times. Their number exceeds the server's
    limit on concurrent calls.

    Then twenty calls must succeed.
    """
    chance, counted = random.Random(7), Counter[str]()
    async with serving(within(0.1)) as upstream, session(project, upstream.port) as server:
        # First open as many connections as the server keeps. Their number must not grow by the connections of cancelled
        # calls.
        await asyncio.gather(*(server.call("get_case", n=each) for each in range(workers * 2)))
        await _settled(server)
        before, end = server.descriptors(), time.monotonic() + seconds

        async def work() -> None:
            while time.monotonic() < end:
                id_, answer = server.begin("tools/call", name="get_case", arguments={"n": 1})
                try:
                    await asyncio.wait_for(answer, chance.uniform(0, 0.4))
                    counted["answered"] += 1
                except TimeoutError:
                    server.cancel(id_)
                    counted["cancelled"] += 1

        await asyncio.gather(*(work() for _ in range(workers)))
        results = await asyncio.gather(*(server.call("get_case", n=each) for each in range(20)))
        await _settled(server)
        print(
            f"{counted['answered']:,} answered, {counted['cancelled']:,} cancelled; {before} descriptors before, ",
            end="",
        )
        print(f"{server.descriptors()} after")
        return [
            Bar("REL-14 of 20 calls after it, those that fail", sum(each["isError"] for each in results), "<=", 0),
            Bar("REL-14 descriptors more than before it", server.descriptors() - before, "<=", 2),
        ]


async def _settled(server: Session) -> None:
    """Wait until the server has closed the unused connections beyond those that it keeps for later calls."""
    known = -1
    while known != (known := server.descriptors()):
        await asyncio.sleep(1)
