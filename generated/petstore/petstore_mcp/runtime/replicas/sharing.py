# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Share state between replicas: the processes that serve one API behind a load balancer.

The state is in the store, which is Redis or Valkey. While the store does not answer, only these features are affected:

    feature                     data in the store                           while the store does not answer
    --------------------------  ------------------------------------------  --------------------------------------------
    a confirmation counts once  the random number in its `requestState`     the confirmation is invalid: nothing is sent
    answers, cancellations      a message to the replica with the call      the call waits until its time is up
    sessions that were ended    their digests, and a message to all         other replicas go on serving the session
    resuming a stream           its events, until minutes after its end     other replicas cannot resume the stream
    log levels, subscriptions   clients' requests, and a message to all     other replicas do not learn new ones
    stored results              the results, in pieces                      only the replica with the result serves it
    rate limit of requests      the times of the latest requests            each replica counts its own requests

The notification settings of a session are one hash, in which each field holds the encrypted request by which the client
made one setting. So replicas that change different settings of a session at the same time do not overwrite each other.
"""

from __future__ import annotations

import asyncio
import hashlib
from contextlib import suppress
from copy import copy
from itertools import count
from typing import TYPE_CHECKING, Any

from ..core import limits, log, spans
from ..core.jsonrpc import dumps, loads
from ..core.limits import FairQueue, Places
from ..http_server.sealed.away import StoreAway, StreamGoesOn
from ..http_server.sealed.seal import Unsealed
from ..http_server.sealed.sealed_states import SpentNumbers

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from ..http_server.sealed.seal import Seal
    from .store import Store

_LISTED = "settings"
_LACK = "A replica that starts later does not know which notifications a session wants"
MOST_SETTINGS = 10_000
"""Largest number of sessions whose settings are in the store. Beyond it, those that changed longest ago are dropped."""

LONGEST_SETTING = 1024
"""Longest request in bytes that is stored. A longer one names a resource by a very long URI."""


# MCP cannot give a session a new id, so settings that its client makes later are shared through the store
# (docs/decisions/http.md).
class SharedSettings:
    """Access of one replica to the notification settings of all sessions. `seal` encrypts them."""

    def __init__(self, store: Store, seal: Seal) -> None:
        self._store = store
        self._seal = seal

    async def put(self, session: str, digest: str, name: str, line: bytes | None, seconds: float) -> None:
        """Store `line`, the request that made the setting `name` of a session. If `line` is None, remove the setting.

        `digest`: name of the session in the store. `seconds`: lifetime of the session.
        """
        about, now = _about_settings(digest), self._seal.now()
        try:
            if line is None:
                await self._store.drop_field(about, name)
            elif len(line) > LONGEST_SETTING:
                log.seldom(
                    "warning", "not_shared", reason=f"{_LACK}: the request has more than {LONGEST_SETTING:,} bytes."
                )
            else:
                sealed = self._seal.encrypt(about, "", dumps([session, line.decode()]))
                await self._store.put_field(about, name, sealed, seconds)
                await self._store.enlist(_LISTED, digest, now, now + seconds)
                for each in await self._store.first(_LISTED, MOST_SETTINGS):
                    await self.drop(each)
        except StoreAway:
            log.seldom("warning", "not_shared", reason=f"{_LACK}: the store did not answer.")

    async def drop(self, digest: str) -> None:
        """Remove all settings of a session. Raise StoreAway if the store does not answer."""
        await self._store.drop(_about_settings(digest), listed=(_LISTED, digest))

    async def read(self) -> AsyncIterator[tuple[str, bytes]]:
        """Yield a pair for each notification setting: the session's id, and the request by which the client made it.

        Raise StoreAway if the store does not answer.
        """
        for digest in await self._store.members(_LISTED, self._seal.now()):
            about = _about_settings(digest)
            for sealed in await self._store.fields(about):
                try:
                    told: Any = loads(self._seal.decrypt(about, "", sealed).decode())[0]
                except Unsealed:  # skip the setting: no key of this replica decrypts it
                    continue
                yield told[0], told[1].encode()


MOST_WAITING = 10_000
"""Largest number of events that wait for the store. No caller has more than `places.SHARE` of them."""


class WaitingEvents:
    """Queue of encrypted events, each with the name of its stream. Use the object in one event loop only."""

    def __init__(self) -> None:
        self._waiting: FairQueue[tuple[str, str, bytes]] = FairQueue()
        self._places = Places(MOST_WAITING)
        self._keys = count()
        self._some, self._none = asyncio.Event(), asyncio.Event()
        self._none.set()

    def add(self, caller: str, stream: str, event: bytes, *, is_last: bool = False) -> bool:
        """Add an event of a stream. Return False if the share of `caller` is full. The last event is always added."""
        if not is_last and not self._places.has(caller):
            return False
        self._places.take(caller)
        self._waiting.add(caller, next(self._keys), (caller, stream, event))
        self._some.set()
        self._none.clear()
        return True

    async def next(self) -> tuple[str, bytes]:
        """Wait for an event, and return its stream and the event. The events of one caller keep their order."""
        await self._some.wait()
        found = self._waiting.next(lambda _: True)
        assert found is not None, "the queue has an event"
        caller, stream, event = found
        self._places.give(caller)
        if not self._waiting:
            self._some.clear()
        return stream, event

    def written(self) -> None:
        """Record that the event that `next` returned is in the store."""
        if not self._waiting:
            self._none.set()

    async def join(self) -> None:
        """Wait until all events are in the store."""
        await self._none.wait()


_RELAY, _ENDED, _REPLICA, _KEPT = "relay:", "ended", "replica:", "kept"
ALIVE_SECONDS, BEAT_SECONDS = 10.0, 3.0
"""Seconds for which a replica counts as alive after its last heartbeat, and seconds between two heartbeats."""

EVENT_SECONDS = 300.0
MOST_EVENTS = 1000
MOST_SHARED = 16 * 1024 * 1024
"""Largest result in bytes that is stored for other replicas."""
MOST_KEPT, MOST_KEPT_BYTES = 1000, 128 * 1024 * 1024
"""Largest number of results in the store, and of their bytes. Beyond it, the caller with most data loses results."""

_SOON = 1.0
"""Seconds to wait for the first event that another replica has just written."""
LAST_SECONDS = 1.0
"""Seconds for writing the last events when the server stops."""


def _about(uri: str) -> str:
    """Return the key under which the store holds the result with this URI.

    The key contains a digest of the URI, not the URI itself, since anybody who knows the URI could read the result.
    """
    return f"kept:{hashlib.sha256(uri.encode()).hexdigest()[:32]}"


class Gone:
    """Marker: the replica that ran a call ended before it responded. `id` is the id of the call's request."""

    __slots__ = ("id",)

    def __init__(self, id: object) -> None:  # noqa: A002
        self.id = id


