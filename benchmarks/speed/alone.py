"""Measure the lower limit of calls: aiohttp in a bare loop, controlled over its pipe (peers/loop.py)."""

from __future__ import annotations

import json

from benchmarks.speed.api import Call
from benchmarks.speed.pipe import Flow
from benchmarks.speed.process import Process


class Alone:
    """Stand-in for a client of a server, without a server: the process counts bodies and seconds itself."""

    def __init__(self, process: Process, call: Call) -> None:
        self._process = process
        self._call = call

    def flow(self, calls: int, at_once: int) -> Flow:
        """Make this many requests, this many at a time."""
        cpu = self._process.cpu()
        self._process.write(f"{calls} {at_once} {self._call.target} {len(self._call.body)}\n".encode())
        with self._process.patience():
            told = json.loads(self._process.lines()[0])
        return Flow(told["seconds"], told["latencies"], self._process.cpu() - cpu)
