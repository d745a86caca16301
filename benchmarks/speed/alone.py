"""Measure the lower limit of a call's time: an aiohttp client in a bare event loop, controlled through a pipe
(peers/loop.py).
"""

from __future__ import annotations

import json

from benchmarks.speed.api import Call
from benchmarks.speed.pipe import Flow
from benchmarks.speed.process import Process


class Alone:
    """Stand-in for the client of an MCP server, for a measurement without such a server.

    The process in peers/loop.py sends the requests to the API directly, and measures them.
    """

    def __init__(self, process: Process, call: Call) -> None:
        self._process = process
        self._call = call

    def flow(self, calls: int, at_once: int) -> Flow:
        """Let the process of peers/loop.py make `calls` requests, `at_once` at a time."""
        cpu = self._process.cpu()
        self._process.write(f"{calls} {at_once} {self._call.target} {len(self._call.body)}\n".encode())
        with self._process.patience():
            told = json.loads(self._process.lines()[0])
        return Flow(told["seconds"], told["latencies"], self._process.cpu() - cpu)
