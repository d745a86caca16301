# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Poll resources while clients are subscribed to them. The requests use the server's credentials.

Clients that are subscribed to the same resource share its requests. If a request fails, the pause before the next
request for this resource doubles, up to a limit.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from ..core import log, spans

if TYPE_CHECKING:
    import typing
    from _thread import LockType

    from ..core.effects import Fetch
    from ..core.protocol import Protocol
    from ..core.stdio import Outbox
    from ..features.resource_versions import Version

    class Executor(typing.Protocol):
        """Interface of the object that sends requests (execution.ToolExecutor)."""

        async def version(self, wanted: Fetch, before: Version | None) -> Version | None:
            """Return the current version of a resource, or None if the API does not return one."""


TICK = 1.0
"""Seconds between two looks which resources are watched, and which are due."""

MOST = 200
"""Most resources that are polled at a time."""

LONGEST = 3600.0
"""Longest pause in seconds after failures, if the resource is not polled more rarely anyway."""


class _Polled:
    """One polled resource: its latest version, and the time of its next request."""

    __slots__ = ("busy", "due", "pause", "version")

    def __init__(self) -> None:
        self.version: Version | None = None
        self.due = float("-inf")
        self.pause = 0.0
        self.busy = False


# One request serves all clients that watch a resource. Polls count towards the rate limit, so the owner sets the
# interval.
class Poller:
    """Poller of the API for changes of resources that clients watch. A process has one; use it in one event loop only.

    `watched()` returns the requests for all watched resources by URI, and `executor()` the object that sends requests.
    `changed(uri)` is called when a resource has changed. `rest(seconds)` sleeps, and `clock()` returns seconds.
    """

    def __init__(
        self,
        watched: Callable[[], dict[str, Fetch]],
        executor: Callable[[], Executor | None],
        changed: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
        rest: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._watched = watched
        self._executor = executor
        self._changed = changed
        self._clock = clock
        self._rest = rest
        self._known: dict[str, _Polled] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._running = False

    def wake(self) -> None:
        """Begin to poll, if clients watch any resource and polling has not begun."""
        if not self._running:
            self._running = True
            self._start(self._run())

    async def _run(self) -> None:
        while watched := self._watched():
            if len(watched) > MOST:
                log.seldom("warning", "too_many_polls", polled=MOST)
            self._look(dict(list(watched.items())[:MOST]))
            await self._rest(TICK)
        self._known, self._running = {}, False

    def _look(self, watched: dict[str, Fetch]) -> None:
        """Begin to fetch each resource whose next request is due. Forget resources that nobody watches any more."""
        self._known = {uri: self._known.get(uri) or _Polled() for uri in watched}
        for uri, polled in self._known.items():
            if not polled.busy and polled.due <= self._clock():
                polled.busy = True
                self._start(self._fetched(uri, watched[uri], polled))

    async def _fetched(self, uri: str, wanted: Fetch, polled: _Polled) -> None:
        spans.enter(spans.Span(wanted.origin))
        executor = self._executor()
        found = None if executor is None else await executor.version(wanted, polled.version)
        every = float(wanted.entry["poll"])
        polled.pause = every if found is not None else min(max(polled.pause, every) * 2, max(LONGEST, every))
        polled.due, polled.busy = self._clock() + polled.pause, False
        if found is None:
            return
        before, polled.version = polled.version, found
        if before is not None and before.digest != found.digest and uri in self._known:
            self._changed(uri)

    def _start(self, step: Awaitable[None]) -> None:
        task = asyncio.ensure_future(step)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def over_stdio(protocol: Protocol, lock: LockType, outbox: Outbox, executor: Callable[[], Executor | None]) -> Poller:
    """Return the poller of the resources that the client over stdio watches. The `lock` protects protocol and outbox.

    `executor()` returns the tool executor, which sends requests, or None until it is loaded.
    """

    def watched() -> dict[str, Fetch]:
        with lock:
            return protocol.polled()

    def changed(uri: str) -> None:
        with lock:
            if lines := protocol.updated(uri):
                outbox.write(lines)

    return Poller(watched, executor, changed)
