# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Access the store that replicas share: Redis or Valkey. Only this module imports the client library.

If the store does not answer, only the shared features fail. Calls hardly wait for the store: a command fails after one
second, and during the next second every further command fails immediately. A command fails by raising `StoreAway`; code
that catches it logs which feature fails. Data is encrypted before it is written (`Seal.encrypt`), except numbers, times
and digests.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import redis.asyncio as client
from redis.exceptions import RedisError

from ..core import log
from ..http_server.sealed.away import StoreAway

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    Message = Callable[[bytes], None]

SECONDS = 1.0
"""Timeout of one command in seconds."""

PAUSE = 1.0
"""Seconds after a failure during which no command is sent."""

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
"""Lua script of a sliding-window rate limiter for all replicas: `most` requests in any `span`, by the store's clock."""


class Store:
    """Connection to the store of one server's replicas. Use the object in one event loop only."""

    def __init__(self, url: str, server: str, clock: Callable[[], float] = time.monotonic) -> None:
        """Create a client. `url` has the scheme redis, rediss or unix.

        `server`: name that begins all keys, so that several servers can use one store.
        """
        self._client = client.from_url(
            url, socket_timeout=SECONDS, socket_connect_timeout=SECONDS, health_check_interval=0, max_connections=64
        )
        self._before = f"mcpgen:{server}:"
        self._clock = clock
        self._again = float("-inf")
        self._away = False

    # Methods for values of the Redis types string and list

    async def put_once(self, name: str, seconds: float) -> bool:
        """Record `name` for `seconds` seconds. Return True if it was not recorded before.

        Raise StoreAway if the store does not answer.
        """
        done = await self._asked(lambda: self._client.set(self._key(name), b"1", nx=True, ex=max(1, int(seconds))))
        return done is not None

    async def put(self, name: str, values: list[bytes], seconds: float) -> None:
        """Store values under a name, in place of former values. Raise StoreAway if the store does not answer."""
        key, lasts = self._key(name), max(1, int(seconds))
        await self._asked(lambda: self._client.delete(key))
        for value in values:
            await self._asked(lambda value=value: self._client.rpush(key, value))  # type: ignore[misc]
        await self._asked(lambda: self._client.expire(key, lasts))

    async def get(self, name: str) -> list[bytes]:
        """Return the values under a name, or [] if there are none. Raise StoreAway if the store does not answer."""
        found: list[bytes] = await self._asked(lambda: self._client.lrange(self._key(name), 0, -1))
        return found

    async def exists(self, name: str) -> bool:
        """Return True if anything is stored under `name`. Raise StoreAway if the store does not answer."""
        return bool(await self._asked(lambda: self._client.exists(self._key(name))))

    async def mark(self, name: str, seconds: float) -> None:
        """Set a flag under `name` for `seconds` seconds. Raise StoreAway if the store does not answer."""
        await self._asked(lambda: self._client.set(self._key(name), b"1", ex=max(1, int(seconds))))

    # Methods for sets whose members expire one by one

    async def enlist(self, name: str, member: str, now: float, until: float) -> None:
        """Add a member to the set `name` until `until`, and remove the members that have expired at `now`.

        `now` and `until` are Unix times in seconds.

        Raise StoreAway if the store does not answer.
        """
        key = self._key(name)
        await self._asked(lambda: self._client.zadd(key, {member: until}))
        await self._asked(lambda: self._client.zremrangebyscore(key, 0, now))

    async def members(self, name: str, now: float) -> dict[str, float]:
        """Return the members of a set that have not expired at `now`, each with its expiry (Unix time in seconds).

        Raise StoreAway if the store does not answer.
        """
        found = await self._asked(lambda: self._client.zrangebyscore(self._key(name), now, "+inf", withscores=True))
        return {member.decode(): score for member, score in found}

    async def first(self, name: str, most: int) -> list[str]:
        """Return the members by which a set exceeds `most` members: those that expire first.

        Raise StoreAway if the store does not answer.
        """
        found: list[bytes] = await self._asked(lambda: self._client.zrange(self._key(name), 0, -most - 1))
        return [each.decode() for each in found]

    async def drop(self, name: str, listed: tuple[str, str]) -> None:
        """Delete the values under `name`, and remove a member from a set. `listed`: the set's name, and the member.

        Raise StoreAway if the store does not answer.
        """
        await self._asked(lambda: self._client.delete(self._key(name)))
        await self._asked(lambda: self._client.zrem(self._key(listed[0]), listed[1]))

    # Methods for values of the Redis type hash

    async def put_field(self, name: str, field: str, value: bytes, seconds: float) -> None:
        """Set a field of a hash, and let the whole hash expire after `seconds` seconds.

        Raise StoreAway if the store does not answer.
        """
        key = self._key(name)
        await self._asked(lambda: self._client.hset(key, field, value))
        await self._asked(lambda: self._client.expire(key, max(1, int(seconds))))

    async def drop_field(self, name: str, field: str) -> None:
        """Remove a field of a hash. Raise StoreAway if the store does not answer."""
        await self._asked(lambda: self._client.hdel(self._key(name), field))

    async def fields(self, name: str) -> list[bytes]:
        """Return the values of all fields of a hash. Raise StoreAway if the store does not answer."""
        found: list[bytes] = await self._asked(lambda: self._client.hvals(self._key(name)))
        return found

    # Methods for streams of events

    async def append(self, name: str, event: bytes, seconds: float, most: int) -> None:
        """Append an event to a stream, which then lasts `seconds` seconds and has at most about `most` events.

        Raise StoreAway if the store does not answer.
        """
        key = self._key(name)
        await self._asked(lambda: self._client.xadd(key, {b"e": event}, maxlen=most, approximate=True))
        await self._asked(lambda: self._client.expire(key, max(1, int(seconds))))

    async def events(self, name: str, behind: bytes, wait: float) -> list[tuple[bytes, bytes]]:
        """Return the events of a stream after the position `behind` (`0` for all), each with its position.

        Wait up to `wait` seconds if there is no event. Raise StoreAway if the store does not answer.
        """
        milliseconds = max(1, int(wait * 1000))
        async with asyncio.timeout(wait + SECONDS):
            found: Any = await self._asked(
                lambda: self._client.xread({self._key(name): behind}, block=milliseconds), waits=True
            )
        entries = found[0][1] if found else []
        return [(place, fields[b"e"]) for place, fields in entries]

    # Methods for messages to replicas

    async def publish(self, name: str, message: bytes) -> int:
        """Send a message to all replicas that listen to `name` now, and return their number.

        Raise StoreAway if the store does not answer.
        """
        return int(await self._asked(lambda: self._client.publish(self._key(name), message)))

    async def listen(self, names: tuple[str, ...], begun: Callable[[], Awaitable[None]]) -> AsyncIterator[bytes]:
        """Yield the messages published under `names`, for ever.

        `begun()` is awaited whenever listening begins: at first, and after each outage of the store.
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

    # Method for a rate limit that holds for all replicas together

    async def turn(self, name: str, most: int, span: float, latest: float) -> tuple[bool, float]:
        """Reserve the next slot under a limit of `most` requests in any `span` seconds.

        Return True and the seconds to wait for the slot. Reserve no slot and return False if the wait would exceed
        `latest` seconds. Raise StoreAway if the store does not answer.
        """
        numbers = [most, int(span * 1000), max(0, int(latest * 1000))]
        taken, wait = await self._asked(lambda: self._client.eval(_TURN, 1, self._key(name), *numbers))
        return bool(taken), wait / 1000

    async def close(self) -> None:
        """Close all connections to the store."""
        await self._client.aclose()

    # Private methods

    def _key(self, name: str) -> str:
        return self._before + name

    async def _asked(self, step: Callable[[], Any], waits: bool = False) -> Any:
        """Run one command of the client library, with a time limit unless `waits` is set.

        Raise StoreAway if the command fails, or at once if one failed shortly before.
        """
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
            with suppress(*_FAILURES):  # drop the open connections: they may be broken
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
