"""Calls with the client, the server and the API on one core: what they cost, without what it costs to wake another.

A call goes from the client to the server, to the API and back, and of one call at a time only one of these runs at any
moment. Where they are on several cores each hand-over wakes one that sleeps. On virtual machines that takes as long as
the call itself, and comes and goes with where the system puts whom: medians of the same server differ by half from run
to run. So the same is measured without that, too, for all alike. The bars are those of `calls`.
"""

from __future__ import annotations

import os
from dataclasses import replace

from benchmarks.speed import api, calls, upstream
from benchmarks.speed.figures import Found
from benchmarks.speed.setting import Setting

BODIES = ("small", "medium")
AT_ONCE = (1, 64)
WHERE = ", one core"


def measure(setting: Setting) -> Found:
    """Measure some cases of `calls` on one core."""
    if not hasattr(os, "sched_setaffinity"):
        return Found(notes=["One core: left out, since this system does not let a program choose."])
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})  # started processes inherit the affinity
    try:
        with upstream.serving(api.bodies(), setting.upstream.kind) as served:
            return calls.measured(replace(setting, upstream=served), BODIES, AT_ONCE, WHERE)
    finally:
        os.sched_setaffinity(0, before)
