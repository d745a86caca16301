# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Store the access tokens and refresh tokens of users who have logged in, by user and security scheme.

If the replicas of a server share a store, they find all logins there, encrypted and bound to user and scheme. Without a
store, or while the store cannot be reached, a process knows only the logins that it has seen itself.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..core import log
from ..core.jsonrpc import dumps, loads
from ..http_server.sealed.away import StoreAway
from ..http_server.sealed.seal import Unsealed
from .who import digest

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from ..http_server.sealed.seal import Seal

    class Store(Protocol):
        """Interface of the store that replicas share (replicas.store.Store).

        Methods raise StoreAway if it cannot be reached.
        """

        async def put(self, name: str, values: list[bytes], seconds: float) -> None:
            """Store `values` under `name` for `seconds` seconds, in place of former values of that name."""

        async def get(self, name: str) -> list[bytes]:
            """Return the values stored under `name`; [] if there are none."""

        async def put_once(self, name: str, seconds: float) -> bool:
            """Record a name for `seconds`. Return True if it was not recorded before."""


MOST = 10_000
"""Maximum number of logins in the memory of this process. Beyond it, the least recently used login is removed."""

LIFE = 30 * 86400.0
"""Seconds for which a login with a refresh token is kept after its last renewal."""

LOOK_SECONDS = 0.5
"""Seconds between two checks of the store for a login that another replica may have received."""

_PURPOSE = "login"


class Login:
    """Tokens of one user from one authorization server.

    `renewal` and `until` say when to renew the access token and when it expires, in seconds since 1970. `refresh` may
    be "".
    """

    __slots__ = ("access", "refresh", "renewal", "until")

    def __init__(self, access: str, until: float, refresh: str, renewal: float) -> None:
        self.access = access
        self.until = until
        self.refresh = refresh
        self.renewal = renewal


class Logins:
    """Logins by user and security scheme.

    `store` is the store that replicas share, or None. `clock` returns seconds since 1970.
    """

    def __init__(self, seal: Seal, store: Store | None, clock: Callable[[], float]) -> None:
        self._seal = seal
        self._store = store
        self._clock = clock
        self._known: OrderedDict[str, Login] = OrderedDict()
        self._arrivals: dict[str, list[asyncio.Future[bool]]] = {}

    @property
    def store(self) -> Store | None:
        """Return the store that replicas share, or None."""
        return self._store

    async def find(self, user: str, scheme: str, afresh: bool = False) -> Login | None:
        """Return the login of a user (`CheckedCaller.name`) for a scheme, or None.

        With `afresh`, look into the shared store even if this process knows the login.
        """
        key = _key(user, scheme)
        if (afresh or key not in self._known) and self._store is not None:
            with suppress(StoreAway, Unsealed):
                values = await self._store.get(key)
                if values:
                    self._remember(key, self._opened(user, scheme, values[0]))
                else:
                    self._known.pop(key, None)
        found = self._known.get(key)
        if found is not None:
            self._known.move_to_end(key)
        return found

    def known(self, user: str, scheme: str) -> Login | None:
        """Return the login of a user as this process last saw it, or None. The shared store is not asked."""
        return self._known.get(_key(user, scheme))

    async def keep(self, user: str, scheme: str, login: Login) -> None:
        """Store a login in place of the user's former one, and wake the calls that wait for a login."""
        key = _key(user, scheme)
        self._remember(key, login)
        if self._store is not None:
            value = dumps({"a": login.access, "u": login.until, "r": login.refresh, "n": login.renewal})
            sealed = self._seal.encrypt(_PURPOSE, _owner(user, scheme), value)
            seconds = LIFE if login.refresh else max(login.until - self._clock(), 1.0)
            try:
                await self._store.put(key, [sealed], min(seconds, LIFE))
            except StoreAway:
                log.event("warning", "not_shared", reason="A login of a user is known to this replica alone.")
        self._arrived(key, True)

    async def forget(self, user: str, scheme: str) -> None:
        """Remove a login that the authorization server does not accept any more."""
        key = _key(user, scheme)
        self._known.pop(key, None)
        if self._store is not None:
            with suppress(StoreAway):
                await self._store.put(key, [], 1)

    def fail(self, user: str, scheme: str) -> None:
        """Wake the calls that wait for a login which has failed."""
        self._arrived(_key(user, scheme), False)

    async def wait(self, user: str, scheme: str, seconds: float) -> bool:
        """Wait until the user has logged in, at this replica or another one.

        Return False if that takes longer than `seconds`.
        """
        key = _key(user, scheme)
        arrival: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._arrivals.setdefault(key, []).append(arrival)
        try:
            async with asyncio.timeout(seconds):
                while not arrival.done():
                    if await self.find(user, scheme, afresh=True) is not None:
                        return True
                    await asyncio.wait({arrival}, timeout=LOOK_SECONDS if self._store is not None else None)
                return arrival.result()
        except TimeoutError:
            return False
        finally:
            self._arrivals[key].remove(arrival)
            if not self._arrivals[key]:
                del self._arrivals[key]

    def is_awaited(self, user: str, scheme: str) -> bool:
        """Return whether a call of this process waits for the login of this user for this scheme."""
        return _key(user, scheme) in self._arrivals

    def _arrived(self, key: str, came: bool) -> None:
        for arrival in self._arrivals.get(key, ()):
            if not arrival.done():
                arrival.set_result(came)

    def _remember(self, key: str, login: Login) -> None:
        self._known[key] = login
        self._known.move_to_end(key)
        if len(self._known) > MOST:
            self._known.popitem(last=False)

    def _opened(self, user: str, scheme: str, sealed: bytes) -> Login:
        value: Any = loads(self._seal.decrypt(_PURPOSE, _owner(user, scheme), sealed).decode())[0]
        return Login(value["a"], float(value["u"]), value["r"], float(value["n"]))


def _key(user: str, scheme: str) -> str:
    return f"login:{digest(user, scheme)}"


def _owner(user: str, scheme: str) -> str:
    return dumps([user, scheme]).decode()
