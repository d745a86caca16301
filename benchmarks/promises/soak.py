"""Measure requirement REL-06: memory and file descriptors stay constant during three minutes at 200 calls a second."""

from __future__ import annotations

import asyncio
import statistics
import time
from pathlib import Path

from benchmarks.bars import Bar
from benchmarks.promises.session import Session, session, within
from tests.runtime.upstream import serving

WARM = 0.2
"""Fraction of the total time that counts as warm-up."""
_LEVELS = "▁▂▃▄▅▆▇█"


async def the_line_is_flat(project: Path, seconds: float = 180.0, rate: int = 200) -> list[Bar]:
    """Measure requirement REL-06: sample the memory in MiB and the number of file descriptors every second."""
    samples: list[tuple[float, float, int]] = []
    failed = 0
    async with serving(within(0.02)) as upstream, session(project, upstream.port) as server:
        began = time.perf_counter()

        async def one(number: int) -> None:
            nonlocal failed
            failed += (await server.call(("get_case", "get_case_structured")[number % 2], n=number))["isError"]

        calls = []
        for number in range(int(seconds * rate)):
            calls.append(asyncio.ensure_future(one(number)))
            if number % rate == 0:
                samples.append(_sample(server, began))
            await asyncio.sleep(max(0.0, began + number / rate - time.perf_counter()))
        await asyncio.gather(*calls)
        samples.append(_sample(server, began))
    warm = [sample for sample in samples if sample[0] > seconds * WARM]
    slope = statistics.linear_regression([each[0] / 60 for each in warm], [each[1] for each in warm]).slope
    held = [each[1] for each in samples]
    print(f"{len(calls):,} calls in {samples[-1][0]:.0f} s; MiB, from 0 to {max(held):.1f}:")
    print(f"  {_plot(held)}")
    print(f"once warm: {min(each[1] for each in warm):.1f} to {max(each[1] for each in warm):.1f} MiB")
    print(f"descriptors: {min(each[2] for each in warm)} to {max(each[2] for each in warm)}")
    return [
        Bar("REL-06 MiB that a minute adds", slope, "<=", 1),
        Bar("REL-06 descriptors more at the end than once warm", warm[-1][2] - warm[0][2], "<=", 2),
        Bar("REL-06 calls that failed", failed, "<=", 0),
    ]


def _sample(server: Session, began: float) -> tuple[float, float, int]:
    return time.perf_counter() - began, server.resident(), server.descriptors()


def _plot(values: list[float], width: int = 72) -> str:
    """Return the values as a text plot of `width` columns, from 0 to the maximum."""
    step = max(1, len(values) // width)
    columns = [max(values[at : at + step]) for at in range(0, len(values), step)]
    return "".join(_LEVELS[min(7, int(value / max(values) * 7.999))] for value in columns)
