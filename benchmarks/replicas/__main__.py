"""Run trials with replicas of our server, or of FastMCP's server if `--beside` is given.

    python -m benchmarks.replicas [--quick] [--rolling | --beside]

Each trial prints how many of its calls, streams or answers to confirmation questions succeeded, and its most frequent
failures. The exit code is 1 if our server failed in a trial in which nothing may be lost.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path

import aiohttp

from benchmarks.replicas import trials
from benchmarks.replicas.beside import FastMCPRig
from benchmarks.replicas.client import NEWER, OLDER
from benchmarks.replicas.rig import Missing, Rig

CONFIRMATIONS, STREAMS, RESTARTS, CALLS, KILLS, AWAY = 1000, 100, 20, 5000, 6, 200
QUICK = 10
"""Divisor of each trial's size (its numbers of calls, restarts and so on) with `--quick`."""
_WAYS = (
    ("sessions, picked at random", False, "random", OLDER),
    ("sessions, picked by address", False, "ip_hash", OLDER),
    ("stateless_http, picked at random", True, "random", OLDER),
    ("picked at random", False, "random", NEWER),
)
"""Ways to run FastMCP's server as replicas: name, whether it is stateless, how the balancer picks a replica, revision
of MCP.

The stateless era has no sessions.
"""


class Report:
    """Printer of trial results. `bad`: number of trials that had failures although none are allowed in them."""

    def __init__(self) -> None:
        self.bad = 0

    def tell(self, name: str, figures: trials.Figures, lossless: bool = True) -> None:
        self.bad += lossless and figures.well != figures.tried
        print(f"{name}: {figures.well} of {figures.tried}", flush=True)
        for words, times in figures.faults.most_common(5):
            print(f"    {times} x {words}", flush=True)


async def rolling(some: int) -> int:
    """Run the trials with rolling restarts. Return the exit code. `some`: divisor of each trial's size, 1 or QUICK."""
    report = Report()
    with tempfile.TemporaryDirectory(prefix="mcpgen-rig-") as folder:
        async with Rig(Path(folder)) as rig, _client() as http:
            await _rolling(rig, http, report, some)
    return int(report.bad > 0)


async def _rolling(rig: Rig, http: aiohttp.ClientSession, report: Report, some: int) -> None:
    for revision in (NEWER, OLDER):
        figures = await trials.rolling(rig, http, revision, RESTARTS // some, CALLS // some)
        report.tell(f"{revision}, calls over rolling restarts", figures)


async def ours(some: int) -> int:
    """Run all trials with our server, and return the exit code. `some`: divisor of each trial's size, 1 or QUICK."""
    report = Report()
    with tempfile.TemporaryDirectory(prefix="mcpgen-rig-") as folder:
        async with Rig(Path(folder)) as rig, _client() as http:
            for revision in (NEWER, OLDER):
                figures = await trials.confirmations(rig, http, revision, CONFIRMATIONS // some)
                report.tell(f"{revision}, confirmations", figures)
            report.tell(f"{OLDER}, streams resumed", await trials.resumed(rig, http, STREAMS // some))
            await _rolling(rig, http, report, some)
            for revision in (NEWER, OLDER):
                figures = await trials.killed(rig, http, revision, KILLS // some + 1)
                report.tell(f"{revision}, calls while replicas are killed", figures, lossless=False)
            for revision in (NEWER, OLDER):
                for name, figures in (await trials.without_store(rig, http, revision, AWAY // some)).items():
                    report.tell(f"{revision}, {name}", figures, lossless="confirmations, store away" not in name)
    return int(report.bad > 0)


async def beside(some: int) -> int:
    """Run those trials that need no shared store against replicas of FastMCP's server, once for each row of _WAYS: with
    or without sessions, and with a balancer that picks replicas at random or by address. Return the exit code.
    """
    report = Report()
    for name, stateless, pick, revision in _WAYS:
        with tempfile.TemporaryDirectory(prefix="mcpgen-rig-") as folder:
            async with FastMCPRig(Path(folder), stateless=stateless, pick=pick) as rig, _client() as http:
                figures = await trials.confirmations(rig, http, revision, CONFIRMATIONS // some)
                report.tell(f"FastMCP, {revision}, {name}, confirmations", figures, lossless=False)
                figures = await trials.rolling(rig, http, revision, RESTARTS // some, CALLS // some)
                report.tell(f"FastMCP, {revision}, {name}, calls over rolling restarts", figures, lossless=False)
                figures = await trials.killed(rig, http, revision, KILLS // some + 1)
                report.tell(f"FastMCP, {revision}, {name}, calls while replicas are killed", figures, lossless=False)
    return 0


def _client() -> aiohttp.ClientSession:
    return aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(60))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of each")
    parser.add_argument("--rolling", action="store_true", help="the rolling restarts alone")
    parser.add_argument("--beside", action="store_true", help="FastMCP's server instead of ours")
    options = parser.parse_args()
    run = beside if options.beside else rolling if options.rolling else ours
    try:
        sys.exit(asyncio.run(run(QUICK if options.quick else 1)))
    except Missing as missing:
        sys.exit(f"This needs {missing}.")
