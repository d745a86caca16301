"""Test that the balancer's configuration is valid and loses no request, and that replicas notice when clients
disconnect.

Only addresses differ from the compose file: replicas have ports on loopback instead of container names.
"""

from __future__ import annotations

import contextlib
import http.client
import socket
import socketserver
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deployment.balancer import HAPROXY, TEXT, readdressed

pytestmark = pytest.mark.skipif(not HAPROXY, reason="not installed: haproxy")
PATIENCE = 30


class Replica(socketserver.ThreadingTCPServer):
    """Server that answers every path except /waits, where it only records that its client has disconnected.

    A health check takes `slow` seconds; `checks` is the number of answered health checks.
    """

    daemon_threads = True

    def __init__(self, slow: float = 0) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.slow = slow
        self.checks = threading.Semaphore(0)
        self.asked: list[str] = []
        self.waiting, self.gone = threading.Event(), threading.Event()


class Answer(socketserver.StreamRequestHandler):
    """Handler of one connection to a replica."""

    server: Replica

    def handle(self) -> None:
        """Read the head of a request, and answer the request."""
        head = b"".join(iter(self.rfile.readline, b"\r\n")).decode()
        path = head.split()[1] if head else ""
        self.server.asked.append(path)
        if path == "/waits":
            self.server.waiting.set()
            with contextlib.suppress(ConnectionResetError):
                self.rfile.read()
            self.server.gone.set()
            return
        if path == "/readyz":
            threading.Event().wait(self.server.slow)
            self.server.checks.release()
        with contextlib.suppress(ConnectionError):
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")


@contextlib.contextmanager
def replica(slow: float = 0) -> Iterator[Replica]:
    """Run a replica in threads of this process."""
    with Replica(slow) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield running
        running.shutdown()


@contextlib.contextmanager
def balanced(folder: Path, *ports: int, checks: str = "no-check") -> Iterator[int]:
    """Run HAProxy in front of replicas at these ports, and yield its port. Its sockets are open before the process
    starts.

    `checks="no-check"`: HAProxy never learns which replica is ready, as in the moment after a replica has ended.
    """
    with socket.create_server(("127.0.0.1", 0)) as clients, socket.create_server(("127.0.0.1", 0)) as health:
        own = (f"fd@{clients.fileno()}", f"fd@{health.fileno()}")
        (folder / "haproxy.cfg").write_text(readdressed(ports, *own, checks))
        given = (clients.fileno(), health.fileno())
        command = [HAPROXY, "-db", "-f", str(folder / "haproxy.cfg")]
        with subprocess.Popen(command, pass_fds=given, stdout=subprocess.DEVNULL) as process:
            try:
                yield clients.getsockname()[1]
            finally:
                process.kill()


def status(port: int, path: str) -> int:
    """Send a POST, and return the status of its response."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    with contextlib.closing(connection):
        connection.request("POST", path, body=b"{}")
        return connection.getresponse().status


def checked(text: str) -> subprocess.CompletedProcess[str]:
    """Let the balancer validate a configuration, and return the finished process."""
    command = [HAPROXY, "-c", "-f", "/dev/stdin"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False, timeout=PATIENCE)


def test_its_configuration_is_valid() -> None:
    done = checked(TEXT)
    assert (done.returncode, "WARNING" in done.stderr) == (0, False), done.stderr
    assert checked(TEXT.replace("mode http", "mode htpp")).returncode == 1


def test_no_request_is_lost_where_a_replica_takes_no_connection(tmp_path: Path) -> None:
    with socket.socket() as nobody, replica() as first, replica() as second:
        nobody.bind(("127.0.0.1", 0))
        ports = (nobody.getsockname()[1], first.server_address[1], second.server_address[1])
        with balanced(tmp_path, *ports) as port:
            assert [status(port, "/mcp") for _ in range(40)] == [200] * 40
        asked = [each.asked.count("/mcp") for each in (first, second)]
    assert sum(asked) == 40, "each request is sent once"
    assert min(asked) > 0


def test_a_replica_hears_of_a_client_that_goes_away(tmp_path: Path) -> None:
    with replica() as only, balanced(tmp_path, only.server_address[1]) as port:
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as client:
            client.sendall(b"POST /waits HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
            assert only.waiting.wait(PATIENCE)
        assert only.gone.wait(PATIENCE)


def test_a_replica_that_is_busy_stays_in(tmp_path: Path) -> None:
    with replica(slow=0.7) as only, balanced(tmp_path, only.server_address[1], checks="") as port:
        for _ in range(2):
            assert only.checks.acquire(timeout=PATIENCE)
        assert status(port, "/mcp") == 200, "a check longer than the pause between checks is no failure"
