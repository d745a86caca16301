"""Measure calls over stdio: how many a second, the time of each, and the CPU time, with one or many calls in flight.

All servers run all the time and call the same API; idle servers use no CPU. Our server checks the arguments of every
call. FastMCP's by default does not, and so has less work. FastMCP sends every result twice, as text and as structured
value. If our server has no output schemas, it is compared with FastMCP's without output schemas.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from itertools import product
from typing import Protocol

from benchmarks.speed import api
from benchmarks.speed.alone import Alone
from benchmarks.speed.figures import Found
from benchmarks.speed.pipe import Client, Flow, shake_hands
from benchmarks.speed.process import Process, Subject
from benchmarks.speed.programs import ALONE, GENERATOR_NAME, STRUCTURED, Programs
from benchmarks.speed.setting import Setting
from benchmarks.speed.turns import in_turns

ROUNDS = 5
AT_ONCE = (1, 16, 64)
BODIES = {"small": "200 B", "medium": "10 kB", "large": "1 MB"}
WHOLE = "250k tokens, 64 MiB"
"""Settings by which our servers show a body of 1 MB completely, as the other servers do."""
PATIENT = "300"
"""Timeout in seconds of our calls, because 64 large concurrent calls wait for each other."""
SELDOM = 2
"""Number of rounds for many large bodies at a time. Such rounds take long."""
CALIBRATION = 4
TYPED, THEIR_TYPED = "mcpgen --structured", "FastMCP, output schemas"
BARS = {
    ("small", "mcpgen", "FastMCP", 1): (4.5, 8),
    ("small", "mcpgen", "FastMCP", 64): (10, 18),
    ("medium", "mcpgen", "FastMCP", 1): (5, 9),
    ("medium", "mcpgen", "FastMCP", 64): (10, 18),
    ("large", "mcpgen", "FastMCP", 1): (15, 40),
    ("large", "mcpgen", "FastMCP", 64): (25, 60),
    ("small", TYPED, THEIR_TYPED, 1): (4.5, 8),
    ("small", TYPED, THEIR_TYPED, 64): (10, 15),
    ("medium", TYPED, THEIR_TYPED, 1): (3, 8),
    ("medium", TYPED, THEIR_TYPED, 64): (5, 15),
    ("large", TYPED, THEIR_TYPED, 1): (4, 15),
    ("large", TYPED, THEIR_TYPED, 64): (6, 20),
    ("small", "mcpgen", ALONE, 1): (0.25, 0.45),
    ("small", "mcpgen", ALONE, 16): (0.45, 0.6),
    ("small", "mcpgen", ALONE, 64): (0.5, 0.65),
    ("medium", "mcpgen", ALONE, 1): (0.25, 0.6),
    ("medium", "mcpgen", ALONE, 16): (0.4, 0.6),
    ("medium", "mcpgen", ALONE, 64): (0.4, 0.6),
    ("large", "mcpgen", ALONE, 1): (0.1, 0.6),
    ("large", "mcpgen", ALONE, 16): (0.05, 0.6),
    ("large", "mcpgen", ALONE, 64): (0.1, 0.6),
}
"""Size of the body, our program, the other one, and calls in flight → lower limit on the ratio of calls per second, and
the goal. Large and structured answers are far from their goals: several passes over their bytes stand where one would
do. Beside bare aiohttp, a server also reads and writes JSON-RPC. A lone call on several cores mostly waits for cores
that wake up, in all servers alike: see `core`.
"""
UNITS: dict[str, Callable[[Flow], float]] = {
    "calls/s": lambda flow: flow.rate,
    "ms p50": lambda flow: flow.quantile(0.5) * 1000,
    "ms p99": lambda flow: flow.quantile(0.99) * 1000,
    "ms CPU": lambda flow: flow.cpu_each * 1000,
}


class Source(Protocol):
    """Interface of a program that makes calls: the client of a server, or an event loop that calls the API without any
    server, as the lower limit of a call's time.
    """

    def flow(self, calls: int, at_once: int) -> Flow: ...


def measure(setting: Setting) -> Found:
    """Measure every size of body with every number of concurrent calls."""
    return measured(setting, tuple(BODIES), AT_ONCE)


def measured(setting: Setting, bodies: tuple[str, ...], numbers: tuple[int, ...], where: str = "") -> Found:
    """Measure calls with response bodies of these sizes, at these numbers of concurrent calls.

    `where`: suffix of the names of cases.
    """
    cases: dict[tuple[str, str], Callable[[], Flow]] = {}
    seldom: dict[tuple[str, str], int] = {}
    with ExitStack() as stack:
        running = dict(_running(setting, stack))
        for size, at_once in product(bodies, numbers):
            for name, sources in running.items():
                if setting.quick and size == "large" and at_once > 1:
                    continue
                key = _case(BODIES[size], at_once, where), name
                cases[key] = make_round(sources[size], at_once, setting.seconds)
                if size == "large":
                    seldom[key] = SELDOM
        taken = in_turns(cases, setting.rounds, seldom)
    found = Found()
    for (case, name), flows in taken.items():
        for unit, value in UNITS.items():
            found.add(case, name, unit, [value(flow) for flow in flows])
    _bars(found, where)
    return found


def _case(body: str, at_once: int, where: str) -> str:
    return f"{body}, {at_once} at a time{where}"


def _running(setting: Setting, stack: ExitStack) -> Iterator[tuple[str, dict[str, Source]]]:
    """Start each measured server. Yield its name, and a mapping from size of response body to the client for it."""
    calls = {size: api.calls()[size] for size in BODIES}
    for subject in _subjects(setting.programs, setting.upstream.url):
        server = stack.enter_context(Process(subject))
        shake_hands(server)
        exact = subject.name != GENERATOR_NAME
        yield subject.name, {size: Client(server, call, exact) for size, call in calls.items()}
    alone = stack.enter_context(Process(setting.programs.loop(setting.upstream.url)))
    yield alone.name, {size: Alone(alone, call) for size, call in calls.items()}


def _subjects(programs: Programs, url: str) -> list[Subject]:
    return [
        programs.ours(url, MAX_RESULT=WHOLE, TIMEOUT=PATIENT),
        replace(programs.ours(url, STRUCTURED, MAX_RESULT=WHOLE, TIMEOUT=PATIENT), name=TYPED),
        programs.theirs(url, TEXT="1"),
        replace(programs.theirs(url), name=THEIR_TYPED),
        programs.lowlevel(url),
        *programs.generator(url),
        programs.proxy(url),
    ]


def make_round(source: Source, at_once: int, seconds: float) -> Callable[[], Flow]:
    """Return a function that makes as many calls as take about `seconds`, but at least `at_once`."""
    calls = 0

    def run() -> Flow:
        nonlocal calls
        if not calls:
            source.flow(CALIBRATION, CALIBRATION)
            calls = max(int(source.flow(CALIBRATION, CALIBRATION).rate * seconds), at_once, CALIBRATION)
        return source.flow(calls, at_once)

    return run


def _bars(found: Found, where: str) -> None:
    for (size, ours, theirs, at_once), (bar, goal) in BARS.items():
        case = _case(BODIES[size], at_once, where)
        mine, other = found.median(case, ours, "calls/s"), found.median(case, theirs, "calls/s")
        found.at_least(bar, f"{case}: {ours} / {theirs}", mine, other, goal)
