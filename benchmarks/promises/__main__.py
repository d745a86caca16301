"""Measure how well a generated server keeps its reliability guarantees. Each has an id, such as REL-01.

    python -m benchmarks.promises [--promise REL-01]... [--seconds N]

    REL-01 10,000 calls, 200 in flight, none lost
    REL-02 a hanging call ends in time and delays no other
    REL-03 memory under decompression bombs and floods
    REL-04 the API gets no POST twice
    REL-05 the server ends with its client, in time
    REL-06 three minutes at 200 calls a second: constant memory
    REL-07 random lines and responses for a minute
    REL-08 200 runs of `generate` killed, no project half written
    REL-10 two runs of `generate` at once, no mix of their files
    REL-12 5,000 tools: start, list, memory
    REL-14 cancelled calls leave nothing behind
    REL-15 locale, encodings, time zone and home change no answer

`--promise` selects a guarantee; by default all of these are measured. tests/requirements.py lists the other guarantees.
`--seconds` is the length of the run of REL-06, and of the random input of REL-07. The measured values are valid only if
nothing else runs on the machine.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "templates")]

from benchmarks.bars import Bar, show  # noqa: E402
from benchmarks.promises import beside, ends, load, memory, restarts, soak, surroundings, writes  # noqa: E402
from tests.hostile.subject import compiled  # noqa: E402

Measure = Callable[[Path], Awaitable[list[Bar]]]


def measures(seconds: float | None) -> dict[str, list[Measure]]:
    """Return a mapping from the number of each guarantee to the functions that measure it."""

    async def fuzz(project: Path) -> list[Bar]:
        command = [sys.executable, "-m", "tests.hostile.fuzz", "--seconds", f"{seconds or 60:g}"]
        done = await asyncio.to_thread(subprocess.run, command, cwd=ROOT, check=False)
        return [Bar("REL-07 runs of the fuzz that found something", done.returncode, "<=", 0)]

    return {
        "REL-01": [load.none_is_lost],
        "REL-02": [load.the_deadline_holds, beside.hostile_calls_delay_nobody],
        "REL-03": [memory.stays_small],
        "REL-04": [restarts.post_is_sent_at_most_once],
        "REL-05": [ends.ends_in_time, ends.no_orphans],
        "REL-06": [lambda project: soak.the_line_is_flat(project, seconds or 180)],
        "REL-07": [fuzz],
        "REL-08": [writes.killed],
        "REL-10": [writes.at_once],
        "REL-12": [surroundings.many_tools],
        "REL-14": [load.cancelled_calls_leave_nothing],
        "REL-15": [surroundings.nothing_around_it_matters],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--promise", action="append", choices=sorted(measures(None)), help="only this one; repeatable")
    parser.add_argument("--seconds", type=float)
    options = parser.parse_args()
    bars: list[Bar] = []
    with tempfile.TemporaryDirectory() as folder:
        project = compiled(Path(folder))
        for promise, each in measures(options.seconds).items():
            for measure in each if promise in (options.promise or [promise]) else ():
                bars += asyncio.run(measure(project))  # type: ignore[arg-type]
    print()
    return show(bars)


if __name__ == "__main__":
    sys.exit(main())
