"""Test the share of each caller in what replicas write to their store: events of streams, and used numbers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from package.runtime.core import log
from package.runtime.http_server.sealed import spent
from package.runtime.http_server.sealed.seal import Seal
from package.runtime.replicas import sharing
from package.runtime.replicas.sharing import Sharing, WaitingEvents
from package.runtime.replicas.store import Store

MOST = 40
Scene = Callable[[Sharing], Awaitable[None]]


def run(url: str, scene: Scene) -> None:
    async def main() -> None:
        store = Store(url, "caller")
        sharing = Sharing(store, Seal([b"k" * 32], "caller/1", lambda: 1000.0))
        await scene(sharing)
        await sharing.close()

    asyncio.run(main())


async def resumed(sharing: Sharing, stream: str) -> list[object]:
    return [each async for each in sharing.events("session", stream, 0)]


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing, "MOST_WAITING", MOST)
    monkeypatch.setattr(spent, "MOST", MOST)


def test_many_events_of_one_caller_displace_none_of_others(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(log, "seldom", lambda level, name, **_: told.append(name))

    async def scene(sharing: Sharing) -> None:
        hears = {name: sharing.record("session", name, 1, name) for name in ("anna", "bob")}
        for number in range(1, 4 * MOST):
            hears["anna"](number, b"event")
        hears["bob"](1, b"result")
        hears["bob"](1, None)
        hears["anna"](4 * MOST, None)
        sharing.start("replica", lambda *_: None, lambda *_: None)
        await sharing._waiting.join()
        assert await resumed(sharing, "bob") == [b"result"]
        with pytest.raises(LookupError):  # a gap is never read over in silence
            await resumed(sharing, "anna")

    run(store, scene)
    assert set(told) == {"not_recorded"}


def test_callers_take_turns() -> None:
    async def main() -> list[bytes]:
        waiting = WaitingEvents()
        for number in range(4):
            waiting.add("anna", "stream", b"anna %d" % number)
        waiting.add("bob", "stream", b"bob")
        return [(await waiting.next())[1] for _ in range(5)]

    assert asyncio.run(main()) == [b"anna 0", b"bob", b"anna 1", b"anna 2", b"anna 3"]


def test_many_numbers_of_one_caller_leave_numbers_to_others(store: str) -> None:
    async def scene(sharing: Sharing) -> None:
        share = int(MOST * spent.SHARE)
        assert [await sharing.spend(f"a{each}", 60, "anna") for each in range(share + 1)] == [*[""] * share, "crowded"]
        assert await sharing.spend("b", 60, "bob") == ""
        assert await sharing.spend("b", 60, "carol") == "used"

    run(store, scene)


def test_a_number_counts_again_after_the_store_was_away(tmp_path: object) -> None:
    async def scene(sharing: Sharing) -> None:
        assert [await sharing.spend("a", 60, "anna") for _ in range(2)] == ["unknown", "unknown"]

    run(f"unix://{tmp_path}/none.sock", scene)
