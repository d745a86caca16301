"""Test calls while the project files are replaced: a running call ends with the version with which it began.

State that depends on no version stays.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from package.runtime.calls.execution import ToolExecutor
from package.runtime.core.effects import Dialogue
from package.runtime.core.wire_formats import OtherOutcome, Question, Result
from package.runtime.settings import settings

from tests.runtime.revisions import R5
from tests.runtime.table_stub import Catalog
from tests.runtime.upstream import OK, Connection, Upstream, serving
from tests.scheme_entries import api_key

ENVIRON = {"PETSTORE_KEY": "sk-first-0123456789", "PETSTORE_BADGE": "sk-second-0123456789"}


def scheme(name: str, variable: str) -> dict[str, Any]:
    return {name: api_key("header", name, variable)}


def tool(path: str, key: str = "X-Key", argument: str = "id", **more: object) -> dict[str, Any]:
    return {
        "schema": {"type": "object", "properties": {argument: {"type": "integer"}}, "required": [argument]},
        "binding": {
            "method": "DELETE",
            "path": [path],
            "query": [{"argument": argument, "name": argument, "style": "form", "explode": True}],
            "security": [[key]],
            "open": False,
            **more,
        },
    }


BEFORE: Any = Catalog(
    {"get": tool("/before"), "kept": tool("/kept", confirm="always"), "moved": tool("/moved", confirm="always")},
    security=scheme("X-Key", "PETSTORE_KEY"),
)
AFTER: Any = Catalog(
    {
        "get": tool("/after", "X-Badge", "number"),
        "kept": tool("/kept", confirm="always"),
        "moved": tool("/moved", confirm="always", accept="text/plain"),
        "more": tool("/more", "X-Badge"),
    },
    security=scheme("X-Badge", "PETSTORE_BADGE") | scheme("X-Key", "PETSTORE_KEY"),
)
AFTER.version = "2.0.0"
CAN_ASK = Dialogue("result", R5)


class Scene:
    """A tool executor, its upstream, and the event that `/before` waits for."""

    def __init__(self, upstream: Upstream, gate: asyncio.Event) -> None:
        self.upstream, self.gate = upstream, gate
        self.before = ToolExecutor(BEFORE, self.settings(BEFORE))

    def settings(self, catalog: Any) -> settings.Settings:
        return settings.load(catalog, ENVIRON, str(self.upstream.address()))

    def after(self) -> ToolExecutor:
        return self.before.following(AFTER, self.settings(AFTER))


def run(scene: Callable[[Scene], Awaitable[None]], body: bytes = OK) -> None:
    async def main() -> None:
        gate = asyncio.Event()

        async def play(connection: Connection) -> None:
            while request := await connection.request():
                if b" /v1/before?" in request:
                    await gate.wait()
                await connection.send(body)

        async with serving(play) as upstream:
            the = Scene(upstream, gate)
            try:
                await asyncio.wait_for(scene(the), 30)
            finally:
                await the.before.close()

    asyncio.run(main())


def quiet(phase: str) -> None:
    pass


def text(result: Result) -> str:
    return "\n".join(str(block["text"]) for block in result.content)


async def asked(caller: ToolExecutor, name: str) -> Dialogue:
    """Call a tool that asks its user for confirmation. Return what the client sends when it calls the tool again: the
    `requestState` of the first result, and the user's yes.
    """
    with pytest.raises(OtherOutcome) as ended:
        await caller.call(name, {"id": 7}, quiet, CAN_ASK)
    question = ended.value.outcome
    assert isinstance(question, Question)
    return Dialogue("result", R5, question.state, {"confirm": {"action": "accept"}})


def test_a_call_that_runs_and_one_that_comes() -> None:
    async def scene(the: Scene) -> None:
        running = asyncio.ensure_future(the.before.call("get", {"id": 1}, quiet))
        while not the.upstream.requests:
            await asyncio.sleep(0)
        after = the.after()
        assert text(await after.call("get", {"number": 2}, quiet)) == "ok"
        assert "id: is not an argument" in text(await after.call("get", {"id": 2}, quiet))
        the.gate.set()
        assert text(await running) == "ok"
        assert text(await the.before.call("get", {"id": 3}, quiet)) == "ok"
        first, second, third = the.upstream.requests
        assert first.startswith(b"DELETE /v1/before?id=1 ")
        assert second.startswith(b"DELETE /v1/after?number=2 ")
        assert third.startswith(b"DELETE /v1/before?id=3 ")
        assert [b"X-Key: sk-first-" in each for each in (first, second, third)] == [True, False, True]
        assert b"X-Badge: sk-second-" in second
        assert b"User-Agent: petstore-mcp/1.2.3\r\n" in first
        assert b"User-Agent: petstore-mcp/2.0.0\r\n" in second

    run(scene)


def test_connections_and_what_is_kept_go_on() -> None:
    async def scene(the: Scene) -> None:
        result = await the.before.call("kept", {"id": 7}, quiet, await asked(the.before, "kept"))
        after = the.after()
        again = await after.call("more", {"id": 1}, quiet)
        assert the.upstream.connections == 1
        blocks: list[Any] = [block for each in (result, again) for block in each.content]
        uris = [block["resource"]["uri"] for block in blocks if block["type"] == "resource"]
        assert uris == ["petstore://result/1", "petstore://result/2"]
        assert after.resources is the.before.resources

    run(scene, OK.replace(b"text/plain", b"application/zip"))


def test_a_yes_from_before_counts_where_the_tool_is_the_same() -> None:
    async def scene(the: Scene) -> None:
        kept, moved = await asked(the.before, "kept"), await asked(the.before, "moved")
        after = the.after()
        assert text(await after.call("kept", {"id": 7}, quiet, kept)) == "ok"
        refused = await after.call("moved", {"id": 7}, quiet, moved)
        assert refused.is_error
        assert "of this tool as it was before" in text(refused)
        assert len(the.upstream.requests) == 1
        assert "used already" in text(await the.before.call("kept", {"id": 7}, quiet, kept))

    run(scene)


def test_a_yes_is_known_to_both_also_where_nobody_had_been_asked_before() -> None:
    async def scene(the: Scene) -> None:
        after = the.after()
        assert text(await after.call("kept", {"id": 7}, quiet, await asked(the.before, "kept"))) == "ok"

    run(scene)


def test_a_question_that_waits_is_about_the_call_as_it_was_begun() -> None:
    async def scene(the: Scene) -> None:
        put, answer = asyncio.Event(), asyncio.get_running_loop().create_future()

        async def ask(question: object) -> object:
            put.set()
            return await answer

        waiting = asyncio.ensure_future(
            the.before.call("moved", {"id": 7}, quiet, Dialogue("request", "2025-11-25"), ask)
        )
        await put.wait()
        the.after()
        answer.set_result({"action": "accept"})
        assert text(await waiting) == "ok"
        assert b"Accept: text/plain\r\n" not in the.upstream.requests[0]

    run(scene)


def test_no_secret_of_either_table_comes_back() -> None:
    body = b"sk-first-0123456789 sk-second-0123456789"
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n" % len(body)

    async def scene(the: Scene) -> None:
        after = the.after()
        the.gate.set()
        for caller, argument in ((after, "number"), (the.before, "id")):
            assert text(await caller.call("get", {argument: 1}, quiet)) == "[redacted] [redacted]"

    run(scene, head + body)
