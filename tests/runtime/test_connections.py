"""Requests over connections that are written to here: the head that is sent, and which connections are used again."""

from __future__ import annotations

from typing import Any

import pytest
from package.runtime import connections
from package.runtime.addresses import parse
from package.runtime.client import Client

from tests.runtime.client_scene import PATIENT, ask, request, run, settings, turns
from tests.runtime.upstream import OK, Connection, Upstream, serving

EVIL = OK.replace(b"ok", b"no")
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
def test_arg_01_a_head_ends_where_it_should_or_is_not_sent(
    method: str, path: str, host: str, field: tuple[str, str]
) -> None:
    with pytest.raises(ValueError, match=r"line break|surrogates"):
        connections.head(request(path, method), parse("http://a.example"), host, [field])
    plain = connections.head(request("/", "GET"), parse("http://a.example/v1"), "a.example", [("A", "b")])
    assert plain == b"GET /v1/ HTTP/1.1\r\nHost: a.example\r\nA: b\r\n\r\n"


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


def test_a_connection_whose_request_was_not_taken_whole_is_not_used_again() -> None:
    async def play(connection: Connection) -> None:
        if upstreams[0].connections > 1:
            await connection.request()
            await connection.send(OK)
            return
        await connection._reader.readuntil(b"\r\n\r\n")
        connection._writer.transport.pause_reading()  # type: ignore[attr-defined]
        await connection.send(TOO_LARGE)
        await turns(100)

    upstreams: list[Upstream] = []

    async def scene(client: Client, upstream: Upstream) -> None:
        upstreams.append(upstream)
        refused = await client.send(request("/p", "POST", LARGE), upstream.address(), PATIENT)
        assert (refused.status, refused.content) == (413, b"no")
        assert (await ask(client, upstream.address())).content == b"ok"
        assert upstream.connections == 2

    run(scene, play)


@pytest.mark.parametrize(
    ("release", "proxied", "told"),
    [("3.14.0", False, 0), ("3.14.99", False, 0), ("3.140.0", False, 1), ("3.15.0", False, 1), ("3.14.5", True, 1)],
)
def test_other_releases_of_the_library_and_proxies_are_asked_in_its_own_way(
    monkeypatch: pytest.MonkeyPatch, release: str, proxied: bool, told: int
) -> None:
    sent: list[connections._Telling] = []
    send = connections._Telling.send

    async def telling(made: connections._Telling, connection: Any) -> object:
        sent.append(made)
        return await send(made, connection)

    monkeypatch.setattr(connections._Telling, "send", telling)
    monkeypatch.setattr("aiohttp.__version__", release)

    async def scene(_: Client, upstream: Upstream) -> None:
        async with serving() as proxy:
            client = Client(settings(proxy=f"http://127.0.0.1:{proxy.port}" if proxied else None), "a/1")
            assert (await ask(client, upstream.address())).content == b"ok"
            assert len(proxy.requests) == int(proxied)
            await client.close()
        assert len(sent) == told

    run(scene)
