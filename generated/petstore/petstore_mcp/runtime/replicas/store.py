# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Access the store that replicas share: Redis or Valkey. Only this module imports the client library.

If the store is away, only the shared features fail, and no call waits for them. Each step may take one second, and
after a failure the store is not asked for a while. `StoreAway` is raised then, and the caller reports what that costs.

Callers encrypt what they write (`Seal.encrypt`), except numbers, times and digests.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import redis.asyncio as client
from redis.exceptions import RedisError

from ..core import log
from .away import StoreAway

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    Message = Callable[[bytes], None]

SECONDS = 1.0
"""Timeout of one step in seconds."""

PAUSE = 1.0
"""Seconds after a failure during which the store is not asked."""

_FAILURES = (RedisError, OSError, TimeoutError, asyncio.TimeoutError)

_TURN = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local most, span, latest = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local due = now
if redis.call('LLEN', KEYS[1]) >= most then
  due = math.max(now, tonumber(redis.call('LINDEX', KEYS[1], -most)) + span)
end
if due - now > latest then return {0, due - now} end
redis.call('RPUSH', KEYS[1], due)
redis.call('LTRIM', KEYS[1], -most, -1)
redis.call('PEXPIRE', KEYS[1], due - now + span + 1000)
return {1, due - now}
"""
"""Lua script of a sliding-window rate limiter for all replicas, by the store's clock: `most` requests in any `span`."""


