"""Measure the start: how long an MCP host waits for the first list of tools, and for the first call, after it starts a
server.

Both measurements begin with the handshake, and the client writes all lines at once. For comparison, `python -c pass` is
measured in our servers' environment.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable

from benchmarks.speed import api
from benchmarks.speed.figures import Found
from benchmarks.speed.pipe import check, request
from benchmarks.speed.process import FIRST_ID, HANDSHAKE, LIST, LIST_ID, Process, Subject
from benchmarks.speed.programs import MANY
from benchmarks.speed.setting import Setting
from benchmarks.speed.turns import in_turns

ROUNDS = 15
BARE = "python -c pass"
FEW_TOOLS, MANY_TOOLS, CALL = "first list, 20 tools", "first list, 1,200 tools", "first call"
MODULE = "mcpgen, python -m"
SELDOM = 2
"""Number of rounds of FastMCP with 1,200 tools. Each takes many seconds."""

Case = tuple[str, str]


def measure(setting: Setting) -> Found:
    """Measure the milliseconds from the start of each server to its response to `tools/list` or to a call."""
    programs, url = setting.programs, setting.upstream.url
    slow = (MANY_TOOLS, "FastMCP")
    cases: dict[Case, Callable[[], float]] = {(BARE, BARE): lambda: _bare(programs.python)}
    peers = [programs.theirs(), programs.lowlevel(), *programs.generator()]
    for subject in [programs.ours(), *peers]:
        cases[FEW_TOOLS, subject.name] = _list(subject)
    cases[FEW_TOOLS, MODULE] = _list(programs.ours(module=True))
    cases[MANY_TOOLS, "mcpgen"] = _list(programs.ours(name=MANY))
    cases[MANY_TOOLS, MODULE] = _list(programs.ours(name=MANY, module=True))
    cases[slow] = _list(programs.theirs(document=programs.many))
    for subject in [programs.ours(url), programs.theirs(url), programs.lowlevel(url), *programs.generator(url)]:
        cases[CALL, subject.name] = _call(subject)
    if setting.quick:
        del cases[slow]
    found = Found(notes=[f"The 1,200 tools are those of {programs.many_name}."])
    for (case, name), samples in in_turns(cases, setting.rounds, {slow: SELDOM}).items():
        found.add(case, name, "ms", [each * 1000 for each in samples])
    _bars(found)
    return found


def _bars(found: Found) -> None:
    bare = found.median(BARE, BARE, "ms")
    for case, script, module in ((FEW_TOOLS, 2.0, 2.6), (MANY_TOOLS, 2.2, 2.8)):
        ours, peer = found.median(case, "mcpgen", "ms"), found.median(case, "FastMCP", "ms")
        found.at_most(script, f"{case}: console script / bare Python", ours, bare)
        found.at_most(module, f"{case}: python -m / bare Python", found.median(case, MODULE, "ms"), bare)
        found.at_least(60, f"{case}: FastMCP / mcpgen", peer, ours)
    ours, peer = found.median(CALL, "mcpgen", "ms"), found.median(CALL, "FastMCP", "ms")
    found.at_least(5.5, f"{CALL}: FastMCP / mcpgen", peer, ours)


def _bare(python: str) -> float:
    began = time.perf_counter()
    subprocess.run([python, "-c", "pass"], check=True)
    return time.perf_counter() - began


def _list(subject: Subject) -> Callable[[], float]:
    def run() -> float:
        with Process(subject) as server:
            server.write(HANDSHAKE + LIST)
            answer = server.until(LIST_ID)
            seconds = server.heard - server.began  # measured before the client parses the response
            if b'"tools"' not in answer:
                raise RuntimeError(f"{subject.name} did not list its tools: {answer[:300]!r}")
            return seconds

    return run


def _call(subject: Subject) -> Callable[[], float]:
    call = api.calls()["small"]

    def run() -> float:
        with Process(subject) as server:
            server.write(HANDSHAKE + request(call, FIRST_ID))
            answer = server.until(FIRST_ID)
            seconds = server.heard - server.began  # measured before the client parses the response
            check(answer, call, exact=False)
            return seconds

    return run
