"""A server whose process has limits of the system: one that works without an end is ended, and costs the test alone."""

from __future__ import annotations

import resource
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.hostile.subject import BASE, PACKAGE
from tests.runtime.process import Server
from tests.runtime.upstream import Upstream

MIB = 2**20
ADDRESS_SPACE = 3 * 1024 * MIB
MOST_MEMORY = 256 * MIB
"""Beyond what an ordinary call leaves the process with."""


def limited(cpu_seconds: int, descriptors: int = 0) -> Callable[[], None]:
    """What sets the limits in the process, before it becomes the server."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
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
    """The server of a project, in front of that upstream."""
    environ = {"HOSTILE_BASE_URL": f"http://127.0.0.1:{upstream.port}{BASE}", **(variables or {})}
    return Server(project, package=PACKAGE, env=environ, preexec_fn=limited(cpu_seconds, descriptors))


def peak(server: Server) -> int:
    """The most memory that the process had, in bytes."""
    return memory(server, "VmHWM")


def memory(server: Server, name: str) -> int:
    """What the system says of the memory of the process, in bytes."""
    status = Path(f"/proc/{server.process.pid}/status").read_text(encoding="utf-8")
    return int(status.partition(f"{name}:")[2].split()[0]) * 1024


def said(server: Server, tool: str, arguments: dict[str, Any]) -> str:
    """The text of what a call came to, or of its error."""
    id_ = server.request("tools/call", name=tool, arguments=arguments)
    while (message := server.message()).get("id") != id_:
        assert message["method"] == "notifications/progress"
    if "error" in message:
        return str(message["error"]["message"])
    return "\n".join(block.get("text", "") for block in message["result"]["content"])
