"""Provide the server that is attacked: compiled from `hostile.tools.yaml`, run as a process, with a raw socket as its
API.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mcpgen.cli import main
from tests.runtime.process import Server
from tests.runtime.upstream import Play, Upstream, serving

TOOLS = Path(__file__).with_name("hostile.tools.yaml")
BASE = "/api/v1"
PACKAGE = "hostile_mcp"


def compiled(folder: Path, source: Path = TOOLS) -> Path:
    """Generate the project into this folder, and return its path."""
    silence = io.StringIO()
    with contextlib.redirect_stdout(silence), contextlib.redirect_stderr(silence), contextlib.suppress(SystemExit):
        main(["generate", str(source), "-o", str(folder / "project"), "--name", "hostile"])
    assert (folder / "project" / PACKAGE).is_dir()
    return folder / "project"


@contextmanager
def playing(play: Play) -> Iterator[Upstream]:
    """Yield an upstream API that behaves as `play` says, in an event loop in its own thread."""
    ready, over = threading.Event(), asyncio.Event()
    upstream: list[Upstream] = []
    loops: list[asyncio.AbstractEventLoop] = []

    async def run() -> None:
        async with serving(play) as served:
            upstream.append(served)
            loops.append(asyncio.get_running_loop())
            ready.set()
            await over.wait()

    thread = threading.Thread(target=asyncio.run, args=(run(),), daemon=True)
    thread.start()
    ready.wait()
    try:
        yield upstream[0]
    finally:
        loops[0].call_soon_threadsafe(over.set)
        thread.join()


def started(project: Path, upstream: Upstream, **variables: str) -> Server:
    """Start the server with this upstream as its API."""
    environ = {"HOSTILE_BASE_URL": f"http://127.0.0.1:{upstream.port}{BASE}", **variables}
    return Server(project, package=PACKAGE, env=environ)
