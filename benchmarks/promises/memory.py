"""Measure REL-03: by how much a hostile API or client raises a server's peak memory.

The increase is measured from the peak that the server has after one call with a small response.
"""

from __future__ import annotations

import asyncio
import gzip
import zlib
from collections.abc import Awaitable, Callable
from pathlib import Path

from benchmarks.bars import Bar
from benchmarks.promises.session import Session, session
from tests.runtime.upstream import OK, Connection, Play, answer, answer_ok, serving

MIB = 2**20
_JSON = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
Deed = Callable[[Session], Awaitable[object]]


def _flood(head: bytes, piece: bytes, times: int) -> Play:
    async def play(connection: Connection) -> None:
        await connection.request()
        await connection.send(head + b"\r\n")
        for _ in range(times):
            await connection.send(piece)

    return play


def _whole(content: bytes, *fields: bytes) -> Play:
    return _flood(
        _JSON + b"".join(field + b"\r\n" for field in fields) + b"Content-Length: %d\r\n" % len(content), content, 1
    )


def _bomb() -> bytes:
    """Return 200 MB, compressed by gzip."""
    packer = zlib.compressobj(9, wbits=31)
    return b"".join(packer.compress(b"0" * MIB) for _ in range(200)) + packer.flush()


def _plays() -> dict[str, Play]:
    chunk = b"%x\r\n%s\r\n" % (MIB, b"[0]," * (MIB // 4))
    return {
        "UP-01 1 GiB by its length": _flood(_JSON + b"Content-Length: %d\r\n" % 2**30, b"x" * MIB, 1024),
        "UP-01 1 GiB in chunks": _flood(_JSON + b"Transfer-Encoding: chunked\r\n", chunk, 1024),
        "UP-01 a billion gigabytes": _flood(_JSON + b"Content-Length: %d\r\n" % 10**18, b"x" * MIB, 1024),
        "UP-02 200 MB in gzip": _whole(_bomb(), b"Content-Encoding: gzip"),
        "UP-02 10,000 members": _whole(gzip.compress(b"0" * 20_000) * 10_000, b"Content-Encoding: gzip"),
        "UP-07 100,000 deep": _whole(b"[" * 100_000 + b"]" * 100_000),
        "UP-07 8 MiB of small objects": _whole(b"[" + b'{"a":1},' * MIB + b"0]"),
        "UP-07 1 MB of empty lists": _whole(b"[" + b"[]," * (MIB // 3) + b"0]"),
    }


async def _endless_line(server: Session) -> None:
    for _ in range(100):
        server.write(b"x" * MIB)
        assert server.process.stdin is not None
        await server.process.stdin.drain()
    server.write(b"\n")
    await server.request("tools/list")


async def _unread(server: Session) -> None:
    """Make 10,000 calls whose responses are not read for a while."""
    assert server.process.stdout is not None
    transport = server.process._transport.get_pipe_transport(1)  # type: ignore[attr-defined]
    transport.pause_reading()
    answers = [server.begin("tools/call", name="get_case", arguments={"n": number})[1] for number in range(10_000)]
    await asyncio.sleep(10)
    transport.resume_reading()
    await asyncio.gather(*answers)


async def _grown(project: Path, play: Play, deed: Deed) -> float:
    """Return how many MiB the work `deed` adds to a server's peak memory, with an API that behaves as `play`."""
    connections = 0

    async def first_well(connection: Connection) -> None:
        nonlocal connections
        connections += 1
        await (answer(OK) if connections == 1 else play)(connection)

    async with serving(first_well) as upstream, session(project, upstream.port) as server:
        await server.call("get_case_structured", n=1)
        before = server.resident("VmHWM")
        await deed(server)
        return server.resident("VmHWM") - before


async def stays_small(project: Path) -> list[Bar]:
    """Measure REL-03: each hostile response, line or client behaviour adds at most 64 MiB to the peak memory."""

    async def two_calls(server: Session) -> None:
        await asyncio.gather(*(server.call("get_case_structured", n=number) for number in (2, 3)))

    grown = {}
    for what, play in _plays().items():
        grown[what] = await _grown(project, play, two_calls)
    grown["IO-01 a line of 100 MB"] = await _grown(project, answer_ok, _endless_line)
    grown["IO-12 10,000 calls unread"] = await _grown(project, answer_ok, _unread)
    return [Bar(f"REL-03 MiB more under {what}", value, "<=", 64) for what, value in grown.items()]
