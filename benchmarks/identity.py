"""Measure what the check of an access token costs: `python -m benchmarks.identity [--rounds N] [--calls N]`.

The same server runs twice: once without authentication, and once with an authorization server whose signing keys it has
already fetched. Both get the same call in turn, each on one open connection. The output is the median CPU time of a
call on each, and their ratio. The exit code is 1 if the ratio is above `MOST`. The first call with a token checks a
signature and is not counted. Each later call finds the caller by the digest of the token.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import median

from benchmarks.replicas.client import NEWER
from benchmarks.replicas.rig import can_connect, free_port, wait_for
from benchmarks.speed.connection import Connection, post
from benchmarks.speed.process import PATIENCE, Process, Subject
from tests.identity.issuer import Issuer
from tests.streamable.upstream import Upstream

TOOLS = Path(__file__).parents[1] / "tests" / "streamable" / "caller.tools.yaml"
MOST = 1.10
"""Upper limit on the ratio of CPU times: a call with a checked token to a call without a token."""

OPEN, CHECKED = "without a token", "with a checked token"


@contextmanager
def running(project: Path, upstream: Upstream, **variables: str) -> Iterator[tuple[Process, int]]:
    """Start a server, and yield its process and port."""
    port = free_port()
    told = {
        "CALLER_BASE_URL": f"http://127.0.0.1:{upstream.port}",
        "CALLER_KEY": "benchmark-key",
        **{f"CALLER_{name}": value for name, value in variables.items()},
    }
    command = (sys.executable, "-m", "caller_mcp", "--http", str(port))
    with Process(Subject("caller", command, told, project)) as process:
        wait_for(lambda: can_connect(port), PATIENCE)
        yield process, port


def seconds_of(process: Process, connection: Connection, request: bytes, calls: int) -> float:
    """Make `calls` calls, and return the CPU time of one call in seconds."""
    before = process.cpu()
    for _ in range(calls):
        answer = connection.ask(request)
        if answer.status != 200:
            raise SystemExit(f"a call was answered with {answer.status}: {answer.body[:300]!r}")
    return (process.cpu() - before) / calls


def with_field(request: bytes, name: str, value: str) -> bytes:
    """Return the request with one more header field."""
    line, _, rest = request.partition(b"\r\n")
    return b"%b\r\n%b: %b\r\n%b" % (line, name.encode(), value.encode(), rest)


def measured(rounds: int, calls: int) -> dict[str, float]:
    """Return the median CPU time of a call in seconds, without and with a token."""
    upstream = Upstream()
    with tempfile.TemporaryDirectory() as name, Issuer() as issuer:
        project = Path(name) / "caller"
        command = [sys.executable, "-m", "mcpgen", "generate", "--parts", "all", str(TOOLS), "-o", str(project)]
        subprocess.run(command, check=True, capture_output=True)
        trusted = {"AUTH_ISSUER": issuer.name, "AUTH_SCOPES": "pets:read"}
        with running(project, upstream) as bare, running(project, upstream, **trusted) as guarded:
            message = {"id": 1, "method": "tools/call", "params": {"name": "echo", "arguments": {"text": "hi"}}}
            token = issuer.token(f"http://127.0.0.1:{guarded[1]}/mcp", scope="pets:read pets:write openid profile")
            requests = {
                OPEN: post(bare[1], NEWER, message),
                CHECKED: with_field(post(guarded[1], NEWER, message), "Authorization", f"Bearer {token}"),
            }
            with closing(Connection(bare[1], PATIENCE)) as first, closing(Connection(guarded[1], PATIENCE)) as second:
                sides = {OPEN: (bare[0], first), CHECKED: (guarded[0], second)}
                taken: dict[str, list[float]] = {side: [] for side in sides}
                for turn in range(rounds + 1):
                    for side, (process, connection) in sides.items():
                        seconds = seconds_of(process, connection, requests[side], calls)
                        if turn:  # the first round is a warm-up and does not count
                            taken[side].append(seconds)
    upstream.close()
    return {side: median(each) for side, each in taken.items()}


def main() -> int:
    """Print the CPU times of a call without a token and of a call with a checked token, and their ratio.

    Return the exit code: 1 if the ratio is above its limit, else 0.
    """
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--calls", type=int, default=400)
    options = parser.parse_args()
    found = measured(options.rounds, options.calls)
    for side, seconds in found.items():
        print(f"{side:24} {seconds * 1e6:8.1f} microseconds of CPU a call")
    ratio = found[CHECKED] / found[OPEN]
    print(f"ratio {ratio:.3f}, bar {MOST}")
    return 0 if ratio <= MOST else 1


if __name__ == "__main__":
    sys.exit(main())
