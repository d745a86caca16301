"""Test what aiohttp's door makes of clients that leave: their connections are closed, and the log tells no fault."""

from __future__ import annotations

import asyncio
import socket
from types import SimpleNamespace
from typing import Any, cast

import pytest
from aiohttp import ClientConnectionResetError, StreamReader, web
from aiohttp.base_protocol import BaseProtocol
from package.runtime.core.limits import Deadlines
from package.runtime.http_server.doors import aiohttp_door
from package.runtime.http_server.doors.aiohttp_door import Door, HttpConnection
from package.runtime.http_server.doors.newcomers import Newcomer
from package.runtime.http_server.requests.door import Broken


@pytest.mark.parametrize(("transport", "expected"), [(None, Broken), (object(), RuntimeError)])
def test_the_body_of_a_client_that_left_is_broken(transport: object, expected: type[Exception]) -> None:
    """Read a body after its connection was lost. With an open connection, aiohttp's error stays a fault."""

    async def play() -> None:
        loop = asyncio.get_running_loop()
        lost = StreamReader(BaseProtocol(loop), 2**16, loop=loop)
        request = SimpleNamespace(headers={}, content=lost, transport=transport)
        connection = aiohttp_door._Connection(cast(Any, request), loop.time(), False, Deadlines())
        with pytest.raises(expected):
            await connection.body(100)

    asyncio.run(play())


@pytest.mark.parametrize(("problem", "told"), [(ClientConnectionResetError(), False), (KeyError(), True)])
def test_a_response_to_a_client_that_left_is_no_fault(
    problem: Exception, told: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    request = SimpleNamespace(writer=SimpleNamespace(output_size=0))
    response = HttpConnection.handle_error(cast(Any, None), cast(web.BaseRequest, request), 500, problem)
    assert response.status == 500
    assert ("request_broke" in capfd.readouterr().err) == told


def test_a_socket_that_the_system_refuses_gives_its_place_back(monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(*_: object) -> None:
        raise OSError

    async def play() -> None:
        door, (connection, client) = Door(cast(Any, None)), socket.socketpair()
        newcomer = Newcomer(cast(Any, None), connection, "127.0.0.2", 0.0)
        assert door._server.places.enter(newcomer)
        monkeypatch.setattr(asyncio.get_running_loop(), "connect_accepted_socket", refuse)
        door._begin(newcomer)
        await asyncio.gather(*door._begun)
        with client:
            assert client.recv(1) == b""
        assert not door._server.places._of

    asyncio.run(play())
