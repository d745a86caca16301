"""Count the instructions of a whole call through each door of a server: stdio, HTTP, and ASGI under uvicorn.

    python -m benchmarks.doors [--against FOLDER]

Valgrind counts the instructions of the server's process, so a busy machine does not change the counts. What a call
takes over HTTP beyond stdio is the cost of the door. The client over HTTP uses one connection, and the newer era of
MCP. `--against` names another checkout of mcpgen, whose server is counted as well.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

from benchmarks.replicas.client import NEWER
from benchmarks.replicas.rig import free_port
from benchmarks.speed import api, upstream
from benchmarks.speed.connection import post
from benchmarks.speed.http_calls import Server
from benchmarks.speed.process import Subject
from benchmarks.telemetry import generate, over_stdio, per_call, subject

ROOT = Path(__file__).parents[1]
SIZES = {"small": "200 B", "medium": "10 kB"}


def over_http(port: int, size: str, calls: int, server: Subject) -> None:
    """Start a server at a port, make `calls` calls on one connection, and end the server."""
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


def of_doors(folder: Path, url: str, size: str) -> dict[str, float]:
    """Return door → instructions for one call of the server in `folder`."""
    port = free_port()
    plain = subject(folder, url, {})
    http = replace(plain, command=(*plain.command, "--http", str(port)))
    uvicorn = (sys.executable, "-m", "uvicorn", "bench_mcp.asgi:app", "--port", str(port), "--no-access-log")
    asked = partial(over_http, port)
    return {
        "stdio": per_call(plain, over_stdio, size),
        "HTTP": per_call(http, asked, size),
        "uvicorn": per_call(replace(plain, command=uvicorn), asked, size),
    }


def main(checkouts: list[Path]) -> None:
    """Print the instructions of a call for each size, door and checkout."""
    with tempfile.TemporaryDirectory() as name, upstream.serving(api.bodies(), upstream.kinds()[0]) as served:
        servers = [generate(each, Path(name) / str(number)) for number, each in enumerate(checkouts)]
        print(f"instructions of a call, in {' and '.join(map(str, checkouts))}")
        for size, shown in SIZES.items():
            counts = [of_doors(server, served.url, size) for server in servers]
            for door in counts[-1]:
                print(f"{shown:<8}{door:<10}" + "".join(f"{each[door]:>14,.0f}" for each in counts), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", type=Path, metavar="FOLDER", help="a checkout of mcpgen to count as well")
    options = parser.parse_args()
    main([options.against, ROOT] if options.against else [ROOT])