class Store:
    """Connection to the store of one server's replicas. Use it in one event loop."""

    def __init__(self, url: str, server: str, clock: Callable[[], float] = time.monotonic) -> None:
        """Create a client. `url` has the scheme redis, rediss or unix; `server` separates the servers that use one
        store.
        """
        self._client = client.from_url(
            url, socket_timeout=SECONDS, socket_connect_timeout=SECONDS, health_check_interval=0, max_connections=64
        )
        self._before = f"mcpgen:{server}:"
        self._clock = clock
        self._again = float("-inf")
        self._away = False

    # Single values

    async def put_once(self, name: str, seconds: float) -> bool:
        """Record a name for `seconds`. Return True if it was not recorded before. Raises StoreAway."""
        done = await self._asked(lambda: self._client.set(self._key(name), b"1", nx=True, ex=max(1, int(seconds))))
        return done is not None

    async def put(self, name: str, values: list[bytes], seconds: float) -> None:
        """Store values under a name, in place of the former ones. Raises StoreAway."""
        key, lasts = self._key(name), max(1, int(seconds))
        await self._asked(lambda: self._client.delete(key))
        for value in values:
            await self._asked(lambda value=value: self._client.rpush(key, value))  # type: ignore[misc]
        await self._asked(lambda: self._client.expire(key, lasts))

    async def get(self, name: str) -> list[bytes]:
        """Return the values under a name; [] if there are none. Raises StoreAway."""
        found: list[bytes] = await self._asked(lambda: self._client.lrange(self._key(name), 0, -1))
        return found

    async def exists(self, name: str) -> bool:
        """Return whether anything is stored under that name. Raises StoreAway."""
        return bool(await self._asked(lambda: self._client.exists(self._key(name))))

    async def mark(self, name: str, seconds: float) -> None:
        """Set a flag under that name for `seconds`. Raises StoreAway."""
        await self._asked(lambda: self._client.set(self._key(name), b"1", ex=max(1, int(seconds))))

    # Members that expire one by one

    async def enlist(self, name: str, member: str, now: float, until: float) -> None:
        """Add a member to a set until `until`. Both `now` and `until` are seconds of Unix time. Raises StoreAway."""
        key = self._key(name)
        await self._asked(lambda: self._client.zadd(key, {member: until}))
        await self._asked(lambda: self._client.zremrangebyscore(key, 0, now))

    async def members(self, name: str, now: float) -> dict[str, float]:
        """Return the members that have not expired at `now`, each with its expiry in seconds of Unix time. Raises
        Away.
        """
        found = await self._asked(lambda: self._client.zrangebyscore(self._key(name), now, "+inf", withscores=True))
        return {member.decode(): score for member, score in found}

    async def drop(self, name: str, listed: tuple[str, str]) -> None:
        """Delete the values under a name, and the member that lists them: `listed` is the set and the member. Raises
        Away.
        """
        await self._asked(lambda: self._client.delete(self._key(name)))
        await self._asked(lambda: self._client.zrem(self._key(listed[0]), listed[1]))

    # Events in order

    async def append(self, name: str, event: bytes, seconds: float, most: int) -> None:
        """Append an event to a stream, which is kept for `seconds`. Raises StoreAway."""
        key = self._key(name)
        await self._asked(lambda: self._client.xadd(key, {b"e": event}, maxlen=most, approximate=True))
        await self._asked(lambda: self._client.expire(key, max(1, int(seconds))))

    async def events(self, name: str, behind: bytes, wait: float) -> list[tuple[bytes, bytes]]:
        """Return the events of a stream after the position `behind` (`0` for all), each with its position.

        Wait up to `wait` seconds if there is none. Raises StoreAway.
        """
        milliseconds = max(1, int(wait * 1000))
        async with asyncio.timeout(wait + SECONDS):
            found: Any = await self._asked(
                lambda: self._client.xread({self._key(name): behind}, block=milliseconds), waits=True
            )
        entries = found[0][1] if found else []
        return [(place, fields[b"e"]) for place, fields in entries]

    # Messages to all

    async def publish(self, name: str, message: bytes) -> int:
        """Send a message to all that listen now, and return their number. Raises StoreAway."""
        return int(await self._asked(lambda: self._client.publish(self._key(name), message)))

    async def listen(self, names: tuple[str, ...], begun: Callable[[], Awaitable[None]]) -> AsyncIterator[bytes]:
        """Yield the messages published under these names, for ever.

        `begun` is awaited whenever listening begins: first, and after each outage of the store.
        """
        while True:
            try:
                async with self._client.pubsub(ignore_subscribe_messages=True) as listener:
                    await listener.subscribe(*map(self._key, names))
                    await begun()
                    self._came_back()
                    while True:
                        message = await listener.get_message(timeout=30.0)
                        if message is not None:
                            yield message["data"]
            except (*_FAILURES, StoreAway):
                self._failed()
                await asyncio.sleep(PAUSE)

    # Shared request rate

    async def turn(self, name: str, most: int, span: float, latest: float) -> tuple[bool, float]:
        """Take the next slot of a rate of `most` requests in any `span` seconds.

        Return whether a slot was taken, and the seconds to wait for it. No slot is taken if the wait would exceed
        `latest` seconds. Raises StoreAway.
        """
        numbers = [most, int(span * 1000), max(0, int(latest * 1000))]
        taken, wait = await self._asked(lambda: self._client.eval(_TURN, 1, self._key(name), *numbers))
        return bool(taken), wait / 1000

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    # Private methods

    def _key(self, name: str) -> str:
        return self._before + name

    async def _asked(self, step: Callable[[], Any], waits: bool = False) -> Any:
        """Run one step of the client within its timeout. Raises StoreAway."""
        if self._clock() < self._again:
            raise StoreAway
        try:
            if waits:
                found = await step()
            else:
                async with asyncio.timeout(SECONDS):
                    found = await step()
        except _FAILURES:
            self._failed()
            with suppress(*_FAILURES):  # existing connections lead to a store that is gone
                await self._client.connection_pool.disconnect(inuse_connections=False)
            raise StoreAway from None
        self._came_back()
        return found

    def _failed(self) -> None:
        self._again = self._clock() + PAUSE
        if not self._away:
            self._away = True
            reason = "What replicas share is away. Calls go on; see the README for what does not."
            log.event("error", "store_away", reason=reason)

    def _came_back(self) -> None:
        if self._away:
            self._away = False
            log.event("info", "store_back")