# With its events in the store, a broken stream can continue at any replica (docs/decisions/http.md).
class Sharing:
    """Access of one replica to the data that all replicas share through the store."""

    def __init__(self, store: Store, seal: Seal) -> None:
        self.replica = ""
        self._store = store
        self._seal = seal
        self._limit = "rate"
        self.settings = SharedSettings(store, seal)
        self._spent = SpentNumbers(seal.now)
        self._waiting = WaitingEvents()
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def store(self) -> Store:
        """Return the store (Redis or Valkey). The package `delegation` keeps logins of callers there."""
        return self._store

    def start(
        self, replica: str, relayed: Callable[[str, bytes | None], None], ended: Callable[[str, float], None]
    ) -> None:
        """Begin to listen to the other replicas. `replica`: name of this replica.

        `relayed(session, message)` is called for each message of a session, with None if the session ended. It is also
        called for the stored requests by which clients chose their notifications before this replica started.
        `ended(digest, seconds)` is called for each session that ended while this replica was not listening, with the
        digest of the session's id, and the seconds for which the id would still have been valid.
        """
        self.replica = replica
        loop = asyncio.get_running_loop()
        steps = (self._beat(), self._hear(relayed, ended), self._write())
        self._tasks = [loop.create_task(each) for each in steps]

    async def close(self) -> None:
        """Write the queued stream events to the store, and stop listening for messages of other replicas."""
        with suppress(TimeoutError):
            async with asyncio.timeout(LAST_SECONDS):
                await self._waiting.join()
        for task in self._tasks:
            task.cancel()
        await self._store.close()

    # Method for the one-time numbers of confirmations by the user

    async def spend(self, number: str, seconds: float, caller: str) -> str:
        """Mark the random number of a confirmation's `requestState` as used, for all replicas and for `seconds`
        seconds.

        Return "", `used` if it was used before, `unknown` if the store does not answer, or `crowded` if `caller` has
        used too many numbers at this replica (`spent.SHARE`).
        """
        if void := await self._spent.spend(number, seconds, caller):
            return void
        try:
            return "" if await self._store.put_once(f"spent:{number}", seconds) else "used"
        except StoreAway:
            self._spent.forget(number)
            return "unknown"

    # Methods for messages between replicas about sessions

    async def relay(self, replica: str, session: str, line: bytes | None) -> bool:
        """Send a session's message to one replica, or to all if `replica` is "".

        If `line` is None, the message says that the session has ended. Return True if any replica received the message.
        """
        told = dumps([session, None if line is None else line.decode()])
        try:
            heard = await self._store.publish(_RELAY + replica, self._seal.encrypt(_RELAY, "", told))
        except StoreAway:
            log.seldom("warning", "not_relayed", reason="Another replica may have the call that this is about.")
            return False
        return heard > 0

    async def end(self, digest: str, seconds: float) -> None:
        """Record for all replicas that a session has ended.

        `seconds`: for how long the session's id would still have been valid.
        """
        now = self._seal.now()
        try:
            await self._store.enlist(_ENDED, digest, now, now + seconds)
            await self.settings.drop(digest)
        except StoreAway:
            log.seldom("warning", "not_relayed", reason="Other replicas may go on serving a session that was ended.")

    # Methods for event streams

    def record(
        self,
        session: str,
        stream: str,
        id: object,  # noqa: A002
        caller: str,
    ) -> Callable[[int, bytes | None], None]:
        """Begin to record a stream of `caller`. Return the function that records each event.

        `id` is the id of the request that the stream answers, None for a stream of change notifications. After an event
        that has no place in the queue, only the end of the stream is recorded, so that a reader notices the gap.
        """
        name = f"events:{session}:{stream}"
        whole = self._put(caller, name, {"r": self.replica, "i": id})

        def heard(number: int, event: bytes | None) -> None:
            nonlocal whole
            if event is None:
                self._put(caller, name, {"n": number, "e": None}, is_last=True)
            else:
                whole = whole and self._put(caller, name, {"n": number, "e": event.decode()})

        return heard

    async def events(self, session: str, stream: str, number: int) -> AsyncIterator[bytes | Gone | StreamGoesOn | None]:
        """Yield the events of a stream after the event `number`, also new ones, until the stream ends.

        Yield None after some seconds without an event. Yield `Gone` at the end if the replica that wrote the events has
        ended. For a stream of change notifications, yield the recorded events and then `StreamGoesOn`. Raise StoreAway
        if the store does not answer, and LookupError if there is no such stream, if an event is missing, or if the
        stream has ended and has no event after `number`.
        """
        name, place = f"events:{session}:{stream}", b"0"
        about: dict[str, Any] = {}
        latest = None
        yielded = False
        while True:
            found = await self._store.events(name, place, BEAT_SECONDS if about else _SOON)
            for at, sealed in found:
                place, entry = at, self._opened(name, sealed, latest)
                if "r" in entry:
                    about = entry
                elif entry["e"] is None and about["i"] is None:
                    break
                elif entry["e"] is None:
                    if not yielded and entry["n"] <= number:
                        raise LookupError(name)
                    return
                elif (latest := entry["n"]) > number:
                    yielded = True
                    yield entry["e"].encode()
            if not about:
                raise LookupError(name)
            if about["i"] is None:
                yield StreamGoesOn()
                return
            if not found:
                if not await self._store.exists(_REPLICA + about["r"]):
                    yield Gone(about["i"])
                    return
                yield None

    # Methods for stored results

    async def keep(self, name: str, media_type: str, text: bool, pieces: list[bytes], seconds: float) -> None:
        """Store a result of the current caller under `name` for `seconds` seconds, for other replicas to read."""
        size = sum(map(len, pieces))
        if size > MOST_SHARED:
            return
        about = _about(name)
        head = dumps([media_type, text])
        values = [self._seal.encrypt(f"{about}:{number}", "", each) for number, each in enumerate([head, *pieces])]
        try:
            await self._make_room(about, size, seconds)
            await self._store.put(about, values, seconds)
        except StoreAway:
            log.seldom("warning", "not_shared", reason="A kept result can be read at this replica alone.")

    async def kept(self, name: str) -> tuple[str, bool, list[bytes]] | None:
        """Return the result that another replica stored under `name`, or None if there is none or it cannot be read.

        The result is (media type, True if the content is text, consecutive pieces of the content).
        """
        about = _about(name)
        try:
            values = await self._store.get(about)
            opened = [self._seal.decrypt(f"{about}:{number}", "", each) for number, each in enumerate(values)]
        except (StoreAway, Unsealed):
            return None
        if not opened:
            return None
        head: Any = loads(opened[0].decode())[0]
        return head[0], head[1], opened[1:]

    # Method for the rate limit that all replicas share

    def apart(self, account: str) -> Sharing:
        """Return the same access, with a rate limit of its own for one account of the server."""
        found = copy(self)
        found._limit = f"rate {account}"
        return found

    async def turn(self, most: int, span: float, latest: float) -> tuple[bool, float] | None:
        """Reserve the next slot of the shared rate limit. Return whether that succeeded and the seconds to wait for the
        slot, as `Store.turn` does. Return None if the store does not answer.
        """
        try:
            return await self._store.turn(self._limit, most, span, latest)
        except StoreAway:
            return None

    # Private methods

    async def _make_room(self, about: str, size: int, seconds: float) -> None:
        """Record that the current caller stores a result of `size` bytes, and drop results that no longer fit.

        The store lists each stored result as `KEY CALLER BYTES`, where CALLER is a digest. Raise StoreAway if the store
        does not answer.
        """
        caller = hashlib.sha256(spans.caller().encode("utf-8", "surrogatepass")).hexdigest()[:16]
        now = self._seal.now()
        latest = f"{about} {caller} {size}"
        await self._store.enlist(_KEPT, latest, now, now + seconds)
        noted = {each: each.split(" ") for each in await self._store.members(_KEPT, now)}
        held = [(each, parts[1], int(parts[2])) for each, parts in noted.items()]
        for each in limits.displaced(held, latest, MOST_KEPT, MOST_KEPT_BYTES):
            await self._store.drop(noted[each][0], listed=(_KEPT, each))

    def _put(self, caller: str, name: str, entry: dict[str, object], *, is_last: bool = False) -> bool:
        """Queue an event for the store. Return False if there is no place; other replicas then cannot resume the
        stream.
        """
        if self._waiting.add(caller, name, self._seal.encrypt(name, "", dumps(entry)), is_last=is_last):
            return True
        log.seldom(
            "warning", "not_recorded", reason="Other replicas cannot resume streams of a caller with many events."
        )
        return False

    def _opened(self, name: str, sealed: bytes, latest: int | None) -> dict[str, Any]:
        """Return an entry of a stream. Raise LookupError if an event after the event `latest` is missing before it."""
        try:
            entry: Any = loads(self._seal.decrypt(name, "", sealed).decode())[0]
        except Unsealed:
            raise LookupError(name) from None
        if latest is not None and entry.get("n", 0) > latest + (entry.get("e") is not None):
            raise LookupError(name)
        return dict(entry)

    async def _write(self) -> None:
        while True:
            name, sealed = await self._waiting.next()
            with suppress(StoreAway):
                await self._store.append(name, sealed, EVENT_SECONDS, MOST_EVENTS + 2)
            self._waiting.written()

    async def _beat(self) -> None:
        while True:
            with suppress(StoreAway):
                await self._store.mark(_REPLICA + self.replica, ALIVE_SECONDS)
            await asyncio.sleep(BEAT_SECONDS)

    async def _hear(self, relayed: Callable[[str, bytes | None], None], ended: Callable[[str, float], None]) -> None:
        async def begun() -> None:
            async for id, line in self.settings.read():  # noqa: A001
                relayed(id, line)
            now = self._seal.now()
            for digest, until in (await self._store.members(_ENDED, now)).items():
                ended(digest, until - now)

        async for message in self._store.listen((_RELAY, _RELAY + self.replica), begun):
            try:
                told: Any = loads(self._seal.decrypt(_RELAY, "", message).decode())[0]
            except Unsealed:
                continue
            relayed(told[0], None if told[1] is None else told[1].encode())


def _about_settings(digest: str) -> str:
    """Return the key under which the store holds the settings of a session."""
    return f"settings:{digest}"
