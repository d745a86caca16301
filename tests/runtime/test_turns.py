"""Test the turns of the event loop that runs calls: which calls end in the same turn, and which callbacks run in the
next one.
"""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from package.runtime.calls.execution import ToolExecutor
from package.runtime.core.effects import Call, Dialogue
from package.runtime.core.wire_formats import Result
from package.runtime.result import response
from package.runtime.serve.engine import Engine

from tests.runtime.client_scene import turns
from tests.runtime.test_calls import ENVIRON, run
from tests.runtime.upstream import Upstream, answer

#: Timeout in seconds for an event that must happen. It is long, and no test measures time with it.
PATIENCE = 120


class Calls:
    """Fake tool executor. The name of a call is the number of loop turns after which it ends."""

    async def call(self, name: str, *given: Any) -> Result:
        for _ in range(int(name)):
            await asyncio.sleep(0)
        return Result.text(name)


class Told:
    """Receiver of the outcomes of calls. It records the state of the event loop at each outcome."""

    def __init__(self) -> None:
        self.engine = Engine(lambda: Calls())  # type: ignore[arg-type, return-value]
        self.seen: list[object] = []
        self.over = threading.Event()

    def attended(self) -> bool:
        return True

    def progress(self, key: int, done: float, message: str, total: float | None = None) -> None:
        raise NotImplementedError

    def log(self, key: int, level: str, content: object) -> None:
        raise NotImplementedError

    def ask(self, key: int, question: object) -> bool:
        raise NotImplementedError

    def done(self, key: int, outcome: object) -> None:
        self.seen.append((key, self.engine.others))
        self.engine.soon(lambda: self.seen.append("soon"))
        asyncio.get_running_loop().call_soon(self._next, key)

    def _next(self, key: int) -> None:
        self.seen.append("next")
        if key == 2:
            self.over.set()


def test_a_report_tells_whether_others_run_and_what_is_to_be_done_soon_is_done_in_the_next_turn() -> None:
    told = Told()

    def submit() -> None:
        for key in (1, 2):
            told.engine.submit(Call(key, str(key * 5), {}, None, Dialogue("", "")), told, 1)

    told.engine.tell(submit)
    assert told.over.wait(PATIENCE)
    assert told.seen == [(1, True), "soon", "next", (2, False), "soon", "next"]


@pytest.mark.parametrize("size", [10, 100_000], ids=["short", "long"])
def test_what_is_ready_leaves_before_a_long_answer_is_looked_at(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    order: list[str] = []
    interpret = response.interpret

    def look(*given: Any) -> Result:
        order.append("looked at")
        return interpret(*given)

    monkeypatch.setattr(response, "interpret", look)

    async def scene(caller: ToolExecutor, upstream: Upstream) -> None:
        def phase(name: str) -> None:
            if name == "body":
                asyncio.get_running_loop().call_soon(order.append, "the rest of the turn")

        await caller.call("get_pet", {"pet_id": 7}, phase)
        await turns()

    run(
        scene,
        answer(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (size, b"x" * size)),
        {"PETSTORE_MAX_RESULT": "100k tokens", **ENVIRON},
    )
    assert order == (["the rest of the turn", "looked at"] if size > 1000 else ["looked at", "the rest of the turn"])
