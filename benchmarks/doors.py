"""Count the instructions of a whole call through each door of a server: stdio, HTTP, and ASGI under uvicorn.

    python -m benchmarks.doors [--against FOLDER]

Valgrind counts the instructions of the server's process, so a busy machine does not change the counts. What a call
takes over HTTP beyond stdio is the cost of the door. The client over HTTP uses one connection, and the newer era of
MCP. `--against` names another checkout of mcpgen, whose server is counted as well.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

from benchmarks.replicas.client import NEWER
from benchmarks.replicas.rig import free_port
from benchmarks.speed import api, upstream
from benchmarks.speed.connection import post
from benchmarks.speed.http_calls import Server
from benchmarks.speed.pipe import Client
from benchmarks.speed.process import HANDSHAKE, LIST, LIST_ID, Process, Subject
from benchmarks.telemetry import COUNT, generate, subject

ROOT = Path(__file__).parents[1]
FEW, MANY = 100, 600
"""Numbers of calls of two runs. Their difference leaves out the start and the first call."""

ONE_CORE = ("taskset", "-c", "0")
"""A process on one core never polls instead of sleeping, and instructions of a poll depend on the machine's speed."""

SIZES = {"small": "200 B", "medium": "10 kB"}


def over_stdio(size: str, calls: int, server: Subject) -> None:
    with Process(server) as running:
        running.write(HANDSHAKE + LIST)
        running.until(LIST_ID)
        Client(running, api.calls()[size]).flow(calls, 1)
        running.end()


def over_http(port: int, size: str, calls: int, server: Subject) -> None:
    call = api.calls()[size]
    request = post(
        port, NEWER, {"id": 7, "method": "tools/call", "params": {"name": call.tool, "arguments": call.arguments}}
    )
    with Server(server, port) as running:
        with closing(running.connection()) as connection:
            for _ in range(calls):
                answer = connection.ask(request)
                assert answer.status == 200, answer
                assert b'"isError":true' not in answer.body, answer
        os.kill(running.pid, signal.SIGTERM)
        running.end()


def counted(server: Subject, run: Callable[[Subject], None]) -> int:
    """Return the instructions of the server's process while `run` uses the server and ends it."""
    with tempfile.NamedTemporaryFile("r") as log:
        run(replace(server, command=(*ONE_CORE, *COUNT, f"--log-file={log.name}", *server.command)))
        found = re.search(r"I\s+refs:\s+([\d,]+)", log.read())
        assert found is not None, "valgrind counted nothing"
        return int(found[1].replace(",", ""))


def per_call(folder: Path, url: str, size: str) -> dict[str, float]:
    """Return door → instructions for one call of the server in `folder`."""
    port = free_port()
    plain = subject(folder, url, {})
    http = replace(plain, command=(*plain.command, "--http", str(port)))
    uvicorn = (sys.executable, "-m", "uvicorn", "bench_mcp.asgi:app", "--port", str(port), "--no-access-log")
    doors: dict[str, tuple[Subject, Callable[[str, int, Subject], None]]] = {
        "stdio": (plain, over_stdio),
        "HTTP": (http, partial(over_http, port)),
        "uvicorn": (replace(plain, command=uvicorn), partial(over_http, port)),
    }
    found = {}
    for name, (server, run) in doors.items():
        few, many = (counted(server, partial(run, size, number)) for number in (FEW, MANY))
        found[name] = (many - few) / (MANY - FEW)
    return found


def main(checkouts: list[Path]) -> None:
    """Print the instructions of a call for each size, door and checkout."""
    with tempfile.TemporaryDirectory() as name, upstream.serving(api.bodies(), upstream.kinds()[0]) as served:
        servers = [generate(each, Path(name) / str(number)) for number, each in enumerate(checkouts)]
        print(f"instructions of a call, in {' and '.join(map(str, checkouts))}")
        for size, shown in SIZES.items():
            counts = [per_call(server, served.url, size) for server in servers]
            for door in counts[-1]:
                print(f"{shown:<8}{door:<10}" + "".join(f"{each[door]:>14,.0f}" for each in counts), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", type=Path, metavar="FOLDER", help="a checkout of mcpgen to count as well")
    options = parser.parse_args()
    main([options.against, ROOT] if options.against else [ROOT])
