"""Run a server under resource limits of the system.

A server that works endlessly is killed, and only its own test fails.
"""

from __future__ import annotations

import resource
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.hostile.pace import paced
from tests.hostile.subject import BASE, PACKAGE
from tests.runtime.process import Server
from tests.runtime.upstream import Upstream

MIB = 2**20
ADDRESS_SPACE = 3 * 1024 * MIB
MOST_MEMORY = 256 * MIB
"""Limit in bytes on the memory that a server uses in addition to its memory after an ordinary call."""


def limited(cpu_seconds: int, descriptors: int = 0, memory: int = ADDRESS_SPACE) -> Callable[[], None]:
    """Return a function that sets the resource limits in the child process before its program starts there."""
    seconds = paced(cpu_seconds)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        if descriptors:
            resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))

    return limit


def serving(
    project: Path,
    upstream: Upstream,
    cpu_seconds: int,
    descriptors: int = 0,
    variables: Mapping[str, str] | None = None,
) -> Server:
    """Start the server of a project under limits, with `upstream` as its API."""
    environ = {"HOSTILE_BASE_URL": f"http://127.0.0.1:{upstream.port}{BASE}", **(variables or {})}
    return Server(project, package=PACKAGE, env=environ, preexec_fn=limited(cpu_seconds, descriptors))


def peak(server: Server) -> int:
    """Return the peak memory of the process in bytes."""
    return memory(server, "VmHWM")


def memory(server: Server, name: str) -> int:
    """Return a field of the process's memory in /proc/PID/status, in bytes."""
    status = Path(f"/proc/{server.process.pid}/status").read_text(encoding="utf-8")
    return int(status.partition(f"{name}:")[2].split()[0]) * 1024


def said(server: Server, tool: str, arguments: dict[str, Any]) -> str:
    """Call a tool, and return the text of its result or error."""
    id_ = server.request("tools/call", name=tool, arguments=arguments)
    while (message := server.message()).get("id") != id_:
        assert message["method"] == "notifications/progress"
    if "error" in message:
        return str(message["error"]["message"])
    return "\n".join(block.get("text", "") for block in message["result"]["content"])
