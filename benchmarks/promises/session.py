"""Run a client with many concurrent calls, and an API that answers late or never."""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from tests.hostile.subject import BASE, PACKAGE
from tests.leaks import planted
from tests.runtime.revisions import ENVELOPE
from tests.runtime.upstream import Connection, Play

_LONGEST_LINE = 64 * 2**20
# The API's response at the path /case
_ANSWER = b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n{"a":"an item"}'


class Session:
    """A server and its client. `lost`: number of responses to an id that was answered before or never requested."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.lost = 0
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._last = 0
        self._reader = asyncio.ensure_future(self._read())

    @property
    def pid(self) -> int:
        return self.process.pid

    async def request(self, method: str, **params: Any) -> dict[str, Any]:
        """Send one request, and return its response."""
        return await self.begin(method, **params)[1]

    def begin(self, method: str, **params: Any) -> tuple[int, asyncio.Future[dict[str, Any]]]:
        """Send a request. Return its id, and a future for its response."""
        self._last += 1
        message = {"jsonrpc": "2.0", "id": self._last, "method": method, "params": {**params, "_meta": ENVELOPE}}
        self.write(json.dumps(message).encode() + b"\n")
        future = self._waiting[self._last] = asyncio.get_running_loop().create_future()
        return self._last, future

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Make one call, and return its result."""
        answer = await self.request("tools/call", name=tool, arguments=arguments)
        return dict(answer.get("result") or {"isError": True, "content": [], **answer})

    def cancel(self, id_: int) -> None:
        """Cancel the request with this id by a notification."""
        if self._waiting.pop(id_, None) is not None:
            message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id_}}
            self.write(json.dumps(message).encode() + b"\n")

    def write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)

    async def end(self) -> int:
        """Close stdin, wait for the server to end, and return its exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return await self.process.wait()

    def resident(self, name: str = "VmRSS") -> float:
        """Return the memory of the process in MiB: now (VmRSS), or its peak (VmHWM)."""
        found = re.search(rf"{name}:\s+(\d+)", Path(f"/proc/{self.pid}/status").read_text())
        assert found is not None
        return int(found[1]) / 1024

    def descriptors(self) -> int:
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    async def _read(self) -> None:
        assert self.process.stdout is not None
        async for line in self.process.stdout:
            message = json.loads(line)
            future = self._waiting.pop(message.get("id"), None)
            if future is not None and future.done():
                # The caller has just cancelled the request, so this response is neither delivered nor counted as lost
                continue
            if future is not None:
                future.set_result(message)
            elif message.get("id", 0) > self._last or "id" not in message:
                self.lost += 1


@asynccontextmanager
async def session(project: Path, port: int, environ: Mapping[str, str] | None = None) -> AsyncIterator[Session]:
    """Yield a session with a server whose API is at this port on loopback."""
    base = {"HOSTILE_BASE_URL": f"http://127.0.0.1:{port}{BASE}"}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", PACKAGE),
        cwd=project,
        env={**planted("HOSTILE"), **base, **(environ or {})},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        limit=_LONGEST_LINE,
    )
    try:
        yield Session(process)
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def within(most: float, seed: int = 1) -> Play:
    """Return an API that answers after a random time of at most `most` seconds. It never answers requests whose
    parameter `n` is negative.
    """
    chance = random.Random(seed)

    async def play(connection: Connection) -> None:
        while request := await connection.request():
            if b"n=-" in request.split(b"\r\n")[0]:
                await connection.closed()
                return
            await asyncio.sleep(chance.uniform(0, most))
            await connection.send(_ANSWER)

    return play
