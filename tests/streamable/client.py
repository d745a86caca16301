"""HTTP/1.1 client on a raw socket: it sends any bytes, reads responses and event streams, and checks their framing."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from typing import Any, NamedTuple

from tests.streamable.upstream import PATIENCE

Fields = dict[str, str]


class Event(NamedTuple):
    """One server-sent event, or a comment of the stream, which has only its text."""

    data: str = ""
    id: str | None = None
    retry: int | None = None
    kind: str | None = None
    comment: str = ""

    @property
    def message(self) -> Any:
        """Return the data of the event parsed as JSON."""
        return json.loads(self.data)


class Answer(NamedTuple):
    """A complete HTTP response."""

    status: int
    fields: list[tuple[str, str]]
    body: bytes

    def field(self, name: str) -> str | None:
        """Return the value of a header field, or None if it is missing. Fail if the field occurs twice."""
        found = [value for key, value in self.fields if key == name.lower()]
        assert len(found) <= 1, f"{name} is there more than once"
        return found[0] if found else None

    @property
    def message(self) -> Any:
        """Return the body parsed as JSON."""
        return json.loads(self.body)


class Connection:
    """One connection to a server, used as a context manager."""

    def __init__(self, port: int, source: str = "127.0.0.1") -> None:
        self.port = port
        self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE, (source, 0))
        self._file = self.socket.makefile("rb")
        self._chunked = False
        self._left = b""

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection, as a client does that goes away."""
        self._file.close()
        self.socket.close()

    def send(self, method: str, path: str = "/mcp", fields: Fields | None = None, body: bytes = b"") -> None:
        """Write one request with these fields. Host and Content-Length are added if missing."""
        given = fields or {}
        lower = {name.lower() for name in given}
        lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in given.items())]
        if "host" not in lower:
            lines.append(f"Host: 127.0.0.1:{self.port}")
        if (body or method == "POST") and not {"content-length", "transfer-encoding"} & lower:
            lines.append(f"Content-Length: {len(body)}")
        self.write("\r\n".join([*lines, "", ""]).encode("latin-1") + body)

    def write(self, data: bytes) -> None:
        """Write any bytes to the connection."""
        self.socket.sendall(data)

    def head(self) -> Answer:
        """Read the head of a response, and return it without a body."""
        line = self._line()
        assert line, "the server closed the connection"
        version, status, _ = line.split(b" ", 2)
        assert version in (b"HTTP/1.0", b"HTTP/1.1")
        fields = []
        while line := self._line():
            name, _, value = line.partition(b":")
            fields.append((name.decode().lower(), value.decode("latin-1").strip()))
        self._chunked = ("transfer-encoding", "chunked") in fields
        return Answer(int(status), fields, b"")

    def answer(self, bodyless: bool = False) -> Answer:
        """Read a response to its end, and return it. `bodyless`: the response has no body, as for HEAD."""
        head = self.head()
        while head.status == 100:
            head = self.head()
        if self._chunked:
            return head._replace(body=b"".join(self._chunks()))
        length = head.field("content-length")
        if bodyless or head.status in (204, 304):
            return head
        if length is None:
            assert head.field("connection") == "close"
            return head._replace(body=self._file.read())
        return head._replace(body=self._file.read(int(length)))

    def ask(self, method: str, path: str = "/mcp", fields: Fields | None = None, body: bytes = b"") -> Answer:
        """Write a request, and return its response."""
        self.send(method, path, fields, body)
        return self.answer(bodyless=method == "HEAD")

    def stream(self) -> Answer:
        """Read the head of an event stream, and check its fields."""
        head = self.head()
        assert head.status == 200, head
        assert (head.field("content-type") or "").partition(";")[0] == "text/event-stream"
        assert head.field("cache-control") == "no-cache, no-transform"
        assert head.field("x-accel-buffering") == "no"
        assert head.field("content-encoding") is None
        return head

    def events(self, comments: bool = False) -> Iterator[Event]:
        """Yield the events of a stream as they arrive, until the stream ends.

        Leave out comments unless `comments` is given.
        """
        assert self._chunked
        for block in self._blocks():
            event = _event(block)
            if comments or not event.comment:
                yield event

    def event(self) -> Event:
        """Return the next event of a stream."""
        return next(self.events())

    def messages(self) -> list[Any]:
        """Read a stream to its end, and return its messages."""
        return [each.message for each in self.events() if each.data]

    def is_closed(self) -> bool:
        """Wait for a byte or the end of the connection. Return True if the connection has ended."""
        try:
            return not self._file.read(1)
        except ConnectionError:
            return True

    def _line(self) -> bytes:
        line = self._file.readline(65536)
        assert line.endswith(b"\r\n") or not line
        return line[:-2]

    def _chunks(self) -> Iterator[bytes]:
        while size := int(self._line(), 16):
            yield self._file.read(size)
            assert self._line() == b""
        assert self._line() == b""

    def _blocks(self) -> Iterator[str]:
        """Yield each block of lines of the stream, without the empty line that ends a block."""
        while True:
            block, found, rest = self._left.partition(b"\n\n")
            if found:
                self._left = rest
                yield block.decode()
                continue
            size = int(self._line(), 16)
            self._left += self._file.read(size)
            assert self._line() == b""
            if not size:
                assert self._left == b"", "the stream ended inside an event"
                return


def _event(block: str) -> Event:
    if block.startswith(":"):
        return Event(comment=block[1:].strip())
    found: dict[str, str] = {}
    for line in block.split("\n"):
        name, _, value = line.partition(":")
        assert name not in found, f"{name} twice in one event"
        found[name] = value.removeprefix(" ")
    assert set(found) <= {"id", "event", "retry", "data"}
    retry = int(found["retry"]) if "retry" in found else None
    return Event(found["data"], found.get("id"), retry, found.get("event"))
