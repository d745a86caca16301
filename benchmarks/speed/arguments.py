"""Measure the CPU time of a call whose 30 arguments are all checked against their schemas, one call at a time.

FastMCP checks them with `strict_input_validation`. The SDK's server uses the same validator library as ours.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack

from benchmarks.speed import api
from benchmarks.speed.calls import make_round
from benchmarks.speed.figures import Found
from benchmarks.speed.pipe import Client, Flow, shake_hands
from benchmarks.speed.process import Process
from benchmarks.speed.programs import GENERATOR_NAME
from benchmarks.speed.setting import Setting
from benchmarks.speed.turns import in_turns

ROUNDS = 5
CASE = f"{api.WIDE} arguments"


def measure(setting: Setting) -> Found:
    """Measure the milliseconds of CPU per call, and the calls per second."""
    programs, url = setting.programs, setting.upstream.url
    subjects = [programs.ours(url), programs.theirs(url, STRICT="1"), programs.lowlevel(url), *programs.generator(url)]
    cases: dict[str, Callable[[], Flow]] = {}
    with ExitStack() as stack:
        for subject in subjects:
            server = stack.enter_context(Process(subject))
            shake_hands(server)
            client = Client(server, api.calls()["wide"], subject.name != GENERATOR_NAME)
            cases[subject.name] = make_round(client, 1, setting.seconds)
        taken = in_turns(cases, setting.rounds)
    found = Found()
    for name, flows in taken.items():
        found.add(CASE, name, "ms CPU", [flow.cpu_each * 1000 for flow in flows])
        found.add(CASE, name, "calls/s", [flow.rate for flow in flows])
    return found
