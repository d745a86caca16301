"""Run the HTTP client and an upstream in one event loop, for the tests of the client."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from package.runtime.core import limits
from package.runtime.http.client import Client, Failure
from package.runtime.http.exchange import Response
from package.runtime.request.request import Request
from package.runtime.settings.settings import Settings
from package.runtime.text.addresses import Address

from tests.runtime.upstream import Connection, Play, Upstream, answer_ok, serving

AGENT = "petstore-mcp/1.2.3"
SECRET = "sk-SECRET-in-the-query"
PATIENT = 20.0
Scene = Callable[[Client, Upstream], Awaitable[None]]


def request(target: str = "/p", method: str = "GET", body: bytes | None = None, **headers: str) -> Request:
    path, mark, query = target.partition("?")
    made = Request(method, path)
    made.query = [query] if mark else []
    made.headers = [("Accept", "*/*"), *headers.items()]
    made.body = body
    return made


def settings(**changed: object) -> Settings:
    made = Settings("PETSTORE")
    for name, value in changed.items():
        if name in made.values:
            made.values[name] = value
        else:
            setattr(made, name, value)
    return made


def run(scene: Scene, play: Play = answer_ok, **changed: object) -> None:
    async def main() -> None:
        client = Client(settings(**changed), AGENT)
        async with serving(play) as upstream:
            await asyncio.wait_for(scene(client, upstream), 60)
            await client.close()

    asyncio.run(main())


async def ask(client: Client, address: Address, seconds: float = PATIENT, **given: str) -> Response:
    return await client.send(request(f"/p?key={SECRET}", **given), address, seconds)  # type: ignore[arg-type]


async def fails(client: Client, address: Address, seconds: float = PATIENT, method: str = "GET") -> Failure:
    """Send a request with a secret in its query, and return the exception that it must raise.

    Check that the exception's message holds neither the secret nor the URL.
    """
    with pytest.raises(Failure) as failed:
        await ask(client, address, seconds, method=method)
    reason = failed.value.reason
    assert SECRET not in reason
    assert "/p" not in reason
    assert failed.value.__cause__ is None
    return failed.value


async def silence(connection: Connection) -> None:
    """Read the request, and never answer."""
    await connection.request()
    await connection.closed()


async def turns(number: int = 20) -> None:
    """Let the event loop run `number` times, so that all callbacks that are ready have run."""
    for _ in range(number):
        await asyncio.sleep(0)


class Deadlines:
    """Replacement for the client's timeouts. They expire only when the test says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seconds: list[float] = []
        self._made: list[Callable[[], None]] = []
        monkeypatch.setattr(asyncio, "timeout", self._make)
        monkeypatch.setattr(limits.Deadlines, "begin", self._begin)

    def _make(self, seconds: float | None) -> asyncio.Timeout:
        made = asyncio.Timeout(None)
        if seconds is not None:  # leave out aiohttp's timeouts of None, which never expire
            self.seconds.append(seconds)
            self._made.append(lambda: made.reschedule(asyncio.get_running_loop().time()))
        return made

    def _begin(self, deadline: limits.Deadline, seconds: float) -> None:
        self.seconds.append(seconds)
        self._made.append(deadline.expire)

    def pass_now(self) -> None:
        """Let the timeout that was set last expire."""
        self._made[-1]()
