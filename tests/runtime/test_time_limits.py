"""Test what a call says whose response does not end in time, or cannot be read: the setting, and what to do now."""

from __future__ import annotations

import asyncio

import pytest
from package.runtime.calls.execution import ToolExecutor

from tests.runtime.client_scene import Deadlines, silence, turns
from tests.runtime.test_calls import quiet, run, text
from tests.runtime.upstream import Connection, Play, Upstream, answer

LIMIT = "The operator of this server can raise the time limit by PETSTORE_TIMEOUT."


async def a_stream_without_end(connection: Connection) -> None:
    await connection.request()
    await connection.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n")
    await connection.closed()


@pytest.mark.parametrize(
    ("play", "expected"),
    [
        (silence, f"gave no complete answer within 30 seconds. Calling again is safe. {LIMIT}"),
        (
            a_stream_without_end,
            f"data: 1\n\n\nThe stream had not ended after 30 seconds; its first 9 bytes were read. {LIMIT}",
        ),
    ],
)
def test_a_call_that_the_time_limit_ended_names_the_setting(
    play: Play, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene(caller: ToolExecutor, upstream: Upstream) -> None:
        deadlines = Deadlines(monkeypatch)
        phases: list[str] = []
        calling = asyncio.ensure_future(caller.call("public", {}, phases.append))
        while not upstream.requests or (play is a_stream_without_end and "headers" not in phases):
            await asyncio.sleep(0)
        await turns()
        deadlines.pass_now()
        result = await calling
        assert str(result).endswith(expected)

    run(scene, play)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("public", ""),
        ("slow", " It may have been carried out all the same: look before calling again."),
    ],
)
def test_a_coding_that_is_not_read_is_named_and_calling_again_is_no_advice(name: str, told: str) -> None:
    async def scene(caller: ToolExecutor, upstream: Upstream) -> None:
        result = await caller.call(name, {}, quiet)
        assert text(result).endswith(
            "has the content coding br, which was not asked for. Calling again will not help: the API, or a proxy "
            f"before it, has to stop using this coding.{told}"
        )

    run(scene, answer(b"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 1\r\n\r\nx"))


def test_the_timeout_of_the_binding_counts_and_the_text_says_what_may_have_happened(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def scene(caller: ToolExecutor, upstream: Upstream) -> None:
        deadlines = Deadlines(monkeypatch)
        calling = asyncio.ensure_future(caller.call("slow", {}, quiet))
        while not upstream.requests:
            await asyncio.sleep(0)
        deadlines.pass_now()
        result = await calling
        assert deadlines.seconds == pytest.approx([0.2], abs=0.1)
        assert result.is_error
        assert text(result) == (
            f"POST /slow failed: 127.0.0.1:{upstream.port} gave no complete answer within 0.2 seconds. "
            "It may have been carried out all the same: look before calling again. "
            "The operator of this server can raise the time limit by `timeout` of slow."
        )

    run(scene, silence)
