"""Measure requirement REL-02: how much ordinary calls are delayed by demanding calls, of which one runs at a time."""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.bars import Bar
from benchmarks.promises.session import Session, session
from tests.hostile.subject import compiled
from tests.hostile.test_work import TOOLS, filters, many, nested, rules
from tests.runtime.upstream import OK, Connection, serving

AT_ONCE = 4
SECONDS = 4.0
HOSTILE: dict[str, tuple[str, dict[str, Any]]] = {
    "a recursive union, wrong at depth 60": ("search", {"filter": filters(60)}),
    "a union of references, wrong at depth 60": ("search", {"rule": rules(60)}),
    "99,000 unknown names": ("search", many(99_000)),
    "95,000 wrong items": ("create", {"tags": ["x"] * 95_000}),
    "95,000 right items": ("create", {"tags": [1] * 95_000}),
    "7 MB of items": ("create", {"tags": [1] * 2_300_000}),
    "7 MB of text": ("create", {"more": {"text": "x" * 7_000_000}}),
    "20,000 fields of a form": ("save", {"tags": [1] * 19_000}),
    "20,000 parts": ("upload", {"tags": [1] * 19_000}),
    "20,000 elements": ("export", {"tags": [1] * 19_000}),
    "deep names of 20,000 fields": ("save", {"more": nested(60, [1] * 19_000)}),
}
"""Name of a hostile call → its tool and arguments."""
_LARGE = json.dumps([{"id": number, "name": "row", "tags": [[]] * 5} for number in range(60_000)]).encode()
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"


async def _play(connection: Connection) -> None:
    while request := await connection.request():
        is_large = b"?n=2 " in request
        await connection.send(_HEAD % len(_LARGE) + _LARGE if is_large else OK)


async def _ordinary(server: Session, until: float) -> list[float]:
    """Make ordinary calls one after another until the time `until`, and return the milliseconds of each."""
    found = []
    while time.perf_counter() < until:
        began = time.perf_counter()
        await server.call("get_case", n=1)
        found.append((time.perf_counter() - began) * 1000)
    return found


async def _percentile(server: Session, tool: str = "", arguments: dict[str, Any] | None = None) -> float:
    """Return the 99th percentile of ordinary calls in milliseconds, while `tool` is called repeatedly.

    Without `tool`, no other call runs.
    """
    until = time.perf_counter() + SECONDS
    calls = [asyncio.ensure_future(_ordinary(server, until)) for _ in range(AT_ONCE)]
    while tool and time.perf_counter() < until:
        await server.call(tool, **(arguments or {}))
        await asyncio.sleep(0.5)
    found = sorted(taken for each in await asyncio.gather(*calls) for taken in each)
    return found[len(found) * 99 // 100]


async def hostile_calls_delay_nobody(project: Path) -> list[Bar]:
    """Measure REL-02: hostile calls delay no other calls. `project` is ignored: the calls need tools of their own."""
    bars = []
    with tempfile.TemporaryDirectory() as folder:
        made = await asyncio.to_thread(compiled, Path(folder), TOOLS)
        async with serving(_play) as upstream, session(made, upstream.port) as server:
            await _percentile(server)
            alone = await _percentile(server)
            beside = {**HOSTILE, "answers of 8 MB": ("get_case", {"n": 2})}
            for what, (tool, arguments) in beside.items():
                ratio = await _percentile(server, tool, arguments) / alone
                bars.append(Bar(f"REL-02 99th percentile beside {what}, times alone", ratio, "<=", 3))
            bars.append(Bar("REL-02 99th percentile alone, ms", alone, "<=", 100))
    return bars
