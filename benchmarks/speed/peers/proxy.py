"""Run a minimal proxy that shows the least time a server can need: asyncio with its own HTTP/1.1, one tool, no checks.

BASE_URL is the URL of the API. The tool's name determines the path, into which the argument `number` is put.
"""

import asyncio
import json
import os
import sys
from collections import deque
from typing import Any
from urllib.parse import urlsplit

HOST, PORT = str(urlsplit(os.environ["BASE_URL"]).hostname), urlsplit(os.environ["BASE_URL"]).port or 80
REQUEST = f"GET /%s/%s HTTP/1.1\r\nHost: {HOST}:{PORT}\r\nX-API-Key: {os.environ['KEY']}\r\n\r\n"


class Upstream(asyncio.Protocol):
    """One connection to the API, with one request at a time."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.came = bytearray()
        self.body, self.end = 0, 0

    def ask(self, request: bytes, id_: int) -> None:
        self.id = id_
        self.transport.write(request)

    def data_received(self, data: bytes) -> None:
        self.came += data
        if not self.end and (end := self.came.find(b"\r\n\r\n")) >= 0:
            fields = self.came[:end].lower().split(b"\r\ncontent-length:", 1)[1]
            self.body = end + 4
            self.end = self.body + int(fields.split(b"\r\n", 1)[0])
        if self.end and len(self.came) >= self.end:
            text = self.came[self.body : self.end].decode()
            self.came.clear()
            self.end = 0
            idle.append(self)
            answer(self.id, {"content": [{"type": "text", "text": text}], "isError": False})


idle: deque[Upstream] = deque()


def answer(id_: int, result: dict[str, Any]) -> None:
    line = json.dumps({"jsonrpc": "2.0", "id": id_, "result": result}, separators=(",", ":")).encode() + b"\n"
    rest = memoryview(line)
    while rest:
        rest = rest[os.write(1, rest) :]


async def call(message: dict[str, Any]) -> None:
    name = message["params"]["name"].removeprefix("get_")
    request = (REQUEST % (name, message["params"]["arguments"]["number"])).encode()
    if not idle:
        _, made = await asyncio.get_running_loop().create_connection(Upstream, HOST, PORT)
        made.ask(request, message["id"])
    else:
        idle.popleft().ask(request, message["id"])


async def main() -> None:
    loop = asyncio.get_running_loop()
    tasks: set[asyncio.Task[None]] = set()
    reader = asyncio.StreamReader(limit=2**20)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        message = json.loads(line)
        if message["method"] == "initialize":
            info = {"name": "floor", "version": "0"}
            answer(message["id"], {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": info})
        elif message["method"] == "tools/list":
            answer(message["id"], {"tools": [{"name": "get_small", "inputSchema": {"type": "object"}}]})
        elif message["method"] == "tools/call":
            tasks.add(task := asyncio.ensure_future(call(message)))
            task.add_done_callback(tasks.discard)


asyncio.run(main())
