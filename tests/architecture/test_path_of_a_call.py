"""Test how many files of the server a warm call passes, and how often it goes from one file to another.

Whoever follows a call through the code opens these files, in this order. The figures may only fall: a feature must not
lengthen the path of a call that does not use it.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pytest

from tests.leaks import planted
from tests.streamable.client import Connection
from tests.streamable.conftest import TOOLS
from tests.streamable.messages import JSON, call, calling, encoded, mirrored, request
from tests.streamable.upstream import Upstream

TRACED = Path(__file__).with_name("traced.py")
WARM = 3
"""Calls before the traced ones: the first calls load modules and fill caches."""
TRIES = 5
"""Traced calls, of which the shortest counts: beside a call, a busy server may also report progress, for example."""

Speak = Callable[[int], None]
"""Function that makes the call with this number, and waits for its response."""


@contextmanager
def over_stdio(server: subprocess.Popen[bytes]) -> Iterator[Speak]:
    def speak(number: int) -> None:
        server.stdin.write(encoded(calling("echo", number, text="a")) + b"\n")  # type: ignore[union-attr]
        server.stdin.flush()  # type: ignore[union-attr]
        assert json.loads(server.stdout.readline())["id"] == number  # type: ignore[union-attr]

    yield speak


@contextmanager
def over_http(server: subprocess.Popen[bytes]) -> Iterator[Speak]:
    with Connection(port(server.stderr)) as connection:

        def speak(number: int) -> None:
            message = calling("echo", number, text="a")
            assert connection.ask("POST", fields=mirrored(message), body=encoded(message)).status == 200

        yield speak


@contextmanager
def in_a_session(server: subprocess.Popen[bytes]) -> Iterator[Speak]:
    client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "tests", "version": "1"}}
    with Connection(port(server.stderr)) as connection:
        greeting = connection.ask("POST", fields=JSON, body=encoded(request("initialize", 0, **client)))
        fields = {**JSON, "Mcp-Session-Id": greeting.field("mcp-session-id") or ""}

        def speak(number: int) -> None:
            assert connection.ask("POST", fields=fields, body=encoded(call("echo", number, text="a"))).status == 200

        yield speak


def port(log: IO[bytes] | None) -> int:
    assert log is not None
    for line in log:
        if found := re.search(rb"http://127\.0\.0\.1:(\d+)", line):
            return int(found[1])
    raise AssertionError("the server ended")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a generated project whose tool `echo` sends one GET request with an API key."""
    folder = tmp_path_factory.mktemp("path") / "caller"
    subprocess.run(
        [sys.executable, "-m", "mcpgen", "generate", "--parts=all", str(TOOLS), "-o", str(folder)], check=True
    )
    return folder


@pytest.mark.parametrize(
    ("door", "flags", "files", "changes"),
    [
        (over_stdio, (), 25, 126),
        (over_http, ("--http", "0"), 30, 182),
        (in_a_session, ("--http", "0"), 33, 190),
    ],
    ids=["stdio", "HTTP", "HTTP in a session"],
)
def test_a_call_passes_few_files(project: Path, door: Any, flags: tuple[str, ...], files: int, changes: int) -> None:
    upstream, (reading, writing) = Upstream(), os.pipe()
    command = [sys.executable, str(TRACED), str(writing), "caller_mcp", *flags]
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    environ = {**planted("CALLER"), "CALLER_BASE_URL": f"http://127.0.0.1:{upstream.port}"}
    with subprocess.Popen(command, cwd=project, env=environ, pass_fds=[writing], **pipes) as server:
        os.close(writing)
        try:
            with door(server) as speak, open(reading, "rb") as told:
                for number in range(1, WARM + 1):
                    speak(number)
                server.send_signal(signal.SIGUSR1)
                told.readline()
                found = []
                for number in range(WARM + 1, WARM + TRIES + 1):
                    speak(number)
                    server.send_signal(signal.SIGUSR1)
                    found.append(json.loads(told.readline()))
        finally:
            server.kill()
            upstream.close()
    shortest = min(found, key=lambda each: len(each["files"]))["files"]
    assert "calls/execution.py" in shortest
    assert len(shortest) <= files, shortest
    assert min(each["changes"] for each in found) <= changes
