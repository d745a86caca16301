"""Measure the peak memory of a server (RSS) and its current share of memory (PSS) at three moments.

The moments are: after the first list, after a call, and after 512 calls, 64 at a time. Each round starts new
processes. Before the first round, Linux drops its cache of libraries, which are then read from disk as after a boot.
Otherwise the result would be too high: Linux's cache divides a file that was just written into larger blocks than a
file that was read from disk. If a process touches one page of a block, the whole block counts as its memory.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from benchmarks.speed import api
from benchmarks.speed.figures import Found
from benchmarks.speed.pipe import Client
from benchmarks.speed.process import HANDSHAKE, LIST, LIST_ID, Process, Subject
from benchmarks.speed.programs import GENERATOR_NAME
from benchmarks.speed.setting import Setting
from benchmarks.speed.turns import in_turns

ROUNDS = 5
AT_ONCE, CALLS = 64, 512
LISTED, CALLED, LOADED = "until the first list", "after a call", f"under {AT_ONCE} at a time"
BARS = {LISTED: 0.12, CALLED: 0.40, LOADED: 0.45}
PEAK, SHARE = "MiB peak RSS", "MiB PSS"


def measure(setting: Setting) -> Found:
    """Measure each server after the first list of tools, after a call, and after CALLS calls, AT_ONCE at a time."""
    programs, url = setting.programs, setting.upstream.url
    _forget([programs.servers, programs.fastmcp, programs.sdk])
    subjects = [programs.ours(url), programs.theirs(url), programs.lowlevel(url), *programs.generator(url)]
    found = Found()
    for name, samples in in_turns({each.name: _life(each) for each in subjects}, setting.rounds).items():
        for case in BARS:
            found.add(case, name, PEAK, [sample[case][0] for sample in samples])
            found.add(case, name, SHARE, [sample[case][1] for sample in samples])
    for case, bar in BARS.items():
        ours, theirs = (found.median(case, name, PEAK) for name in ("mcpgen", "FastMCP"))
        found.at_most(bar, f"{case}: mcpgen / FastMCP", ours, theirs)
    return found


def _forget(environments: Iterable[Path]) -> None:
    """Make the operating system drop `.so` files from its page cache, if it supports that."""
    if not hasattr(os, "posix_fadvise"):
        return
    os.sync()  # the cache keeps pages that are not yet written to disk, so write them first
    for library in (path for each in environments for path in each.rglob("*.so*")):
        descriptor = os.open(library, os.O_RDONLY)
        try:
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(descriptor)


def _life(subject: Subject) -> Callable[[], dict[str, tuple[float, float]]]:
    def run() -> dict[str, tuple[float, float]]:
        with Process(subject) as server:
            server.write(HANDSHAKE + LIST)
            server.until(LIST_ID)
            seen = {LISTED: (server.peak(), server.share())}
            client = Client(server, api.calls()["small"], subject.name != GENERATOR_NAME)
            client.first()
            seen[CALLED] = server.peak(), server.share()
            client.flow(CALLS, AT_ONCE)
            return {**seen, LOADED: (server.peak(), server.share())}

    return run
