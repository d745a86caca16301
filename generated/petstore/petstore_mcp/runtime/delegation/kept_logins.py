# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Keep the logins of users: what each user allowed this server to do in the user's name, by user and scheme.

With a store, any replica finds a login; it is encrypted, and bound to its user and scheme. Without one, or while the
store is away, this process remembers its own.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..core import log
from ..core.jsontext import dumps, loads
from ..replicas.away import StoreAway
from ..replicas.seal import Unsealed
from .who import digest

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from ..replicas.seal import Seal

    class Store(Protocol):
        """What is used of the store that replicas share (replicas.store.Store). Each method raises StoreAway."""

        async def put(self, name: str, values: list[bytes], seconds: float) -> None:
            """Store values under a name, in place of the former ones."""

        async def get(self, name: str) -> list[bytes]:
            """Return the values under a name; [] if there are none."""

        async def put_once(self, name: str, seconds: float) -> bool:
            """Record a name for `seconds`. Return True if it was not recorded before."""


MOST = 10_000
"""Most logins in the memory of this process. The one that was not used for the longest time goes first."""

LIFE = 30 * 86400.0
"""Seconds for which a login with a refresh token is kept after its last renewal."""

LOOK_SECONDS = 0.5
"""Seconds between two looks into the store for a login that another replica may have taken."""

_PURPOSE = "login"


class Login:
    """Login of one user at one authorization server: access token, when to renew it and when it ends (both in seconds
    since 1970), and refresh token or "".
    """

    __slots__ = ("access", "refresh", "renewal", "until")

    def __init__(self, access: str, until: float, refresh: str, renewal: float) -> None:
        self.access = access
        self.until = until
        self.refresh = refresh
        self.renewal = renewal


class Logins:
    """Logins by user and scheme. `store` is None if there is none; `clock` returns seconds since 1970."""

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
        """Return the login of a user (`Who.name`) for a scheme, or None. `afresh` looks into the store first."""
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
        """Return the login of a user as this process last saw it, or None."""
        return self._known.get(_key(user, scheme))

    async def keep(self, user: str, scheme: str, login: Login) -> None:
        """Keep a login in place of the former one, and wake the calls that wait for it."""
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
        """Forget a login that the authorization server does not accept any more."""
        key = _key(user, scheme)
        self._known.pop(key, None)
        if self._store is not None:
            with suppress(StoreAway):
                await self._store.put(key, [], 1)

    def fail(self, user: str, scheme: str) -> None:
        """Wake the calls that wait for a login: the user has declined it."""
        self._arrived(_key(user, scheme), False)

    async def wait(self, user: str, scheme: str, seconds: float) -> bool:
        """Wait until the user has logged in, here or at another replica. Return False if that did not happen."""
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
        """Return whether a call of this process waits for that login."""
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
