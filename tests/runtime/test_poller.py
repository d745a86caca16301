"""Test the polling of resources: how often, for how long, how many resources, and which notifications clients get.

The test sets the clock.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from package.runtime.core.effects import Fetch, Origin
from package.runtime.features.resource_versions import Version
from package.runtime.watching import poller
from package.runtime.watching.poller import LONGEST, TICK, Poller

EVERY = 30


def wanted(uri: str, every: int = EVERY) -> Fetch:
    entry: Any = {"listed": {"uri": uri}, "binding": {}, "poll": every}
    return Fetch(uri, entry, {}, "2025-11-25", Origin())


class Scene:
    """A poller, its clock, the resources that clients watch, and their versions. A version is None if it cannot be
    found out.
    """

    def __init__(self, **watched: Fetch) -> None:
        self.now = 0.0
        self.watched = watched
        self.versions: dict[str, Version | None] = {uri: Version("1") for uri in watched}
        self.looks: list[tuple[float, str]] = []
        self.changed: list[tuple[float, str]] = []
        self.steps = 0

    async def version(self, wanted: Fetch, before: Version | None) -> Version | None:
        self.looks.append((self.now, wanted.uri))
        return self.versions[wanted.uri]

    async def rest(self, seconds: float) -> None:
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        self.now += seconds
        self.steps -= 1
        if not self.steps:
            self.watched = {}

    def run(self, seconds: float) -> None:
        """Run the poller for this many seconds. Then stop it: from then on, clients watch no resource."""
        self.steps = int(seconds / TICK)

        async def scene() -> None:
            made = Poller(lambda: self.watched, lambda: self, self._tell, lambda: self.now, self.rest)
            made.wake()
            made.wake()
            while made._running:
                await asyncio.sleep(0)

        asyncio.run(scene())

    def _tell(self, uri: str) -> None:
        self.changed.append((self.now, uri))


def test_a_resource_is_looked_at_as_often_as_it_says() -> None:
    scene = Scene(a=wanted("a"))
    scene.run(3 * EVERY)
    assert scene.looks == [(0.0, "a"), (EVERY, "a"), (2 * EVERY, "a")]
    assert scene.changed == []


def test_a_change_is_told_once() -> None:
    scene = Scene(a=wanted("a"), b=wanted("b", 10 * EVERY))

    async def version(wanted: Fetch, before: Version | None) -> Version | None:
        assert (before is None) == (scene.now == 0)
        return Version("later" if scene.now >= EVERY else "first")

    scene.version = version  # type: ignore[method-assign]
    scene.run(3 * EVERY)
    assert scene.changed == [(EVERY, "a")]


def test_an_api_that_does_not_tell_is_asked_less_and_less() -> None:
    scene = Scene(a=wanted("a", 1))
    scene.versions["a"] = None
    scene.run(LONGEST * 4)
    pauses = [later - before for (before, _), (later, _) in zip(scene.looks, scene.looks[1:], strict=False)]
    assert pauses[:4] == [2.0, 4.0, 8.0, 16.0]
    assert max(pauses) == LONGEST
    assert scene.changed == []


def test_only_so_many_are_polled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(poller, "MOST", 2)
    scene = Scene(a=wanted("a"), b=wanted("b"), c=wanted("c"))
    scene.run(EVERY)
    assert scene.looks == [(0.0, "a"), (0.0, "b")]


def test_nothing_is_polled_that_nobody_watches() -> None:
    scene = Scene()
    scene.run(EVERY)
    assert scene.looks == []
