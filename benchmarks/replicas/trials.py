"""Trials with replicas. Each trial returns counts; failures are counted and not raised."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from itertools import count, takewhile
from typing import Any

import aiohttp

from benchmarks.replicas.client import OLDER, Client, events
from benchmarks.replicas.rig import Rig

_NUMBERS = count(1)


@dataclass
class Figures:
    """Number of tries and successes of a trial, and the number of failures for each message."""

    tried: int = 0
    well: int = 0
    faults: Counter[str] = field(default_factory=Counter)

    def fault(self, words: str) -> None:
        """Count a failure by its message."""
        self.faults[words[:160]] += 1


async def confirmations(rig: Rig, http: aiohttp.ClientSession, revision: str, most: int, together: int = 16) -> Figures:
    """Make `most` calls that ask the user for confirmation. Confirm and decline them alternately.

    The API must get each confirmed call once, and no declined call.
    """
    figures = Figures()
    client = await _client(rig, http, revision)

    async def one(number: int) -> None:
        name, say = f"confirmed-{next(_NUMBERS)}", ("accept", "decline")[number % 2]
        figures.tried += 1
        try:
            told = json.dumps(await client.confirmed("delete_thing", {"name": name}, say))
        except (RuntimeError, aiohttp.ClientError, TimeoutError) as problem:
            figures.fault(f"{type(problem).__name__}: {problem}")
            return
        sent = rig.upstream.seen["DELETE", name]
        if (say == "accept") == (f"DELETE {name}" in told) and sent == int(say == "accept"):
            figures.well += 1
        else:
            figures.fault(f"{say}, sent {sent} times: {told}")

    await _many(one, range(most), together)
    return figures


async def calls(
    rig: Rig,
    http: aiohttp.ClientSession,
    revision: str,
    least: int,
    together: int = 16,
    seconds: float = 0.0,
    enough: Callable[[], bool] = lambda: True,
) -> Figures:
    """Make at least `least` calls, and go on until `enough` is set. Each call must get the API's response."""
    figures = Figures()
    client = await _client(rig, http, revision)

    async def one(number: int) -> None:
        name = f"called-{next(_NUMBERS)}"
        figures.tried += 1
        try:
            told = json.dumps(await client.call("get_thing", {"name": name, "seconds": seconds}))
        except (RuntimeError, aiohttp.ClientError, TimeoutError, ValueError) as problem:
            figures.fault(f"{type(problem).__name__}: {problem}")
            return
        if f"GET {name}" in told:
            figures.well += 1
        else:
            figures.fault(told)

    await _many(one, takewhile(lambda number: number < least or not enough(), count()), together)
    return figures


async def rolling(rig: Rig, http: aiohttp.ClientSession, revision: str, restarts: int, least: int) -> Figures:
    """Make calls while each replica in turn is ended and restarted. No call may be lost."""
    left = restarts
    going = asyncio.create_task(calls(rig, http, revision, least, seconds=0.1, enough=lambda: left == 0))
    while left:
        which = left % len(rig.replicas)
        rig.begin_to_end(which)
        await rig.restart(which)
        left -= 1
    return await going


async def killed(rig: Rig, http: aiohttp.ClientSession, revision: str, kills: int, every: float = 5.0) -> Figures:
    """Make calls while replicas are killed.

    Only calls running on a killed replica may fail, and the client must get an error for each failed call.
    """
    whole = Figures()
    going = True

    async def go_on() -> None:
        while going:
            found = await calls(rig, http, revision, 50, together=8, seconds=0.02)
            whole.tried += found.tried
            whole.well += found.well
            whole.faults += found.faults

    task = asyncio.create_task(go_on())
    for number in range(kills):
        await asyncio.sleep(every)
        which = number % len(rig.replicas)
        rig.kill(which)
        await rig.restart(which)
    going = False
    await task
    return whole


async def without_store(rig: Rig, http: aiohttp.ClientSession, revision: str, most: int) -> dict[str, Figures]:
    """Make calls and confirmations while the store is stopped, and again after its restart."""
    rig.stop_store()
    away = await calls(rig, http, revision, most)
    asked = await confirmations(rig, http, revision, 4, together=2)
    rig.start_store()
    await asyncio.sleep(4)  # a replica tries the store again one second after a failure, and then subscribes again
    back = await confirmations(rig, http, revision, most)
    return {"calls, store away": away, "confirmations, store away": asked, "confirmations, store back": back}


async def resumed(rig: Rig, http: aiohttp.ClientSession, most: int) -> Figures:
    """Close the connection when a call has sent a question to the user (elicitation), and resume the call's stream.

    The balancer picks the replica that gets the answer, and the one that resumes the stream.
    """
    figures = Figures()
    for _ in range(most):
        figures.tried += 1
        client = await _client(rig, http, OLDER)
        name = f"resumed-{next(_NUMBERS)}"
        message = client.request("tools/call", {"name": "delete_thing", "arguments": {"name": name}})
        last, question = "", None
        async with client.post(message) as answer:
            async for id_, data in events(answer):
                last = id_
                if data:
                    question = json.loads(data)
                    break
            answer.close()
        if question is None:
            figures.fault("no question came")
            continue
        reply = {"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {}}}
        async with client.post(reply) as taken:
            taken.raise_for_status()
        told = await _resume(rig, http, client, last)
        if f"DELETE {name}" in json.dumps(told) and len(told) == 1 and rig.upstream.seen["DELETE", name] == 1:
            figures.well += 1
        else:
            figures.fault(json.dumps(told))
    return figures


async def _resume(rig: Rig, http: aiohttp.ClientSession, client: Client, last: str) -> list[Any]:
    headers = {
        "Accept": "text/event-stream",
        "Mcp-Session-Id": client.session,
        "MCP-Protocol-Version": OLDER,
        "Last-Event-ID": last,
    }
    async with http.get(rig.balanced, headers=headers) as answer:
        if answer.status != 200:
            return [answer.status, await answer.text()]
        return [json.loads(data) async for _, data in events(answer) if data]


async def until(holds: Callable[[], Awaitable[bool]], seconds: float = 30.0) -> None:
    """Wait until `holds` returns True. Raise TimeoutError if it does not within `seconds`."""
    async with asyncio.timeout(seconds):
        while not await holds():
            await asyncio.sleep(0.02)


async def _client(rig: Rig, http: aiohttp.ClientSession, revision: str) -> Client:
    client = Client(http, rig.balanced, revision)
    await client.begin()
    return client


async def _many(one: Any, numbers: Iterable[int], together: int) -> None:
    left = iter(numbers)

    async def some() -> None:
        for number in left:
            await one(number)

    await asyncio.gather(*(some() for _ in range(together)))
