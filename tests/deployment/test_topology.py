"""Run the services of compose.yaml as processes: three replicas, a store, and the balancer with its configuration."""

from __future__ import annotations

import asyncio
import socket
import subprocess
from collections.abc import Iterator

import aiohttp
import pytest

from benchmarks.replicas import trials
from benchmarks.replicas.client import NEWER, OLDER
from benchmarks.replicas.rig import Missing, Rig, can_connect, free_port, wait_for
from tests.deployment.balancer import HAPROXY, readdressed

RUNNING = "2"
"""HAProxy's number for a server that it sends requests to (`srv_op_state`)."""

CALLS = 200
"""Minimum number of calls. Calls continue until the third replica is back."""

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not HAPROXY, reason="not installed: haproxy")]


class Deployed(Rig):
    """The replicas of `benchmarks.replicas`, behind the balancer of a generated project."""

    def _balance(self) -> None:
        self.port, health = free_port(), free_port()
        file = self.folder / "haproxy.cfg"
        text = readdressed(self.ports, f"127.0.0.1:{self.port}", f"127.0.0.1:{health}")
        self._states = self.folder / "states.sock"
        file.write_text(text.replace("global\n", f"global\n  stats socket {self._states}\n", 1))
        log = subprocess.DEVNULL
        self._balancer = subprocess.Popen([HAPROXY, "-db", "-f", str(file)], stdout=log, stderr=log)
        wait_for(lambda: can_connect(self.port))

    async def restart(self, number: int) -> None:
        """Restart a replica, and return once the balancer uses it again, as deployment platforms do before they
        continue.
        """
        await super().restart(number)
        await self._all_picked()

    async def start(self, replicas: int = 3, stored: bool = True, balanced: bool = True) -> None:
        """Start all processes, and return once the balancer sends requests to each replica."""
        await super().start(replicas, stored, balanced)
        await self._all_picked()

    async def _all_picked(self) -> None:
        await asyncio.to_thread(wait_for, lambda: self._running() == len(self.ports))

    def _running(self) -> int:
        """Return the number of replicas to which the balancer sends requests (HAProxy management guide, `show servers
        state`).
        """
        with socket.socket(socket.AF_UNIX) as opened:
            opened.connect(str(self._states))
            opened.sendall(b"show servers state\n")
            told = b"".join(iter(lambda: opened.recv(65536), b"")).decode()
        rows = [line.split() for line in told.splitlines() if " replicas " in line]
        return sum(row[5] == RUNNING for row in rows)


@pytest.fixture(scope="module")
def loop() -> Iterator[asyncio.Runner]:
    """Yield the event loop in which the API answers and the clients call."""
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture(scope="module")
def rig(loop: asyncio.Runner, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    made = Deployed(tmp_path_factory.mktemp("deployed"))
    try:
        loop.run(made.start(replicas=3))
        yield made
    except Missing as missing:
        pytest.skip(f"not installed: {missing}")
    finally:
        loop.run(made.stop())


@pytest.mark.parametrize("revision", [NEWER, OLDER])
def test_a_rolling_restart_loses_no_call(loop: asyncio.Runner, rig: Rig, revision: str) -> None:
    async def restart() -> trials.Figures:
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(120)) as http:
            return await trials.rolling(rig, http, revision, restarts=3, least=CALLS)

    found = loop.run(restart())
    assert found.tried >= CALLS
    assert (found.well, dict(found.faults)) == (found.tried, {})


@pytest.mark.parametrize("revision", [NEWER, OLDER])
def test_a_confirmation_ends_at_any_replica(loop: asyncio.Runner, rig: Rig, revision: str) -> None:
    async def confirm() -> trials.Figures:
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(120)) as http:
            return await trials.confirmations(rig, http, revision, 40, together=4)

    found = loop.run(confirm())
    assert (found.well, dict(found.faults)) == (40, {})
