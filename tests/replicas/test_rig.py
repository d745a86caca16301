"""Test that one replica can finish what another has begun: confirmations, streams, results, cancellations, sessions.

`python -m benchmarks.replicas` tests more of this, with kills and restarts.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import aiohttp
import pytest

from benchmarks.replicas import trials
from benchmarks.replicas.client import NEWER, OLDER, Client
from benchmarks.replicas.rig import Missing, Rig

ERAS = (NEWER, OLDER)


@pytest.fixture(scope="module")
def loop() -> Iterator[asyncio.Runner]:
    """Yield the event loop in which the API answers and the clients call."""
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture(scope="module")
def rig(loop: asyncio.Runner, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    made = Rig(tmp_path_factory.mktemp("rig"))
    try:
        loop.run(made.start(replicas=2))
    except Missing as missing:
        loop.run(made.stop())
        pytest.skip(f"this needs {missing}")
    try:
        yield made
    finally:
        loop.run(made.stop())


@asynccontextmanager
async def clients() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(120)) as http:
        yield http


def run(loop: asyncio.Runner, made: Callable[[aiohttp.ClientSession], Coroutine[Any, Any, Any]]) -> Any:
    async def whole() -> Any:
        async with clients() as http:
            return await made(http)

    return loop.run(whole())


@pytest.mark.parametrize("revision", ERAS)
def test_a_confirmation_ends_at_any_replica(loop: asyncio.Runner, rig: Rig, revision: str) -> None:
    found = run(loop, lambda http: trials.confirmations(rig, http, revision, 40, together=4))
    assert (found.well, dict(found.faults)) == (40, {})


def test_a_stream_is_resumed_at_any_replica(loop: asyncio.Runner, rig: Rig) -> None:
    found = run(loop, lambda http: trials.resumed(rig, http, 4))
    assert (found.well, dict(found.faults)) == (4, {})


@pytest.mark.parametrize("revision", ERAS)
def test_a_kept_result_is_read_at_each_replica(loop: asyncio.Runner, rig: Rig, revision: str) -> None:
    async def read(http: aiohttp.ClientSession) -> list[str]:
        client = Client(http, rig.balanced, revision)
        await client.begin()
        told = json.dumps(await client.call("get_thing", {"name": "large", "size": 200_000}))
        found = re.search(r"depot://result/[\w-]+", told)
        assert found, told
        texts = []
        for number in range(2):
            async with client.post(client.request("resources/read", {"uri": found[0]}), rig.url(number)) as answer:
                texts.append((await answer.json())["result"]["contents"][0]["text"])
        return texts

    first, second = run(loop, read)
    assert first == second
    assert first.startswith("GET large....")


def test_a_confirmation_is_good_once_among_all_replicas(loop: asyncio.Runner, rig: Rig) -> None:
    async def again(http: aiohttp.ClientSession) -> list[str]:
        client = Client(http, rig.url(0), NEWER)
        asked = await client.call("delete_thing", {"name": "once"})
        more = {
            "requestState": asked["result"]["requestState"],
            "inputResponses": {"confirm": {"action": "accept", "content": {}}},
        }
        told = []
        for number in (0, 1, 0):
            client.url = rig.url(number)
            told.append(json.dumps(await client.call("delete_thing", {"name": "once"}, more)))
        return told

    done, *refused = run(loop, again)
    assert "DELETE once" in done
    assert all("This confirmation was used already" in each for each in refused)
    assert rig.upstream.seen["DELETE", "once"] == 1


def test_a_session_that_was_ended_is_over_at_each_replica(loop: asyncio.Runner, rig: Rig) -> None:
    async def end(http: aiohttp.ClientSession) -> list[int]:
        client = Client(http, rig.url(0), OLDER)
        await client.begin()
        headers = {"Mcp-Session-Id": client.session, "MCP-Protocol-Version": OLDER}
        async with http.delete(rig.url(1), headers=headers) as answer:
            assert answer.status == 204
        statuses = []
        for number in range(2):
            async with client.post(client.request("ping"), rig.url(number)) as answer:
                statuses.append(answer.status)
            # wait: the other replica's message about the deletion may not have reached this replica yet
            if statuses[-1] != 404:
                await trials.until(partial(_gone, client, rig.url(number)))
                statuses[-1] = 404
        return statuses

    assert run(loop, end) == [404, 404]


async def _gone(client: Client, url: str) -> bool:
    async with client.post(client.request("ping"), url) as answer:
        return bool(answer.status == 404)


def test_a_replica_that_starts_again_knows_the_log_level_of_a_session(loop: asyncio.Runner, rig: Rig) -> None:
    async def told(http: aiohttp.ClientSession) -> list[str]:
        client = Client(http, rig.url(0), OLDER)
        await client.begin()

        async def heard() -> list[str]:
            """Make a call at the second replica, and return the levels of its log messages."""
            message = client.request("tools/call", {"name": "get_thing", "arguments": {"name": "told"}})
            async with client.post(message, rig.url(1)) as answer:
                return [each["params"]["level"] async for each in client.messages(answer) if "params" in each]

        async def known() -> bool:
            return await heard() != []

        async with client.post(client.request("logging/setLevel", {"level": "debug"})) as answer:
            assert (await answer.json())["result"] == {}
        await trials.until(known)  # replica 0 stores the log level before replica 1 learns it
        rig.kill(1)
        await rig.restart(1)
        await trials.until(known)
        return await heard()

    assert run(loop, told) == ["debug", "debug"]


def test_a_call_is_cancelled_from_another_replica(loop: asyncio.Runner, rig: Rig) -> None:
    async def cancel(http: aiohttp.ClientSession) -> list[Any]:
        client = Client(http, rig.url(0), OLDER)
        await client.begin()
        message = client.request("tools/call", {"name": "get_thing", "arguments": {"name": "slow", "seconds": 60}})

        async def call() -> list[Any]:
            async with client.post(message) as answer:
                return [each async for each in client.messages(answer) if "id" in each]

        running = asyncio.create_task(call())
        await trials.until(partial(_seen, rig, "slow"))
        told = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": message["id"]}}
        async with client.post(told, rig.url(1)) as answer:
            assert answer.status == 202
        return await running

    assert run(loop, cancel) == [], "a cancelled request gets no response"


async def _seen(rig: Rig, name: str) -> bool:
    return rig.upstream.seen["GET", name] > 0


@pytest.mark.parametrize("revision", ERAS)
def test_calls_go_on_while_the_store_is_away(loop: asyncio.Runner, rig: Rig, revision: str) -> None:
    async def away(http: aiohttp.ClientSession) -> trials.Figures:
        rig.stop_store()
        try:
            return await trials.calls(rig, http, revision, 20, together=4)
        finally:
            rig.start_store()

    found = run(loop, away)
    assert (found.well, dict(found.faults)) == (20, {})
