"""Test that a server reuses memory of earlier responses instead of requesting it from the system for each call."""

from __future__ import annotations

import platform
import socket
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.golden.projects import project
from tests.leaks import SECRET
from tests.runtime.process import Server

PROJECT = project("station")
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[]"
CALLS = 100


@pytest.fixture
def url() -> Iterator[str]:
    """Yield the URL of an API that answers every request, all on one connection."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            connection, _ = listening.accept()
            with closing(connection):
                while connection.recv(65536):
                    connection.sendall(ANSWER)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        thread.join(30)
        assert not thread.is_alive(), "the connection was not closed"


def faults(server: Server) -> int:
    """Return the number of page faults of the process so far (proc(5), the tenth field of stat)."""
    return int(Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()[7])


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="what is kept is decided by glibc")
def test_calls_that_follow_take_no_more_pages(url: str) -> None:
    with Server(PROJECT, package="station_mcp", env={"STATION_BASE_URL": url, "STATION_API_KEY": SECRET}) as server:

        def call() -> None:
            assert server.result("get_forecast", city="Oslo")["content"][0]["text"] == "[]"

        for _ in range(CALLS):
            call()
        before = faults(server)
        for _ in range(CALLS):
            call()
        assert faults(server) - before < CALLS
