"""Test what replicas keep in their store about the notifications of each session (log level, watched resources).

The tests check what is stored, for how long, and what is not.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from package.runtime.core.jsonrpc import Request, parse
from package.runtime.core.notification_settings import MOST_URIS, NotificationSettings
from package.runtime.http_server.sealed.away import StoreAway
from package.runtime.http_server.sealed.seal import Seal
from package.runtime.http_server.streamable.session import setting
from package.runtime.replicas import sharing
from package.runtime.replicas.sharing import SharedSettings
from package.runtime.replicas.store import Store

from tests.streamable.messages import encoded, request

LEVEL, OTHER, WATCHED = (
    encoded(request("logging/setLevel", 1, level="debug")),
    encoded(request("logging/setLevel", 1, level="error")),
    encoded(request("resources/subscribe", 1, uri="a:b")),
)
Scene = Callable[[SharedSettings], Awaitable[None]]


def run(url: str, scene: Scene, key: bytes = b"k" * 32) -> None:
    async def main() -> None:
        store = Store(url, "caller")
        await scene(SharedSettings(store, Seal([key], "caller/1", lambda: 1000.0)))
        await store.close()

    asyncio.run(main())


async def everything(shared: SharedSettings) -> list[tuple[str, bytes]]:
    return sorted([each async for each in shared.read()])


def test_each_setting_counts_until_it_is_changed_or_the_session_ends(store: str) -> None:
    async def scene(shared: SharedSettings) -> None:
        await shared.put("one", "1", "level", LEVEL, 60)
        await shared.put("one", "1", "uri", WATCHED, 60)
        await shared.put("two", "2", "level", LEVEL, 60)
        assert await everything(shared) == sorted([("one", LEVEL), ("one", WATCHED), ("two", LEVEL)])
        await shared.put("one", "1", "level", OTHER, 60)
        await shared.put("one", "1", "uri", None, 60)
        assert await everything(shared) == [("one", OTHER), ("two", LEVEL)]
        await shared.drop("1")
        assert await everything(shared) == [("two", LEVEL)]

    run(store, scene)


def test_what_another_key_encrypted_is_not_read(store: str) -> None:
    async def written(shared: SharedSettings) -> None:
        await shared.put("one", "1", "level", LEVEL, 60)

    async def read(shared: SharedSettings) -> None:
        assert await everything(shared) == []

    run(store, written)
    run(store, read, b"x" * 32)


def test_the_store_holds_the_latest_sessions_and_no_long_request(
    store: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    async def scene(shared: SharedSettings) -> None:
        for number in range(4):
            await shared.put(f"session {number}", str(number), "level", LEVEL, 60 + number)
        assert await everything(shared) == [("session 2", LEVEL), ("session 3", LEVEL)]
        await shared.put("long", "9", "uri", b"x" * (sharing.LONGEST_SETTING + 1), 99)
        assert "long" not in dict(await everything(shared))

    monkeypatch.setattr(sharing, "MOST_SETTINGS", 2)
    run(store, scene)
    assert "the request has more than 1,024 bytes." in capfd.readouterr().err


def test_a_store_that_does_not_answer_hinders_nobody(capfd: pytest.CaptureFixture[str]) -> None:
    async def scene(shared: SharedSettings) -> None:
        await shared.put("one", "1", "level", LEVEL, 60)
        with pytest.raises(StoreAway):
            await everything(shared)

    run("unix:///nowhere/store.sock", scene)
    assert "the store did not answer." in capfd.readouterr().err


@pytest.mark.parametrize(
    ("method", "params", "found"),
    [
        ("logging/setLevel", {"level": "debug"}, ("level", True)),
        ("logging/setLevel", {"level": "loud"}, None),
        ("logging/setLevel", {"level": 7}, None),
        ("resources/subscribe", {"uri": "a:b"}, ("6783a31eabf68ccc", True)),
        ("resources/unsubscribe", {"uri": "a:b"}, ("6783a31eabf68ccc", False)),
        ("resources/subscribe", {"uri": "one:too-many"}, None),
        ("resources/subscribe", {"uri": ["a:b"]}, None),
    ],
)
def test_only_a_valid_request_makes_a_setting(
    method: str, params: dict[str, object], found: tuple[str, bool] | None
) -> None:
    settings = NotificationSettings()
    settings.uris = dict.fromkeys(["a:b", *(f"x:{number}" for number in range(MOST_URIS - 1))])
    message = parse(encoded(request(method, 1, **params)))
    assert isinstance(message, Request)
    made = setting(message, settings)
    assert found == (None if made is None else (made.name[: len(found[0])] if found else "", made.counts))
