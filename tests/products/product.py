"""Run a real product, and the server that is generated from the product's own document.

An official client calls the server.
"""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import pytest

from tests.interop import clients
from tests.interop.environments import ROOT
from tests.leaks import searched

DRIVER = Path(__file__).with_name("driver.py")
#: Timeout in seconds of a product's start and of a call. It is long, and no test measures time with it.
PATIENCE = 180
_GRACE = 10
"""Seconds in which a product may end by itself before all its processes are killed."""


def free_port() -> int:
    """Return a free port on loopback."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port: int = listening.getsockname()[1]
        return port


@contextmanager
def running(command: Sequence[str], ready: str, folder: Path, variables: Mapping[str, str] = {}) -> Iterator[None]:
    """Run a product in `folder` during the `with` block.

    The block begins once a line of the product's output matches `ready`.
    """
    process = subprocess.Popen(
        command,
        cwd=folder,
        env={**_environment(), "HOME": str(folder), **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    said: list[str] = []
    try:
        with _impatience(process):
            found = any(re.search(ready, line) for line in _noted(process.stdout, said))
        assert found, f"{command[0]} ended before it was ready:\n{''.join(said[-40:])}"
        draining = threading.Thread(target=said.extend, args=(process.stdout,), daemon=True)
        draining.start()
        try:
            yield
        finally:
            _end(process)
            draining.join()
    finally:
        _end(process)
        process.stdout.close()


def _noted(lines: IO[str], said: list[str]) -> Iterator[str]:
    for line in lines:
        said.append(line)
        yield line


@contextmanager
def _impatience(process: subprocess.Popen[str]) -> Iterator[None]:
    timer = threading.Timer(PATIENCE, lambda: os.killpg(process.pid, signal.SIGKILL))
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _end(process: subprocess.Popen[str]) -> None:
    """End a product and all processes that it started."""
    try:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(_GRACE)
    except (subprocess.TimeoutExpired, ProcessLookupError):
        pass
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(PATIENCE)


def asked(*command: str, folder: Path, variables: Mapping[str, str] = {}) -> str:
    """Run a program of the product in `folder`, and return its output."""
    environment = {**_environment(), "HOME": str(folder), **variables}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
    return done.stdout


def generate(document: str, project: Path, *flags: str) -> Path:
    """Compile the product's document, a path or a URL, into `project`."""
    command = [sys.executable, "-m", "mcpgen", "generate", "--parts", "all", document, "-o", str(project), *flags]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    return project


class Server:
    """A generated server, called by the client of the official Python SDK over stdio.

    `secret`: the server's credential. All results are searched for it.
    """

    def __init__(self, process: subprocess.Popen[str], secret: str) -> None:
        self._process, self._secret = process, secret
        self.tools: dict[str, dict[str, Any]] = {tool["name"]: tool for tool in self._next()["tools"]}

    def call(self, tool: str, **arguments: Any) -> Any:
        """Return the result of a call: JSON as a value, other text as a string, other blocks unchanged.

        Raise AssertionError if the tool reports an error.
        """
        result = self.result(tool, **arguments)
        assert result.get("isError") is not True, (tool, arguments, result)
        (first, *_) = result["content"]
        try:
            return json.loads(first["text"])
        except (KeyError, ValueError):
            return first.get("text", first)

    def refused(self, tool: str, **arguments: Any) -> str:
        """Make a call that must end in a tool error, and return the text of the error."""
        result = self.result(tool, **arguments)
        assert result.get("isError") is True, (tool, arguments, result)
        text: str = result["content"][0]["text"]
        return text

    def result(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Return the complete result of a call."""
        answer = self._ask({"tool": tool, "arguments": arguments})
        assert "error" not in answer, (tool, arguments, answer)
        return answer

    def _ask(self, wanted: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(wanted) + "\n")
        self._process.stdin.flush()
        return self._next()

    def _next(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        with _impatience(self._process):
            line = self._process.stdout.readline()
        assert line, "the client ended without an answer"
        searched(line.encode(), self._secret)
        answer: dict[str, Any] = json.loads(line)
        return answer


@contextmanager
def served(project: Path, variables: Mapping[str, str], secret: str) -> Iterator[Server]:
    """Start the generated server in `project` by the official client, and yield it.

    Skip the test if the client cannot be installed.
    """
    try:
        environment = clients.ENVIRONMENTS["python-2"]()
    except (RuntimeError, OSError, subprocess.SubprocessError) as failure:
        pytest.skip(f"mcp cannot be installed: {str(failure)[-300:]}")
    (package,) = (path.name for path in project.glob("*_mcp"))
    server = {
        "command": sys.executable,
        "args": ["-m", package],
        "env": {"PYTHONPATH": str(project), **variables},
    }
    process = subprocess.Popen(
        [str(environment / "bin" / "python"), "-I", str(DRIVER)],
        env=_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert process.stdin is not None
        process.stdin.write(json.dumps(server) + "\n")
        process.stdin.flush()
        yield Server(process, secret)
    finally:
        _end(process)
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()


def _environment() -> dict[str, str]:
    """Return the environment without Python's variables of the test run, and without proxies."""
    return {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("PYTHON", "NODE_")) and not key.lower().endswith("_proxy")
    }
