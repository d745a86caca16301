"""A small HTTP server on a raw socket, in a thread. It records each request, and a function answers it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import NamedTuple, Self
from urllib.parse import parse_qsl, urlsplit

PATIENCE = 60
"""Timeout in seconds for an event that must happen. No test measures time with it."""


class Asked(NamedTuple):
    """A received request. `raw`: all of its bytes."""

    method: str
    target: str
    fields: dict[str, str]
    body: bytes
    raw: bytes

    @property
    def path(self) -> str:
        """Return the target without its query."""
        return urlsplit(self.target).path

    @property
    def form(self) -> dict[str, str]:
        """Return the fields of a urlencoded form in the body."""
        return dict(parse_qsl(self.body.decode(), keep_blank_values=True))


Answer = tuple[int, bytes]


class Endpoint:
    """HTTP server that runs until the end of its `with` block."""

    def __init__(self, answer: Callable[[Asked], Answer]) -> None:
        self.port = 0
        self.requests: list[Asked] = []
        self.held = threading.Event()
        self._answer = answer
        self._loop = asyncio.new_event_loop()
        self._stopped = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._serve(),), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(PATIENCE)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stopped.set)
        self._thread.join(PATIENCE)
        self._loop.close()

    @property
    def origin(self) -> str:
        """Return the origin of the server's URLs."""
        return f"http://127.0.0.1:{self.port}"

    async def _serve(self) -> None:
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0, backlog=1024)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stopped.wait()
        server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
                method, target, _ = first.split(" ")
                fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
                body = await reader.readexactly(int(fields.get("content-length", "0")))
                asked = Asked(method, target, fields, body, head + body)
                self.requests.append(asked)
                status, said = self._answer(asked)
                head = b"HTTP/1.1 %d Said\r\nContent-Type: application/json\r\n" % status
                writer.write(head + b"Content-Length: %d\r\n\r\n%b" % (len(said), said))
                await writer.drain()
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            pass
        finally:
            self._tasks.discard(task)
            writer.close()
