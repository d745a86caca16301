"""Test the HTTP server of the demo APIs: recorded requests, persistent connections, and shutdown."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest

from mcpgen.demo import petstore
from mcpgen.demo.http import Answer, Request, serve
from tests.demo.exchange import call, of_json


def echo(request: Request) -> Answer:
    return Answer(200, "text/plain", request.target.encode())


def raw(url: str, text: bytes) -> bytes:
    """Send these bytes, and return all bytes received until the connection ends."""
    place = urlsplit(url)
    with socket.create_connection((place.hostname, place.port), timeout=120) as connection:
        connection.sendall(text)
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(65536), b""))


@pytest.mark.parametrize("target", ["//a/../b", "/%7e%7E", "/a?b=%20+;c[]=|", "*"])
def test_a_target_is_kept_as_it_was_written(target: str) -> None:
    with serve(echo, "") as running:
        answer = raw(running.url, f"GET {target} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        assert answer.endswith(b"\r\n\r\n" + target.encode())
        assert [request.target for request in running.requests] == [target]


def test_a_request_is_kept_whole() -> None:
    with serve(echo, "") as running:
        raw(running.url, b"POST / HTTP/1.1\r\nHost: x\r\nX-Tag: a\r\nx-tag: b\r\nContent-Length: 3\r\n\r\n\xff\x00\n")
        (request,) = running.requests
    assert (request.method, request.body) == ("POST", b"\xff\x00\n")
    assert request.headers[1:3] == (("X-Tag", "a"), ("x-tag", "b"))
    assert request.header("X-TAG") == "a"


def test_a_connection_serves_many_requests() -> None:
    with serve(echo, "") as running:
        connection = HTTPConnection(urlsplit(running.url).netloc, timeout=120)
        for target in ("/1", "/2", "/3"):
            connection.request("GET", target)
            first = connection.sock
            assert connection.getresponse().read() == target.encode()
            assert connection.sock is first
        connection.close()


def test_a_body_of_unknown_length_is_refused() -> None:
    with serve(echo, "") as running:
        answer = raw(running.url, b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 411 Length Required\r\n")
        assert b"Connection: close" in answer


def test_leaving_closes_connections_that_are_still_open() -> None:
    with serve(echo, "") as running:
        place = urlsplit(running.url)
        idle = socket.create_connection((place.hostname, place.port), timeout=120)
        idle.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert idle.recv(65536).endswith(b"/")
    with idle:
        assert idle.recv(1) == b""
    with pytest.raises(OSError, match="refused"):
        socket.create_connection((place.hostname, place.port), timeout=120)


@pytest.mark.parametrize("module", ["mcpgen.demo.petstore", "tests.station"])
@pytest.mark.parametrize("end", ["stdin", "signal", "signal in the background"])
def test_a_process_says_where_it_is_and_ends_quietly(module: str, end: str) -> None:
    command = [sys.executable, "-m", module, "--port", "0", "--api-key", "k"]
    given = subprocess.DEVNULL if "background" in end else subprocess.PIPE
    with subprocess.Popen(command, stdin=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        url = process.stdout.readline().decode().strip()
        target = "/pets/1" if "petstore" in module else "/current?city=Oslo"
        assert call(url, "GET", target, credentials={"X-API-Key": "k"}).status == 200
        if end != "stdin":
            process.send_signal(signal.SIGTERM)
        rest, complaints = process.communicate(timeout=120)
    assert (process.returncode, rest, complaints) == (0, b"", b"")


def test_credentials_are_chosen_by_the_caller() -> None:
    with petstore.serve(api_key="other", token="else") as running:
        assert call(running.url, "GET", "/pets/1").status == 401
        tiger = of_json({"name": "Tiger", "species": "cat"})
        assert call(running.url, "POST", "/pets", tiger, {"Authorization": "Bearer else"}).status == 201
