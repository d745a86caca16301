"""Test many calls with a low limit on concurrent requests, and clients that cancel, with a real process and a raw
upstream.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mcpgen.cli import main
from tests.runtime.process import PATIENCE, Server
from tests.runtime.upstream import Connection, Play, Upstream, serving

ROOMS, WORKERS, ROUNDS = 10, 20, 40
MOST_LOOKS = 5000
DOCUMENT = """
openapi: 3.1.0
info: {title: Mirror, version: '1'}
servers: [{url: http://127.0.0.1:9}]
paths:
  /get: {get: {operationId: get_now}}
  /hang: {get: {operationId: get_never}}
  /half: {get: {operationId: get_half}}
  /once: {post: {operationId: create_once, parameters: [{name: Idempotency-Key, in: header, schema: {type: string}}]}}
  /post: {post: {operationId: create_second}}
"""
UUID = re.compile(rb"\r\nIdempotency-Key: ([0-9a-f-]{36})\r\n")


def said(status: int, *fields: str) -> bytes:
    return "\r\n".join([f"HTTP/1.1 {status} X", *fields, "Content-Length: 2", "Connection: close", "", "ok"]).encode()


async def by_path(connection: Connection) -> None:
    """Never answer `/hang`, and never complete the response of `/half`.

    Answer any other path, and close the connection.
    """
    request = await connection.request()
    if b" /hang " in request:
        await connection.closed()
    elif b" /half " in request:
        await connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
        await connection.closed()
    elif request:
        await connection.send(said(200))


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a package `mirror_mcp` that sends real HTTP requests."""
    folder = tmp_path_factory.mktemp("real")
    (folder / "openapi.yaml").write_text(DOCUMENT)
    with pytest.raises(SystemExit) as end:
        main(["generate", str(folder / "openapi.yaml"), "-o", str(folder / "out"), "--name", "mirror"])
    assert end.value.code == 0
    return folder / "out"


def run(scene: Callable[[Server, Upstream], None], real: Path, play: Play = by_path, **environ: str) -> None:
    """Run the test function `scene` in a thread. Pass a new server process, and an upstream in the event loop."""

    async def main() -> None:
        async with serving(play) as upstream:
            kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
            with Server(real, "--base-url", str(upstream.address()), env={**kept, **environ}) as server:
                await asyncio.to_thread(scene, server, upstream)

    asyncio.run(main())


class Messages:
    """The server's messages: the result of each call, and the number of its progress notifications."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self.answers: dict[int, str] = {}
        self.progress: Counter[int] = Counter()

    def read(self) -> int | None:
        """Read one message, and return the id of the request that it answers, or None for a notification.

        The line checker is not used here. It expects no message after a cancellation, but messages may still be on
        their way when the server reads the cancellation.
        """
        line = self._server._out.get(timeout=PATIENCE)
        assert line is not None
        message: Any = json.loads(line)
        if "method" in message:
            self.progress[message["params"]["progressToken"]] += 1
            return None
        id_: int = message["id"]
        assert id_ not in self.answers
        self.answers[id_] = message["result"].get("content", [{}])[0].get("text", "")
        return id_

    def until(self, *ids: int) -> list[str]:
        while not set(ids) <= self.answers.keys():
            self.read()
        return [self.answers[id_] for id_ in ids]

    def round_trip(self) -> None:
        """Return once the server has read everything that was written before."""
        self.until(self._server.request("server/discover"))


def descriptors(server: Server) -> int:
    return len(os.listdir(f"/proc/{server.process.pid}/fd"))


def test_life_09_cancelled_calls_under_contention_leave_nothing_behind(real: Path) -> None:
    def scene(server: Server, upstream: Upstream) -> None:
        chance, heard = random.Random(9), Messages(server)
        heard.until(server.call("get_now"))
        before = descriptors(server)
        for _ in range(ROUNDS):
            calls = [
                (server.call(tool), tool)
                for tool in chance.choices(["get_now", "get_never", "get_half", "create_once"], k=WORKERS)
            ]
            chance.shuffle(calls)
            kept = [id_ for id_, tool in calls if tool in ("get_now", "create_once") and chance.random() < 0.5]
            for id_, _ in calls:
                if id_ not in kept:
                    for _ in range(chance.randrange(3)):
                        heard.round_trip()
                    server.cancel(id_)
            assert set(heard.until(*kept)) <= {"ok"}
        assert heard.until(*(server.call("get_now") for _ in range(WORKERS))) == ["ok"] * WORKERS
        for _ in range(MOST_LOOKS):
            heard.round_trip()
            if descriptors(server) <= before + 2:
                break
        assert descriptors(server) <= before + 2
        assert len(upstream.requests) > ROUNDS  # enough requests were sent for this test to mean something

    run(scene, real, MIRROR_CONCURRENCY=str(ROOMS))


def test_rel_02_calls_that_hang_do_not_hold_up_the_others(real: Path) -> None:
    def scene(server: Server, upstream: Upstream) -> None:
        heard = Messages(server)
        hanging = [server.call("get_never") for _ in range(100)]
        while len(heard.progress) < 56:  # each call reports by progress that its request was sent
            heard.read()
        assert heard.until(*(server.call("get_now") for _ in range(50))) == ["ok"] * 50
        assert heard.answers.keys().isdisjoint(hanging)
        assert sum(b" /hang " in request for request in upstream.requests) == 56

    run(scene, real)


def scripted(**answers: list[bytes]) -> Play:
    """Return an upstream that answers requests for each path from a list. b"" closes the connection without
    a response.
    """

    async def play(connection: Connection) -> None:
        request = await connection.request()
        path = request.split(b" ")[1].decode().strip("/")
        await connection.send(answers[path].pop(0))

    return play


def test_up_20_rel_04_what_passes_is_tried_again_and_a_post_is_sent_once(real: Path) -> None:
    play = scripted(
        get=[said(503), b"", said(200)],
        hang=[said(429, "Retry-After: 1"), said(200)],
        half=[said(503, "Retry-After: 86400"), said(200)],
        once=[b"", said(502), said(200)],
        post=[b"", said(200)],
    )

    def scene(server: Server, upstream: Upstream) -> None:
        calls = [server.call(tool) for tool in ("get_now", "get_never", "get_half", "create_once", "create_second")]
        get, hang, half, once, post = Messages(server).until(*calls)
        assert (get, hang, once) == ("ok", "ok", "ok")
        assert "\nWait 3600 seconds or more before calling again.\n" in half
        assert post.endswith(
            "closed the connection without an answer. "
            "It may have been carried out all the same: look before calling again."
        )
        sent = Counter(request.split(b" ")[1] for request in upstream.requests)
        assert sent == {b"/get": 3, b"/hang": 2, b"/half": 1, b"/once": 3, b"/post": 1}
        keys = [UUID.findall(request) for request in upstream.requests if b" /once " in request]
        assert len(keys[0]) == 1
        assert keys == [keys[0]] * 3

    run(scene, real, play)


def test_a_rate_is_kept_and_said(real: Path) -> None:
    def scene(server: Server, upstream: Upstream) -> None:
        told = Messages(server).until(*(server.call("get_now") for _ in range(5)))
        assert told[:3] == ["ok"] * 3
        for each in told[3:]:
            assert re.fullmatch(
                r"GET /get failed: this server sends no more than 3 requests an hour\. Nothing was sent\. "
                r"Call again in 3\d{3} seconds\.",
                each,
            )
        assert len(upstream.requests) == 3

    run(scene, real, MIRROR_RATE_LIMIT="3/h")


def test_life_02_of_what_waited_to_the_end_nothing_was_sent(real: Path) -> None:
    def scene(server: Server, upstream: Upstream) -> None:
        heard = Messages(server)
        under_way = server.call("get_never")
        while not heard.progress:  # progress says that the request was sent
            heard.read()
        waits = server.call("create_second")
        server.end()
        assert heard.until(under_way, waits) == [
            "The server was stopped before the upstream answered. The request may have taken effect.",
            "The server was stopped before it was the request's turn. Nothing was sent.",
        ]
        assert len(upstream.requests) == 1

    run(scene, real, MIRROR_RATE_LIMIT="1/min", MIRROR_TIMEOUT="3600")


def test_no_progress_leaves_right_before_the_answer(real: Path) -> None:
    """Check that a response in one piece causes no progress notification. Only the phase `sent` is reported before it.

    The phases `headers` and `body` end at once if the response is in one piece, so they are not reported.
    """
    loops: list[asyncio.AbstractEventLoop] = []
    go_on = asyncio.Event()

    async def held(connection: Connection) -> None:
        request = await connection.request()
        if b" /hang " in request:
            loops.append(asyncio.get_running_loop())
            await go_on.wait()
        if request:
            await connection.send(said(200))

    def scene(server: Server, upstream: Upstream) -> None:
        called = server.call("get_never")
        first = server.message()
        assert (first["method"], first["params"]["message"]) == ("notifications/progress", "sent")
        loops[0].call_soon_threadsafe(go_on.set)
        assert server.message()["id"] == called

    run(scene, real, held)
