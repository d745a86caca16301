"""Serve the API where there is neither nginx nor a C compiler: HTTP on asyncio protocols, in several processes.

    python plain.py NAME=FILE...

Like server.c in the same folder, it prints its port, answers `METHOD /NAME...` with the content of a file, and ends
when its stdin is closed.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys

PROCESSES = 2
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"


class Connection(asyncio.Protocol):
    """One persistent connection."""

    def __init__(self, answers: dict[bytes, bytes]) -> None:
        self._answers = answers
        self._came = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        # Set TCP_NODELAY here: asyncio sets it only for sockets whose protocol number is explicit.
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def data_received(self, data: bytes) -> None:
        self._came += data
        while length := _whole(self._came):
            request, self._came = self._came[:length], self._came[length:]
            target = request.split(b" ", 2)[1]
            name = target.partition(b"?")[0].split(b"/", 2)[1]
            if name not in self._answers:
                self._transport.abort()
                return
            self._transport.write(self._answers[name])


def _whole(came: bytes) -> int:
    """Return the length of the first request in `came` with its body, or 0 if the request is incomplete."""
    head, end, rest = came.partition(b"\r\n\r\n")
    if not end:
        return 0
    lengths = [line.split(b":")[1] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    body = sum(map(int, lengths))
    return len(head) + len(end) + body if len(rest) >= body else 0


def _loaded(pair: str) -> tuple[bytes, bytes]:
    name, _, path = pair.partition("=")
    with open(path, "rb") as file:
        content = file.read()
    return name.encode(), HEAD % len(content) + content


async def _serve(listener: socket.socket, answers: dict[bytes, bytes]) -> None:
    server = await asyncio.get_running_loop().create_server(lambda: Connection(answers), sock=listener)
    await server.serve_forever()


def main() -> None:
    answers = dict(map(_loaded, sys.argv[1:]))
    listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
    listener.setblocking(False)
    children = []
    for _ in range(PROCESSES):
        if not (child := os.fork()):
            asyncio.run(_serve(listener, answers))
        children.append(child)
    print(listener.getsockname()[1], flush=True)
    sys.stdin.read()
    for child in children:
        os.kill(child, signal.SIGKILL)


if __name__ == "__main__":
    main()
