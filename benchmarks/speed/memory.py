"""Memory: the most that a server has held (peak RSS), and its fair share of it then (PSS), until the first list, after
a call, and under 64 calls at a time. A fresh process each time."""

from __future__ import annotations

from collections.abc import Callable

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
    """All three moments of each server."""
    programs, url = setting.programs, setting.upstream.url
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
