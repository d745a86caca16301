"""Measure the lower limit of a call's time: an aiohttp client in a bare event loop, without protocol or tools.

BASE_URL is the URL of the API. For a line `CALLS AT_ONCE TARGET BYTES` on stdin, the program requests the target CALLS
times, AT_ONCE at a time, and checks the size of each body. The answer is a line of JSON with the total seconds and the
latency of each call.
"""

import asyncio
import json
import os
import sys
import time

import aiohttp


async def run(session: aiohttp.ClientSession, calls: int, at_once: int, target: str, size: int) -> None:
    latencies: list[float] = []

    async def work() -> None:
        while len(begun) < calls:
            begun.append(None)
            started = time.perf_counter()
            async with session.get(target) as response:
                body = await response.read()
            if response.status != 200 or len(body) != size:
                raise RuntimeError(f"{target}: {response.status}, {len(body)} bytes")
            latencies.append(time.perf_counter() - started)

    begun: list[None] = []
    began = time.perf_counter()
    await asyncio.gather(*(work() for _ in range(at_once)))
    print(json.dumps({"seconds": time.perf_counter() - began, "latencies": latencies}), flush=True)


async def main() -> None:
    key = {"X-API-Key": os.environ["KEY"]}
    async with aiohttp.ClientSession(os.environ["BASE_URL"], headers=key) as session:
        while line := await asyncio.to_thread(sys.stdin.readline):
            calls, at_once, target, size = line.split()
            await run(session, int(calls), int(at_once), target, int(size))


asyncio.run(main())
