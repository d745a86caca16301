"""Run FastMCP's server as replicas: the same balancer, API and trials, without a store."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import yaml

from benchmarks.replicas.rig import Rig, can_connect, wait_for
from benchmarks.replicas.upstream import DOCUMENT
from benchmarks.speed.programs import FASTMCP
from tests.interop import environments

SERVER = Path(__file__).with_name("fastmcp_depot.py")


@dataclass
class FastMCPRig(Rig):
    """Replicas of FastMCP's server. `stateless`: True if they store no sessions."""

    stateless: bool = False

    async def start(self, replicas: int = 3, stored: bool = False, balanced: bool = True) -> None:
        """Start the API, the replicas and the balancer. Raise Missing if a program is not installed."""
        await super().start(replicas, stored, balanced)

    async def ready(self, number: int) -> None:
        """Wait until replica `number` accepts connections."""
        await asyncio.to_thread(wait_for, lambda: can_connect(self.ports[number]), 60.0)

    def _generate(self) -> None:
        document = yaml.safe_load(DOCUMENT % self.upstream.port)
        (self.folder / "depot.json").write_text(json.dumps(document))

    def _replica(self, number: int) -> subprocess.Popen[bytes]:
        told = {
            "DOCUMENT": str(self.folder / "depot.json"),
            "BASE_URL": f"http://127.0.0.1:{self.upstream.port}",
            "PORT": str(self.ports[number]),
            "STATE_KEY": self._key,
        }
        environment = {**os.environ, **told, **({"STATELESS": "1"} if self.stateless else {})}
        python = environments.python("bench-fastmcp", *FASTMCP) / "bin" / "python"
        with (self.folder / f"replica-{number}.log").open("ab") as log:
            return subprocess.Popen([str(python), str(SERVER)], env=environment, stdout=log, stderr=log)
