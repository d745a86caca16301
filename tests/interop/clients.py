"""List the clients of the interoperability tests, with the environment of each, and carry out jobs with them.

A client runs in its own process, as in an MCP host. `drivers/` has a script for each client, which reads a job and
prints a report. `drivers/session.py` describes jobs and reports, which are the same for all clients.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tests.interop import environments, transcript
from tests.interop.environments import ROOT
from tests.interop.messages import R4, R5, REVISIONS
from tests.interop.transcript import Transcript

DRIVERS = Path(__file__).with_name("drivers")
RECORDER = Path(__file__).with_name("recorder.py")
#: Timeout in seconds for a client's process, with all its steps. It is long, and no test measures time with it.
PATIENCE = 240

Outcome = dict[str, Any]
Step = dict[str, Any]
ENVIRONMENTS: dict[str, Callable[[], Path]] = {
    "python-1": partial(environments.python, "python-1", "mcp==1.30.0"),
    "python-2": partial(environments.python, "python-2", "mcp==2.3.0"),
    "typescript-1": partial(environments.node, "typescript-1", {"@modelcontextprotocol/sdk": "1.32.2"}),
    "typescript-2": partial(environments.node, "typescript-2", {"@modelcontextprotocol/client": "2.4.0"}),
}


@dataclass(frozen=True, slots=True)
class Client:
    """A client in one of its modes. `revision`: the protocol revision that the client speaks in this mode.

    `opening`: the first request that the client sends to each server process.
    """

    name: str
    mode: str
    revision: str
    opening: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name}:{self.mode}"


CLIENTS = (
    Client("python-2", "auto", R5, ("server/discover",)),
    Client("python-2", "legacy", R4, ("initialize",)),
    Client("python-2", R5, R5, ("tools/list",)),
    Client("python-1", "initialize", R4, ("initialize",)),
    # except in mode `legacy`, this client starts one server process only to probe it, ends it, and starts another
    Client("typescript-2", "auto", R5, ("server/discover", "tools/list")),
    Client("typescript-2", "legacy", R4, ("initialize",)),
    Client("typescript-2", R5, R5, ("server/discover", "tools/list")),
    Client("typescript-1", "initialize", R4, ("initialize",)),
    *(Client("raw", revision, revision, ("initialize",)) for revision in REVISIONS[:-1]),
    Client("raw", R5, R5, ("server/discover",)),
)


@dataclass(frozen=True, slots=True)
class Work:
    """The outcome of each step of a job, faults that the client reported, and one transcript for each
    server process.
    """

    client: Client
    outcomes: list[Outcome]
    complaints: list[str]
    transcripts: list[Transcript]

    @property
    def conversation(self) -> Transcript:
        """Return the transcript of the server process to which the client sent the calls of its steps.

        It is the last process: a client may start an earlier one only to probe it (see `CLIENTS`).
        """
        return self.transcripts[-1]


def carry_out(
    client: Client, server: Path, variables: dict[str, str], steps: list[Step], record: Path, asks: bool = False
) -> Work:
    """Let a client carry out a job, and return the outcome.

    `server`: the server's console script. `record`: folder for the transcripts. `asks`: True if the client can ask its
    user. Raise `environments.Missing` if this machine cannot run the client.
    """
    record.mkdir()
    recorded = ["-I", str(RECORDER), str(record), str(server)]
    how = {"command": sys.executable, "args": recorded, "env": variables, "cwd": str(record)}
    report = _report(client, how, steps, asks)
    return Work(client, report["steps"], report["complaints"], transcript.read(record))


def carry_out_over_http(client: Client, url: str, steps: list[Step], asks: bool = False) -> Work:
    """Let a client carry out a job with a running HTTP server. No transcript is recorded."""
    report = _report(client, {"url": url}, steps, asks)
    return Work(client, report["steps"], report["complaints"], [])


def _report(client: Client, server: dict[str, Any], steps: list[Step], asks: bool) -> dict[str, Any]:
    """Run the client's driver, and return its report."""
    command = _driver(client)
    job = json.dumps({"server": server, "mode": client.mode, "asks": asks, "steps": steps})
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "NODE_"))}
    done = subprocess.run(
        command, input=job, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, f"{client} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def _driver(client: Client) -> list[str]:
    """Return the command that runs a client's driver in its environment."""
    module = client.name.replace("-", "_")
    if client.name == "raw":
        return [sys.executable, "-m", f"tests.interop.drivers.{module}"]
    environment = ENVIRONMENTS[client.name]()
    if client.name.startswith("python"):
        return [str(environment / "bin" / "python"), "-m", f"tests.interop.drivers.{module}"]
    environments.put_beside(environment, DRIVERS / "session.mjs")
    return ["node", str(environments.put_beside(environment, DRIVERS / f"{module}.mjs"))]
