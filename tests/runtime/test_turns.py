"""The turns of the engine's loop, as who is told of a call sees them: whether others may end in it, and the next."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

from package.runtime.effects import Call, Dialogue
from package.runtime.engine import Engine
from package.runtime.shapes import Result

#: How long to wait for what must happen before the test fails. Nothing is measured with it.
PATIENCE = 30


class Calls:
    """A caller of calls that end in the order of their names, each in the turn behind that of the one before."""

    async def call(self, name: str, *given: Any) -> Result:
        for _ in range(int(name)):
            await asyncio.sleep(0)
        return Result.text(name)


class Told:
    """Who is told of calls, and notes what there is to see then."""

    def __init__(self) -> None:
        self.engine = Engine(lambda: Calls())  # type: ignore[arg-type, return-value]
        self.seen: list[object] = []
        self.over = threading.Event()

    def attended(self) -> bool:
        return True

    def progress(self, key: int, done: int, message: str) -> None:
        raise NotImplementedError

    def ask(self, key: int, question: str | None) -> bool:
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
