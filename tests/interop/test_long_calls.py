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

LASTS = 12.5
"""Seconds of a long call: the server reports progress twice."""

TIMEOUT = 8_000
"""Time-out of the client in milliseconds, in place of its 60 s: longer than the pauses of the server."""

MANY, CALLERS, SECONDS = 10_000, 20, 40
TYPESCRIPT = [client for client in CLIENTS if client.name.startswith("typescript")]
PYTHON = [client for client in CLIENTS if client.name.startswith("python")]


class Api(BaseHTTPRequestHandler):
    """API that answers `/pets/…` after LASTS seconds, and anything else at once."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if "/pets/" in self.path:
            threading.Event().wait(LASTS)
        body = json.dumps({"target": self.path}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        return


@contextmanager
def api() -> Iterator[dict[str, str]]:
    """Serve the API, and yield the environment of a server for it."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Api) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{running.server_port}"
        yield {"PETSTORE_BASE_URL": url, "PETSTORE_API_KEY": SECRET, "PETSTORE_BEARER": SECRET}
        running.shutdown()


def worked(client: Client, way: str, project: Path, server: Path, record: Path, *steps: Step) -> Work:
    with api() as variables:
        if way == "http":
            return over_http(client, project, variables, [*steps])
        try:
            return carry_out(client, server, variables, [*steps], record)
        except environments.Missing as missing:
            pytest.skip(str(missing))


WAYS = pytest.mark.parametrize("way", ["stdio", "http"])


@WAYS
@pytest.mark.parametrize("client", [*TYPESCRIPT, *PYTHON], ids=str)
def test_a_call_outlives_the_time_out_of_a_client_that_starts_it_anew(
    client: Client, way: str, project: Path, server: Path, tmp_path: Path
) -> None:
    """Check that a call outlives the client's time-out if progress restarts it.

    The Python clients have no time-out by default, and none that progress restarts. They only receive the progress.
    """
    call: Step = {"do": "call", "tool": "get_pet", "arguments": {"petId": 1}, "progress": True}
    more = {"timeout": TIMEOUT} if client in TYPESCRIPT else {}
    work = worked(client, way, project, server, tmp_path / "lines", {**call, **more})
    [outcome] = work.outcomes
    assert "result" in outcome, outcome
    assert outcome["result"]["content"][0]["text"]
    told = [each["message"] for each in outcome["progress"]]
    assert told[-2:] == ["waiting for the API, 5 s", "waiting for the API, 10 s"]
    assert work.complaints == []


@WAYS
@pytest.mark.parametrize("client", TYPESCRIPT, ids=str)
def test_quick_calls_that_ask_for_progress_raise_no_error(
    client: Client, way: str, project: Path, server: Path, tmp_path: Path
) -> None:
    """Make up to 10,000 calls that ask for progress, as many as end within 40 seconds."""
    many = {"do": "many", "tool": "get_inventory", "arguments": {}, "count": MANY, "callers": CALLERS}
    work = worked(client, way, project, server, tmp_path / "lines", {**many, "seconds": SECONDS})
    [outcome] = work.outcomes
    assert outcome["failed"] == []
    assert outcome["made"] > 0
    assert found_wrong(work) == []
    late = [each for each in work.complaints if "unknown token" in each]
    assert late == [], f"{len(late)} of {outcome['made']} calls"
