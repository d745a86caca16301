"""Measure calls with client, server and API on one CPU core, without the cost of waking another core.

A call goes from the client to the server, to the API and back. With one call at a time only one of these processes
runs. On several cores, each hand-over wakes a sleeping core. On virtual machines that takes as long as the call itself,
and varies with the placement of processes: medians of one server differ by half between runs. So this family repeats
cases of `calls` and `http_calls` without that cost, and checks limits on ratios of calls per second.
"""

from __future__ import annotations

import os
from dataclasses import replace

from benchmarks.speed import api, calls, http_calls, upstream
from benchmarks.speed.figures import Found
from benchmarks.speed.programs import HTTP
from benchmarks.speed.setting import Setting

BODIES = ("small", "medium")
AT_ONCE = (1, 64)
WHERE = ", one core"
BARS = {**http_calls.BARS, (HTTP, "FastMCP"): 4.5}
"""As `http_calls.BARS`. The client and the API use the same core, so a lone call of ours gains less of its time."""


def measure(setting: Setting) -> Found:
    """Repeat measurements on one CPU core: over stdio with the response sizes in BODIES, AT_ONCE calls at a time, and
    over HTTP with one connection.

    Return only a note if the operating system cannot bind processes to a core.
    """
    if not hasattr(os, "sched_setaffinity"):
        return Found(notes=["One core: left out, since this system does not let a program choose."])
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})  # servers and clients that are started later inherit this affinity
    try:
        with upstream.serving(api.bodies(), setting.upstream.kind) as served:
            bound = replace(setting, upstream=served)
            found = calls.measured(bound, BODIES, AT_ONCE, WHERE)
            over_http = http_calls.measured(bound, (1,), WHERE, BARS)
            found.figures += over_http.figures
            found.bars += over_http.bars
            return found
    finally:
        os.sched_setaffinity(0, before)
