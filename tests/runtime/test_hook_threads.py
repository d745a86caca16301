"""Test slow synchronous hooks: only MOST_THREADS run at a time.

A hook counts until it returns, even if its call was cancelled earlier.
"""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from package.runtime.calls.hook_runner import MOST_THREADS, Hooks
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
