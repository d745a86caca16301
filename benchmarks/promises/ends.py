"""Measure requirement REL-05: how soon a server ends, and that it never outlives its client."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from pathlib import Path

from benchmarks.bars import Bar
from benchmarks.promises.session import session, within
from tests.hostile.subject import BASE, PACKAGE
from tests.leaks import planted
from tests.runtime.process import call
from tests.runtime.upstream import serving

DRAIN = 1.5
AGES = 60.0
_CLIENT = """
import subprocess, sys, time
server = subprocess.Popen([sys.executable, "-m", sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
server.stdin.write(sys.argv[2].encode() + b"\\n")
server.stdin.flush()
print(server.pid, flush=True)
time.sleep(60)
"""


async def ends_in_time(project: Path, rounds: int = 50) -> list[Bar]:
    """Measure requirement REL-05: how soon a server ends after stdin is closed, while idle, and during a call that is
    never answered.
    """
    idle, busy = [], []
    async with serving(within(0.0)) as upstream:
        for turn in range(rounds):
            async with session(project, upstream.port) as server:
                await server.call("get_case", n=turn)
                idle.append(await _timed(server.end()))
        for _ in range(5):
            async with session(project, upstream.port) as server:
                await server.call("get_case", n=1)
                server.begin("tools/call", name="get_case", arguments={"n": -1})
                busy.append(await _timed(server.end()))
    return [
        Bar("REL-05 seconds to the exit, idle, at most", max(idle), "<=", 0.5),
        Bar("REL-05 seconds to the exit, busy, at most", max(busy), "<=", DRAIN + 0.5),
    ]


async def _timed(ending: object) -> float:
    began = time.perf_counter()
    assert await ending == 0  # type: ignore[misc]
    return time.perf_counter() - began


async def no_orphans(project: Path, cycles: int = 200, at_once: int = 4) -> list[Bar]:
    """Measure requirement REL-05: servers end if their client is killed (SIGKILL) at a random time during a call."""
    async with serving(within(0.0)) as upstream:
        room, left = asyncio.Semaphore(at_once), []

        async def one(cycle: int) -> None:
            async with room:
                left.append(await outlived(project, upstream.port, cycle % 5 / 10))

        await asyncio.gather(*map(one, range(cycles)))
    print(f"{cycles} clients killed: their servers ended {max(left):.2f} s later at most")
    return [Bar(f"REL-05 orphans a second after, of {cycles}", sum(seconds > 1 for seconds in left), "<=", 0)]


async def outlived(project: Path, port: int, patience: float) -> float:
    """Return how many seconds a server lived after its client was killed, or 60 if it did not end."""
    said = json.loads(call(1, "get_case", n=-1))
    client = await asyncio.create_subprocess_exec(
        *(sys.executable, "-S", "-c", _CLIENT, PACKAGE, json.dumps(said)),
        cwd=project,
        env={**planted("HOSTILE"), "HOSTILE_BASE_URL": f"http://127.0.0.1:{port}{BASE}"},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    assert client.stdout is not None
    server = int(await client.stdout.readline())
    await asyncio.sleep(patience)
    client.kill()
    await client.wait()
    began = time.perf_counter()
    while _lives(server):
        if time.perf_counter() - began > AGES:
            os.kill(server, signal.SIGKILL)
            return AGES
        await asyncio.sleep(0.01)
    return time.perf_counter() - began


def _lives(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"
