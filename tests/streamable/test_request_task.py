"""Test that the asyncio task of an HTTP request also runs the request's call (`http_server/requests/request_task.py`).

Some tests run a server as an ASGI application. The others use a RequestTask with a fake connection, without a server.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from package.runtime.core.limits import Deadlines
from package.runtime.http_server.requests.request_task import RequestTask
from package.runtime.http_server.requests.response_writer import ResponseWriter
from package.runtime.http_server.streamable.admission import Answer
from package.runtime.http_server.streamable.exchange import Exchange

from tests.streamable.messages import Session, call, calling, encoded, mirrored, post, said
from tests.streamable.servers import Server
from tests.streamable.upstream import Upstream

STOPPED = {"http_server.service.GRACE": 0.2}


class Client:
    """Connection that records what is written. `diverts`: True if the web server can tell that a client has left."""

    def __init__(self, diverts: bool = True) -> None:
        self.taken: Callable[[int], None] = lambda size: None
        self.written: list[object] = []
        self.writers: set[asyncio.Task[Any] | None] = set()
        self._diverts = diverts

    async def body(self, most: int) -> bytes:
        return b""

    async def answer(self, answer: Answer) -> None:
        self._write(answer.body)

    async def begin(self, fields: Any) -> None:
        self._write("begin")

    async def write(self, data: bytes) -> None:
        self._write(data)

    async def end(self) -> None:
        self._write("end")

    def abort(self) -> None:
        self._write("abort")

    def divert(self, to: object) -> bool:
        return self._diverts

    def _write(self, part: object) -> None:
        self.written.append(part)
        self.writers.add(asyncio.current_task())


class Case:
    """A request whose call runs `act`. `task`: the asyncio task that ran the call.

    `lost`: exchanges whose client has left.
    """

    def __init__(self, client: Client, act: Callable[[Case], Coroutine[Any, Any, None]]) -> None:
        self.client = client
        self.exchange = Exchange(1, stateless=True, fields=[])
        self.lost: list[Exchange] = []
        self.task: asyncio.Task[Any] | None = None
        self.go_on = asyncio.Event()
        silences = Deadlines()
        endpoint: Any = None
        self.here = RequestTask(client, None, ResponseWriter(silences, endpoint, None, self.lost.append), silences)
        self._act = act

    async def run(self) -> None:
        self.here.start(self._call())
        await self.here.respond(self.exchange)

    async def _call(self) -> None:
        self.task = asyncio.current_task()
        await self._act(self)


async def _answers(case: Case) -> None:
    await asyncio.sleep(0)
    case.exchange.respond(b"{}\n")


async def _asks(case: Case) -> None:
    case.exchange.tell(b'{"q":1}\n')
    await case.go_on.wait()
    case.exchange.respond(b"{}\n")


def _ran(act: Callable[[Case], Coroutine[Any, Any, None]], diverts: bool = True) -> tuple[Case, asyncio.Task[Any]]:
    async def main() -> tuple[Case, asyncio.Task[Any]]:
        case, own = Case(Client(diverts), act), asyncio.current_task()
        assert own is not None
        running = asyncio.get_running_loop().call_soon
        running(lambda: running(lambda: running(lambda: running(case.go_on.set))))
        await case.run()
        return case, own

    return asyncio.run(main())


def test_the_task_of_the_request_runs_its_call_and_writes_the_response() -> None:
    case, own = _ran(_answers)
    assert case.task is own
    assert case.client.writers == {own}
    assert case.client.written == [b"{}\n"]


def test_a_stream_is_written_while_the_call_runs() -> None:
    case, own = _ran(_asks)
    assert case.task is own
    assert own not in case.client.writers
    assert [case.client.written[0], case.client.written[-1]] == ["begin", "end"]
    assert any(isinstance(each, bytes) and b'{"q":1}' in each for each in case.client.written)


def test_a_door_that_cancels_tasks_gets_a_task_for_the_call() -> None:
    case, own = _ran(_answers, diverts=False)
    assert case.task is not own
    assert case.client.written == [b"{}\n"]


def test_a_client_that_leaves_is_lost_once_and_the_call_goes_on() -> None:
    async def leaves(case: Case) -> None:
        assert case.here.left()
        case.exchange.open = False
        await asyncio.sleep(0)
        case.exchange.respond(b"{}\n")

    case, _ = _ran(leaves)
    assert case.lost == [case.exchange]
    assert case.client.written == []


def test_a_cancelled_call_leaves_its_request_uncancelled() -> None:
    async def cancelled(case: Case) -> None:
        assert case.task is not None
        case.task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.sleep(0)
        case.exchange.respond(b"{}\n")

    case, own = _ran(cancelled)
    assert own.cancelling() == 0
    assert case.client.written == [b"{}\n"]


@pytest.mark.parametrize("era", ["older", "newer"])
def test_a_call_that_is_cut_at_the_end_holds_no_worker_up(project: Path, upstream: Upstream, era: str) -> None:
    """Test requirement E7: when the process ends, a running call gets an error, even if the API never responds."""
    with Server(project, upstream, "asgi", STOPPED) as server, server.connect() as connection:
        if era == "older":
            Session(server).post(connection, call("hold", 1, name=era))
        else:
            post(connection, calling("hold", 1, name=era))
        upstream.wait(era)
        server.terminate()
        assert connection.answer().message["id"] == 1
        assert server.ended() in (0, -15)


def test_calls_of_one_connection_share_nothing(project: Path, upstream: Upstream) -> None:
    with Server(project, upstream, "asgi") as server, server.connect() as connection:
        for number in range(3):
            message = calling("echo", number, text=f"t{number}")
            answer = connection.ask("POST", "/mcp", mirrored(message), encoded(message))
            assert said(answer.message) == f"/echo/t{number}"
