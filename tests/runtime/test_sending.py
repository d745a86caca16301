"""Count the requests that reach a raw socket. The test controls pauses and random numbers."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from package.runtime.calls.execution import ToolExecutor
from package.runtime.core.wire_formats import Result
from package.runtime.http import sending
from package.runtime.http.client import Failure
from package.runtime.http.exchange import Response
from package.runtime.settings import settings
from package.runtime.settings.setting_parsers import Rate

from tests.runtime.client_scene import Deadlines, silence, turns
from tests.runtime.table_stub import Catalog
from tests.runtime.test_calls import quiet, text
from tests.runtime.upstream import OK, Connection, Play, Upstream, answer, answer_ok, serving

METHODS = ("GET", "HEAD", "OPTIONS", "QUERY", "PUT", "DELETE", "POST", "PATCH")
KEY = {"argument": "idempotency_key", "name": "Idempotency-Key", "style": "simple", "made": True}
ONCE = {"method": "POST", "path": ["/p"], "headers": [KEY]}
TOOLS: dict[str, dict[str, Any]] = {
    **{method: {"binding": {"method": method, "path": ["/p"]}} for method in METHODS},
    "once": {"binding": ONCE},
    "moving": {"binding": {"method": "POST", "path": ["/p"], "follow": True}},
    "given": {"binding": {**ONCE, "headers": [{name: KEY[name] for name in KEY if name != "made"}]}},
}
UUID = rb"\r\nIdempotency-Key: [0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\r\n"


class Scene:
    """A server whose pauses are recorded and take no time."""

    def __init__(self, caller: ToolExecutor, upstream: Upstream) -> None:
        self.caller, self.upstream = caller, upstream
        self.pauses: list[float] = []
        lasting, loaded = caller.lasting, caller.services.settings
        self.sender = caller.services.exchange.sender = sending.Sender(
            lasting.client, loaded, lasting.redactor.learn, self._rest, lambda: 0.0
        )

    async def _rest(self, seconds: float) -> None:
        self.pauses.append(seconds)

    async def call(self, tool: str, **arguments: Any) -> str:
        result: Result = await self.caller.call(tool, arguments, quiet)
        return text(result)


def run(scene: Callable[[Scene], Awaitable[None]], play: Play = answer_ok, **changed: Any) -> None:
    async def main() -> None:
        async with serving(play) as upstream:
            catalog: Any = Catalog(TOOLS)
            loaded = settings.load(catalog, {}, str(upstream.address()))
            loaded.values.update(changed)
            caller = ToolExecutor(catalog, loaded)
            await asyncio.wait_for(scene(Scene(caller, upstream)), 60)
            await caller.close()

    asyncio.run(main())


def said(status: int, *fields: str) -> bytes:
    return "\r\n".join([f"HTTP/1.1 {status} X", *fields, "Content-Length: 0", "Connection: close", "", ""]).encode()


async def hang_up(connection: Connection) -> None:
    await connection.request()


async def one_answer(connection: Connection) -> None:
    await connection.request()
    await connection.send(OK if connection._upstream.connections < 3 else said(204))
    await connection.request()


@pytest.mark.parametrize("status", [408, 429, 502, 503, 504])
def test_what_passes_is_not_seen(status: int) -> None:
    async def scene(at: Scene) -> None:
        assert await at.call("GET") == "ok"
        assert at.pauses == [0.25, 0.5]
        assert len(at.upstream.requests) == 3

    run(scene, answer(said(status), said(status), OK))


def test_what_does_not_pass_is_said_with_how_often_it_was_tried() -> None:
    async def scene(at: Scene) -> None:
        assert await at.call("GET") == (
            "HTTP 503 Service Unavailable from GET /p.\nIt was tried 3 times.\nCalling again is safe."
        )
        assert len(at.upstream.requests) == 3

    run(scene, answer(said(503)))


@pytest.mark.parametrize(
    ("field", "pauses"),
    [
        ("Retry-After: 2", [2.0]),
        ("Date: Wed, 21 Oct 2026 07:28:00 GMT\r\nRetry-After: Wed, 21 Oct 2026 07:28:03 GMT", [3.0]),
        ("Retry-After: -1", [0.25]),
    ],
)
def test_up_20_the_pause_is_the_one_that_was_asked_for(field: str, pauses: list[float]) -> None:
    async def scene(at: Scene) -> None:
        assert await at.call("GET") == "ok"
        assert at.pauses == pauses

    run(scene, answer(said(429, field), OK))


def test_up_20_a_pause_beyond_the_time_of_the_call_is_said_and_not_begun() -> None:
    async def scene(at: Scene) -> None:
        assert await at.call("GET") == (
            "HTTP 429 Too Many Requests from GET /p.\nWait 3600 seconds or more before calling again."
        )
        assert at.pauses == []
        assert len(at.upstream.requests) == 1

    run(scene, answer(said(429, "Retry-After: 999999999"), OK))


@pytest.mark.parametrize("play", [hang_up, answer(said(503)), answer(said(429, "Retry-After: 1"))])
@pytest.mark.parametrize("method", METHODS)
def test_rel_04_what_changes_something_is_sent_once(method: str, play: Play) -> None:
    async def scene(at: Scene) -> None:
        told = await at.call(method)
        assert len(at.upstream.requests) == (3 if method in METHODS[:4] else 1)
        assert ("3 times" in told) == (method in METHODS[:4])

    run(scene, play)


@pytest.mark.parametrize("method", METHODS)
def test_rel_04_a_kept_connection_that_died_costs_a_post_and_nothing_else(method: str) -> None:
    async def scene(at: Scene) -> None:
        assert await at.call("GET") == "ok"
        told = await at.call(method)
        again = method not in ("POST", "PATCH")
        assert at.pauses == [0.0] * again
        assert len(at.upstream.requests) == 2 + again
        assert ("closed the connection without an answer" in told) is not again

    run(scene, one_answer)


@pytest.mark.parametrize("method", METHODS)
def test_rel_04_what_could_not_be_sent_goes_again(method: str) -> None:
    async def scene(at: Scene) -> None:
        async with serving() as gone:
            at.caller.services.settings.servers[0] = gone.address()
        told = await at.call(method)
        assert told.startswith(f"{method} /p failed 3 times: 127.0.0.1:{gone.port} refused the connection. Nothing was")
        assert at.pauses == [0.25, 0.5]

    run(scene)


@pytest.mark.parametrize("play", [answer(said(503), OK), answer(said(429, "Retry-After: 1"), OK)])
def test_a_key_that_the_server_made_is_the_same_each_time_and_another_for_each_call(play: Play) -> None:
    async def scene(at: Scene) -> None:
        assert await at.call("once") == "ok"
        first, second = (re.findall(UUID, request) for request in at.upstream.requests)
        assert first == second
        assert len(first) == 1
        assert await at.call("once") == "ok"
        assert re.findall(UUID, at.upstream.requests[2]) not in ([], first)

    run(scene, play)


@pytest.mark.parametrize("tool", ["once", "given"])
def test_a_key_that_the_model_gave_is_sent_each_time(tool: str) -> None:
    async def scene(at: Scene) -> None:
        assert await at.call(tool, idempotency_key="mine") == "ok"
        assert [b"\r\nIdempotency-Key: mine\r\n" in request for request in at.upstream.requests] == [True, True]

    run(scene, answer(said(502), OK))


def test_without_a_key_a_post_is_sent_once() -> None:
    async def scene(at: Scene) -> None:
        assert "It may have been carried out all the same: look before" in await at.call("given")
        assert len(at.upstream.requests) == 1

    run(scene, answer(said(502), OK))


def test_the_key_is_told_where_a_call_may_have_been_carried_out() -> None:
    async def scene(at: Scene) -> None:
        told = await at.call("once", idempotency_key="k-1")
        assert told.startswith("POST /p failed 3 times: ")
        assert told.endswith(
            "It may have been carried out; to call again without doing it twice, give idempotency_key k-1."
        )

    run(scene, hang_up)


def test_what_left_once_may_have_been_carried_out_though_nothing_left_the_last_time() -> None:
    outcomes = [Failure("x", True, "closed"), Failure("nobody was there", False, "refused")]

    class Script:
        async def send(self, *_: object) -> Response:
            raise outcomes.pop(0) if len(outcomes) > 1 else outcomes[0]

    async def scene(at: Scene) -> None:
        client, at.sender._client = at.sender._client, Script()  # type: ignore[assignment]
        told = await at.call("once", idempotency_key="k-1")
        assert told.startswith("POST /p failed 3 times: nobody was there. It may have been carried out; to call again")
        at.sender._client = client

    run(scene)


def test_waiting_is_refused_in_words_for_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene(at: Scene) -> None:
        deadlines = Deadlines(monkeypatch)
        hanging = asyncio.ensure_future(at.call("GET"))
        while not at.upstream.requests:
            await asyncio.sleep(0)
        waiting = asyncio.ensure_future(at.call("POST"))
        await turns()
        assert deadlines.seconds == pytest.approx([30, 29], abs=0.9)
        deadlines.pass_now()
        assert await waiting == (
            "POST /p failed: too many others were under way for all of its time. "
            "Nothing was sent. Make fewer calls at a time."
        )
        assert len(at.upstream.requests) == 1
        hanging.cancel()

    run(scene, silence, CONCURRENCY=1)


def test_rel_04_a_post_is_not_sent_that_would_be_dropped_at_once() -> None:
    async def scene(at: Scene) -> None:
        assert await at.call("POST") == (
            "POST /p failed: too little of its time was left for an answer. Nothing was sent. Calling again is safe."
        )
        assert at.upstream.requests == []

    run(scene, TIMEOUT=0.04)


def test_what_waits_for_its_turn_has_time_for_its_answer() -> None:
    async def scene(at: Scene) -> None:
        assert await at.call("GET") == "ok"
        assert "no more than 1 request a second. Nothing was sent. Call again in 10 seconds." in await at.call("POST")
        assert len(at.upstream.requests) == 1

    run(scene, RATE_LIMIT=Rate(1, 10.0, "a second"), TIMEOUT=10.5)


def test_a_rate_is_kept_by_repetitions_too_and_what_came_before_is_the_answer() -> None:
    async def scene(at: Scene) -> None:
        assert (await at.call("GET")).startswith("HTTP 503 Service Unavailable from GET /p.\nIt was tried 2 times.")
        told = await at.call("POST")
        assert re.fullmatch(
            r"POST /p failed: this server sends no more than 2 requests an hour\. Nothing was sent\. "
            r"Call again in 3\d{3} seconds\.",
            told,
        )
        assert len(at.upstream.requests) == 2

    run(scene, answer(said(503)), RATE_LIMIT=Rate(2, 3600, "an hour"))


def test_a_redirect_of_what_changes_something_is_not_followed() -> None:
    """Follow no redirect of a request that changes data.

    This holds even if a tool allows redirects, since a hook can change the method of its request.
    """

    async def scene(at: Scene) -> None:
        assert "which is not followed" in await at.call("moving")
        assert len(at.upstream.requests) == 1

    run(scene, answer(said(307, "Location: /q"), OK))
