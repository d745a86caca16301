"""Test requests that the runtime writes to connections by itself, without aiohttp: the sent headers, and the reuse of
connections.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from package.runtime.http import connections
from package.runtime.http.client import Client
from package.runtime.http.connections import Unwritable
from package.runtime.text.addresses import parse

from tests.runtime.client_scene import PATIENT, ask, request, run, settings, turns
from tests.runtime.upstream import OK, Connection, Upstream, serving

EVIL = OK.replace(b"ok", b"no")
BUSY = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"
TOO_LARGE = b"HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\n\r\nno"
LARGE = bytes(64 * 1024 * 1024)


@pytest.mark.parametrize(
    ("method", "path", "host", "field"),
    [
        ("GET\r\nX: y", "/", "a.example", ("A", "b")),
        ("GET", "/ HTTP/1.1\r\nX: y\r\n", "a.example", ("A", "b")),
        ("GET", "/", "a.example\nX: y", ("A", "b")),
        ("GET", "/", "a.example", ("A\rX", "b")),
        ("GET", "/", "a.example", ("A", "b\r\nX: y")),
        ("GET", "/", "a.example", ("A", "b\n")),
        ("GET", "/", "a.example", ("A", "b\0")),
        ("GET", "/", "a.example", ("A", "\ud800")),
    ],
)
def test_arg_01_a_head_ends_where_it_should_or_is_not_written(
    method: str, path: str, host: str, field: tuple[str, str]
) -> None:
    with pytest.raises(Unwritable):
        connections.head(request(path, method), parse("http://a.example"), host, [field])
    plain = connections.head(request("/", "GET"), parse("http://a.example/v1"), "a.example", [("A", "b")])
    assert plain == b"GET /v1/ HTTP/1.1\r\nHost: a.example\r\nA: b\r\n\r\n"


class Wire:
    """Transport that records the bytes written to it."""

    def __init__(self) -> None:
        self.written: list[bytes] = []

    def write(self, data: bytes) -> None:
        self.written.append(data)


def test_a_small_body_goes_with_the_head_and_of_a_large_one_is_no_copy() -> None:
    for body in (b"", b"{}", bytes(connections._SMALL), LARGE):
        wire: Any = Wire()
        connections._write(wire, b"head", body)
        assert b"".join(wire.written) == b"head" + body
        assert len(wire.written) == 1 or wire.written[1] is LARGE
    assert len(wire.written) == 2


def test_what_comes_with_a_new_connection_is_its_answer_and_no_reason_for_another() -> None:
    """Accept a response that arrives together with a new connection, and open no other connection.

    An overloaded upstream may respond at once. With TLS, the response arrives with the end of the handshake.
    """

    async def scene(client: Client, upstream: Upstream) -> None:
        assert isinstance(client._connections, connections.Connections)
        connector = client._connections._opened()
        connect, made = connector.connect, []

        async def greeted(*given: Any, **named: Any) -> Any:
            connection = await connect(*given, **named)
            made.append(connection)
            assert connection.protocol is not None
            connection.protocol.data_received(BUSY)
            return connection

        connector.connect = greeted  # type: ignore[method-assign]
        assert (await ask(client, upstream.address())).status == 503
        assert len(made) == 1

    run(scene)


def test_what_comes_unasked_on_a_kept_connection_is_nobodys_answer() -> None:
    async def play(connection: Connection) -> None:
        await connection.request()
        await connection.send(OK)
        if upstreams[0].connections == 1:
            await turns()
            await connection.send(EVIL)
        await connection.closed()

    upstreams: list[Upstream] = []

    async def scene(client: Client, upstream: Upstream) -> None:
        upstreams.append(upstream)
        assert (await ask(client, upstream.address())).content == b"ok"
        await turns(100)
        assert (await ask(client, upstream.address())).content == b"ok"
        assert upstream.connections == 2

    run(scene, play)


@pytest.mark.parametrize(("told", "whole"), [(OK, False), (TOO_LARGE, False), (TOO_LARGE, True)])
def test_a_connection_whose_request_may_not_have_been_taken_whole_is_not_used_again(told: bytes, whole: bool) -> None:
    async def play(connection: Connection) -> None:
        if upstreams[0].connections == 1 and not whole:
            await connection._reader.readuntil(b"\r\n\r\n")
            connection._writer.transport.pause_reading()  # type: ignore[attr-defined]
            await connection.send(told)
            await turns(100)
            return
        await connection.request()
        await connection.send(told if upstreams[0].connections == 1 else OK)
        await connection.closed()

    upstreams: list[Upstream] = []

    async def scene(client: Client, upstream: Upstream) -> None:
        upstreams.append(upstream)
        answered = await client.send(request("/p", "POST", LARGE), upstream.address(), PATIENT)
        assert (answered.status, answered.content) == (int(told[9:12]), told[-2:])
        assert (await ask(client, upstream.address())).content == b"ok"
        assert upstream.connections == 2

    run(scene, play)


def test_what_was_not_sent_when_a_call_is_cancelled_is_not_sent_any_more() -> None:
    cancelled, read = asyncio.Event(), asyncio.Event()
    taken = 0

    async def play(connection: Connection) -> None:
        nonlocal taken
        await connection._reader.readuntil(b"\r\n\r\n")
        connection._writer.transport.pause_reading()  # type: ignore[attr-defined]
        await cancelled.wait()
        connection._writer.transport.resume_reading()  # type: ignore[attr-defined]
        try:
            while data := await connection._reader.read(1 << 20):
                taken += len(data)
        finally:
            read.set()

    async def scene(client: Client, upstream: Upstream) -> None:
        phases: list[str] = []
        made = request("/p", "POST", LARGE)
        task = asyncio.ensure_future(client.send(made, upstream.address(), PATIENT, phases.append))
        while not phases:
            await asyncio.sleep(0)
        await turns(100)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        cancelled.set()
        await read.wait()
        assert taken < len(LARGE)

    run(scene, play)


@pytest.mark.parametrize(
    ("release", "proxied", "told"),
    [("3.14.0", False, 0), ("3.14.99", False, 0), ("3.140.0", False, 1), ("3.15.0", False, 1), ("3.14.5", True, 1)],
)
def test_other_releases_of_the_library_and_proxies_are_asked_in_its_own_way(
    monkeypatch: pytest.MonkeyPatch, release: str, proxied: bool, told: int
) -> None:
    sent: list[connections._ReportingRequest] = []
    send = connections._ReportingRequest.send

    async def telling(made: connections._ReportingRequest, connection: Any) -> object:
        sent.append(made)
        return await send(made, connection)

    monkeypatch.setattr(connections._ReportingRequest, "send", telling)
    monkeypatch.setattr("aiohttp.__version__", release)

    async def scene(_: Client, upstream: Upstream) -> None:
        async with serving() as proxy:
            client = Client(settings(PROXY=f"http://127.0.0.1:{proxy.port}" if proxied else None), "a/1")
            assert (await ask(client, upstream.address())).content == b"ok"
            assert len(proxy.requests) == int(proxied)
            await client.close()
        assert len(sent) == told

    run(scene)
