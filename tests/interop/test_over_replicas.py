"""Test official clients with two replicas, each of which gets every other request."""

from __future__ import annotations

import shutil
import subprocess
import threading
from base64 import b64encode
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import cycle
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from benchmarks.replicas.rig import can_connect, free_port, wait_for
from mcpgen.demo import petstore
from tests.interop import confirmations, environments
from tests.interop.clients import carry_out_over_http
from tests.interop.test_over_http import OFFICIAL, PATIENCE, found_wrong, serving
from tests.leaks import SECRET

STORE = shutil.which("valkey-server") or shutil.which("redis-server")
JOBS = ("three questions", "a hook asks", "question declined", "wrong answers")
LEAST = 4 + 3 + 2 + 4
"""Fewest requests of these jobs: a call or an answer each."""

OF_ONE_CONNECTION = ("connection", "keep-alive", "transfer-encoding", "host")


@contextmanager
def alternating(urls: list[str], seen: list[str]) -> Iterator[str]:
    """Yield a URL whose requests are forwarded to `urls` in turn. The URL chosen for each is added to `seen`."""
    turns, lock = cycle(urls), threading.Lock()

    class Balancer(BaseHTTPRequestHandler):
        """A handler that forwards each request to a replica, and streams the response back."""

        def do_POST(self) -> None:
            with lock:
                url = next(turns)
                seen.append(url)
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            kept = {name: value for name, value in self.headers.items() if name.lower() not in OF_ONE_CONNECTION}
            connection = HTTPConnection(urlsplit(url).netloc, timeout=PATIENCE)
            connection.request(self.command, self.path, body, kept)
            answer = connection.getresponse()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in OF_ONE_CONNECTION:
                    self.send_header(name, value)
            self.end_headers()
            with suppress(OSError, HTTPException):  # the client or the replica may close a stream early
                while piece := answer.read1():
                    self.wfile.write(piece)
                    self.wfile.flush()
            connection.close()

        def do_GET(self) -> None:
            self.do_POST()

        def do_DELETE(self) -> None:
            self.do_POST()

        def log_message(self, *_: object) -> None:
            """Write nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Balancer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/mcp"
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the URL of a store that replicas share."""
    if STORE is None:
        pytest.skip("this needs valkey-server or redis-server")
    port, folder = free_port(), str(tmp_path_factory.mktemp("store"))
    command = [STORE, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            wait_for(lambda: can_connect(port))
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            process.kill()


@pytest.mark.parametrize("client", OFFICIAL, ids=str)
def test_each_answer_of_a_user_may_come_to_another_replica(client: Any, asking: Path, store: str) -> None:
    jobs = confirmations.jobs(client.revision)
    steps = [step for name in JOBS for step in jobs[name].steps]
    seen: list[str] = []
    with petstore.serve(api_key=SECRET, token=SECRET) as api, ExitStack() as stack:
        key = b64encode(b"k" * 32).decode()
        variables = {"CONFIRM_BASE_URL": api.url, "CONFIRM_BEARER": SECRET, "CONFIRM_STATE_KEY": key}
        variables["CONFIRM_STORE"] = store
        replicas = [stack.enter_context(serving(asking, "confirm", variables)) for _ in range(2)]
        url = stack.enter_context(alternating(replicas, seen))
        try:
            work = carry_out_over_http(client, url, steps, asks=True)
        except environments.Missing as missing:
            pytest.skip(str(missing))
        sent = [received.target for received in api.requests]
    *_, declined, wrong = work.outcomes
    assert "The user declined" in str(declined)
    assert "the answers did not fit" in str(wrong)
    assert sent == ["/v1/pets/9?kind=dog&reason=too%20old&signs=old&signs=ill", "/v1/pets/9?reason=too%20old&sign=old"]
    assert set(seen) == set(replicas)
    assert len(seen) >= LEAST
    assert found_wrong(work) == []
