"""Test progress with the official clients: long calls outlive their time-out, and quick calls raise no error.

Time passes here, so these tests are slow: a server says every five seconds that a call goes on.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.interop import environments
from tests.interop.clients import CLIENTS, Client, Step, Work, carry_out
from tests.interop.test_over_http import found_wrong, over_http
from tests.leaks import SECRET

pytestmark = pytest.mark.slow

LENGTHS = [
    pytest.param(12.5, 8_000, id="short"),
    pytest.param(122.5, 60_000, id="two-minutes", marks=pytest.mark.world),
]
"""Seconds that the API takes for a long call, and the client's time-out in milliseconds.

The time-out is longer than the pauses between the server's progress. The clients' own time-out is 60 s.
"""

MANY, CALLERS, SECONDS = 10_000, 20, 40
TYPESCRIPT = [client for client in CLIENTS if client.name.startswith("typescript")]
PYTHON = [client for client in CLIENTS if client.name.startswith("python")]


class Api(BaseHTTPRequestHandler):
    """API that answers `/pets/…` after `lasts` seconds, and anything else at once."""

    protocol_version = "HTTP/1.1"
    lasts = 0.0

    def do_GET(self) -> None:
        if "/pets/" in self.path:
            threading.Event().wait(self.lasts)
        body = json.dumps({"target": self.path}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        return


@contextmanager
def api(lasts: float) -> Iterator[dict[str, str]]:
    """Serve the API, and yield the environment of a server for it. `lasts`: seconds of a long call."""
    with ThreadingHTTPServer(("127.0.0.1", 0), type("Api", (Api,), {"lasts": lasts})) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{running.server_port}"
        keys = {"PETSTORE_API_KEY": SECRET, "PETSTORE_BEARER": SECRET}
        yield {"PETSTORE_BASE_URL": url, "PETSTORE_TIMEOUT": "180", **keys}
        running.shutdown()


def worked(client: Client, way: str, project: Path, server: Path, record: Path, step: Step, lasts: float) -> Work:
    """Let a client carry out one step over stdio or HTTP. `lasts`: seconds of a long call."""
    with api(lasts) as variables:
        if way == "http":
            return over_http(client, project, variables, [step])
        try:
            return carry_out(client, server, variables, [step], record)
        except environments.Missing as missing:
            pytest.skip(str(missing))


WAYS = pytest.mark.parametrize("way", ["stdio", "http"])


@WAYS
@pytest.mark.parametrize(("lasts", "timeout"), LENGTHS)
@pytest.mark.parametrize("client", [*TYPESCRIPT, *PYTHON], ids=str)
def test_a_call_outlives_the_time_out_of_a_client_that_starts_it_anew(
    client: Client, lasts: float, timeout: int, way: str, project: Path, server: Path, tmp_path: Path
) -> None:
    """Check that a call outlives the client's time-out if progress restarts it.

    The Python clients have no time-out by default, and none that progress restarts. They only receive the progress.
    """
    call: Step = {"do": "call", "tool": "get_pet", "arguments": {"petId": 1}, "progress": True}
    more = {"timeout": timeout} if client in TYPESCRIPT else {}
    work = worked(client, way, project, server, tmp_path / "lines", {**call, **more}, lasts)
    [outcome] = work.outcomes
    assert "result" in outcome, outcome
    assert outcome["result"]["content"][0]["text"]
    told = [each["message"] for each in outcome["progress"]]
    heartbeats = [f"waiting for the API, {second} s" for second in range(5, int(lasts), 5)]
    assert told[-len(heartbeats) :] == heartbeats
    assert work.complaints == []


@WAYS
@pytest.mark.parametrize("client", TYPESCRIPT, ids=str)
def test_quick_calls_that_ask_for_progress_raise_no_error(
    client: Client, way: str, project: Path, server: Path, tmp_path: Path
) -> None:
    """Make up to 10,000 calls that ask for progress, as many as end within 40 seconds."""
    many = {"do": "many", "tool": "get_inventory", "arguments": {}, "count": MANY, "callers": CALLERS}
    work = worked(client, way, project, server, tmp_path / "lines", {**many, "seconds": SECONDS}, 0)
    [outcome] = work.outcomes
    assert outcome["failed"] == []
    assert outcome["made"] > 0
    assert found_wrong(work) == []
    late = [each for each in work.complaints if "unknown token" in each]
    assert late == [], f"{len(late)} of {outcome['made']} calls"
