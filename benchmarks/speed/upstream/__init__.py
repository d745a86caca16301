"""Run the API that every measured server calls. The API must be faster than all of them.

It is nginx if installed; else our server in C, if there is a compiler and epoll; else a Python server on asyncio in
several processes. `ceiling` measures the API in each run, so that a report can compare the servers' rates with the
API's.
"""

from __future__ import annotations

import select
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

HERE = Path(__file__).parent
Kind = Literal["nginx", "C", "asyncio"]
NAMES: dict[Kind, str] = {
    "nginx": "nginx",
    "C": "a server of ours in C (one process, epoll)",
    "asyncio": "a server of ours on asyncio (two processes)",
}
PATIENCE = 10.0
"""Seconds within which the API must begin to listen."""

# `tcp_nopush` sends head and body of a response in one packet, as most APIs do. `etag off` is set because our results
# show an ETag beside the body.
_NGINX = """
daemon off; master_process off; pid {folder}/pid; error_log {folder}/error.log; worker_rlimit_nofile 4096;
events {{ worker_connections 2048; }}
http {{
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  access_log off; etag off; keepalive_requests 1000000000; keepalive_timeout 3600;
  tcp_nodelay on; tcp_nopush on; sendfile on;
  open_file_cache max=10 inactive=3600s; open_file_cache_valid 3600s; default_type application/json;
  server {{ listen 127.0.0.1:{port}; root {folder}; {locations} }}
}}
"""


@dataclass(frozen=True, slots=True)
class Upstream:
    """The API's port, and the kind of program that serves the API."""

    kind: Kind
    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


def kinds() -> list[Kind]:
    """Return the kinds of API server that this machine can run, the preferred one first."""
    there = {"nginx": shutil.which("nginx"), "C": shutil.which("cc") and hasattr(select, "epoll"), "asyncio": True}
    return [kind for kind in NAMES if there[kind]]


@contextmanager
def serving(bodies: Mapping[str, bytes], kind: Kind | None = None) -> Iterator[Upstream]:
    """Serve the bodies within the `with` block: each path that begins with `/NAME` gets `bodies[NAME]`."""
    chosen = kind or kinds()[0]
    with tempfile.TemporaryDirectory() as folder:
        for name, content in bodies.items():
            Path(folder, f"{name}.json").write_bytes(content)
        command, port = _command(chosen, Path(folder), list(bodies))
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            upstream = Upstream(chosen, port or int(process.stdout.readline()))
            _await(upstream.port)
            yield upstream
        finally:
            process.stdin.close()
            if port:
                process.terminate()
            process.wait()
            process.stdout.close()


def _command(kind: Kind, folder: Path, names: list[str]) -> tuple[list[str], int]:
    """Return the command that starts the API, and the API's port, or 0 if the program chooses and prints the port."""
    pairs = [f"{name}={folder / name}.json" for name in names]
    if kind == "asyncio":
        return [sys.executable, str(HERE / "plain.py"), *pairs], 0
    if kind == "C":
        program = folder / "server"
        subprocess.run(["cc", "-O2", "-o", str(program), str(HERE / "server.c")], check=True)
        return [str(program), *pairs], 0
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    locations = " ".join(f"location /{name} {{ rewrite ^ /{name}.json break; }}" for name in names)
    config = folder / "nginx.conf"
    config.write_text(_NGINX.format(folder=folder, port=port, locations=locations))
    return ["nginx", "-p", str(folder), "-c", str(config)], port


def _await(port: int) -> None:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)
        else:
            return


def ceiling(upstream: Upstream, name: str, size: int, requests: int) -> float:
    """Return how many responses a second the API gives to one client, with 8 connections of 8 requests at a time.

    This client does far less work than any server. So its rate is a lower bound of the API's maximum.
    """
    connections, depth = 8, 8
    line = f"GET /{name}/1 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode() * depth
    rounds = max(1, requests // (connections * depth))
    links = [socket.create_connection(("127.0.0.1", upstream.port)) for _ in range(connections)]
    try:
        links[0].sendall(line)
        whole = _length(links[0], size, depth)
        began = time.perf_counter()
        for _ in range(rounds):
            for link in links:
                link.sendall(line)
            for link in links:
                _take(link, whole)
        return rounds * connections * depth / (time.perf_counter() - began)
    finally:
        for link in links:
            link.close()


def _length(link: socket.socket, size: int, answers: int) -> int:
    """Request `answers` responses with a body of `size` bytes, and return the number of bytes received."""
    came = b""
    while b"\r\n\r\n" not in came:
        came += link.recv(65536)
    whole = (came.index(b"\r\n\r\n") + 4 + size) * answers
    _take(link, whole - len(came))
    return whole


def _take(link: socket.socket, size: int) -> None:
    while size:
        came = len(link.recv(min(size, 1 << 20)))
        if not came:
            raise ConnectionError("the API closed a connection while it was measured")
        size -= came
