"""Run an upstream on a raw socket, in a thread of its own.

The path selects the response. The upstream records the requests that arrive, and the held requests whose client closes
the connection.

/echo/TEXT     responds with the path, at once
/hold/NAME     responds with the path, once the test releases this name
/large/SIZE    responds with this many letters
/things/ID     responds with the path
"""

from __future__ import annotations

import asyncio
import re
import threading
from collections import defaultdict
from urllib.parse import unquote

PATIENCE = 30
"""Timeout in seconds for an event that must happen. No test measures time with it."""


class Upstream:
    """Upstream that runs until the tests end.

    `arrived`, `left`: events by the name of a held request, set when the request arrives and when its client leaves.
    """

    def __init__(self) -> None:
        self.port = 0
        self.requests: list[str] = []
        self.heads: list[bytes] = []
        self.connections = 0
        self.arrived: dict[str, threading.Event] = defaultdict(threading.Event)
        self.left: dict[str, threading.Event] = defaultdict(threading.Event)
        self._released: dict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self._loop = asyncio.new_event_loop()
        self._stopped = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        ready = threading.Event()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._serve(ready),), daemon=True)
        self._thread.start()
        assert ready.wait(PATIENCE)

    def wait(self, name: str) -> None:
        """Wait until the held request with this name has arrived."""
        assert self.arrived[name].wait(PATIENCE), f"{name} did not arrive"

    def wait_until_left(self, name: str) -> None:
        """Wait until the client has closed the connection of the held request with this name."""
        assert self.left[name].wait(PATIENCE), f"nobody left {name}"

    def release(self, *names: str) -> None:
        """Answer the held requests with these names (`/hold/NAME`), also requests that arrive later."""
        for name in names:
            self._loop.call_soon_threadsafe(self._released[name].set)

    def close(self) -> None:
        """End the upstream's thread."""
        self._loop.call_soon_threadsafe(self._stopped.set)
        self._thread.join(PATIENCE)
        self._loop.close()

    async def _serve(self, ready: threading.Event) -> None:
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0, backlog=1024)
        self.port = server.sockets[0].getsockname()[1]
        ready.set()
        await self._stopped.wait()
        server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                found = re.search(rb"(?im)^content-length: *(\d+)", head)
                await reader.readexactly(int(found[1]) if found else 0)
                path = head.split(b" ")[1].decode()
                self.requests.append(path)
                self.heads.append(head)
                body = await self._body(path, reader)
                fields = b"Content-Type: text/plain\r\nContent-Length: %d" % len(body)
                writer.write(b"HTTP/1.1 200 OK\r\n%b\r\n\r\n%b" % (fields, body))
                await writer.drain()
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            pass
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _body(self, path: str, reader: asyncio.StreamReader) -> bytes:
        kind, _, value = path.partition("?")[0].removeprefix("/").partition("/")
        if kind == "large":
            return b"x" * int(value)
        if kind == "count":
            return str(len(self.requests)).encode()
        if kind == "hold":
            await self._hold(unquote(value), reader)
        return path.encode()

    async def _hold(self, name: str, reader: asyncio.StreamReader) -> None:
        """Wait until the test releases this name. Raise ConnectionError if the client leaves before."""
        self.arrived[name].set()
        released = asyncio.ensure_future(self._released[name].wait())
        gone = asyncio.ensure_future(reader.read(1))
        await asyncio.wait((released, gone), return_when=asyncio.FIRST_COMPLETED)
        for each in (released, gone):
            each.cancel()
        await asyncio.gather(released, gone, return_exceptions=True)
        if not gone.cancelled():
            self.left[name].set()
            raise ConnectionError
