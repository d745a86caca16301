"""Test slow synchronous hooks: only MOST_THREADS run at a time.

A hook counts until it returns, even if its call was cancelled earlier.
"""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from package.runtime.core import spans
from package.runtime.core.effects import Origin
from package.runtime.hooks.hook_runner import MOST_THREADS, Hooks
from package.runtime.http_server.streamable.admission import Peer
from package.runtime.request.argument_errors import HookFailed

from tests.runtime.client_scene import Deadlines, turns
from tests.runtime.test_hooks import TOOLS, budget, run


def test_life_09_calls_that_were_cancelled_leave_no_more_threads_than_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    release, begun = threading.Event(), []

    def slow(arguments: Any) -> None:
        begun.append(arguments)
        release.wait(60)

    async def main() -> None:
        hooks = Hooks({"before_get_pet": slow}, TOOLS)
        before = set(threading.enumerate())  # a set, not a number: threads of earlier tests may end during this test
        for _ in range(3):
            calls = [asyncio.ensure_future(hooks.before("get-pet", {}, budget())) for _ in range(MOST_THREADS)]
            await turns()
            for call in calls:
                call.cancel()
            await turns()
        assert len(set(threading.enumerate()) - before) == MOST_THREADS
        deadlines = Deadlines(monkeypatch)
        refused = asyncio.ensure_future(hooks.before("get-pet", {}, budget(7)))
        await turns()
        deadlines.pass_now()
        with pytest.raises(HookFailed) as reason:
            await refused
        assert str(reason.value) == (
            "The hook before_get_pet of this server was not run: 64 others that are no `async def` were at work "
            "for all of the 7 seconds of a call."
        )
        waits = asyncio.ensure_future(hooks.before("get-pet", {}, budget()))
        await turns()
        release.set()
        await waits
        assert len(begun) == MOST_THREADS + 1

    run(main())


def test_hooks_of_one_caller_leave_threads_for_others() -> None:
    """Let hooks of anna hang in all threads that she may use. A hook of bob still runs."""
    release = threading.Event()

    def slow(arguments: Any) -> None:
        if spans.caller() == "anna":
            release.wait(60)

    def began(hooks: Hooks, caller: str) -> asyncio.Task[Any]:
        spans.enter(spans.Span(Origin(peer=Peer(caller, "", ""))))
        return asyncio.ensure_future(hooks.before("get-pet", {}, budget()))

    async def main() -> None:
        hooks = Hooks({"before_get_pet": slow}, TOOLS)
        calls = [began(hooks, "anna") for _ in range(2 * MOST_THREADS)]
        await began(hooks, "bob")
        assert not any(call.done() for call in calls)
        release.set()
        await asyncio.gather(*calls)

    run(main())
