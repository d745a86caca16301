# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Access tokens of users who have logged in with the browser: renewed before they expire, and used for their
user only.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ..core import log
from ..http_server.sealed.away import StoreAway
from ..oauth.backoff import Backoff
from ..oauth.tokens import EARLY
from ..settings.settings import NotReady
from .kept_logins import LOOK_SECONDS, Login
from .token_requests import RefusedToken, Unfetched, refresh_form
from .who import digest

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from .kept_logins import Logins
    from .token_requests import Token
    from .who import CheckedCaller

    Ask = Callable[[dict[str, str]], Awaitable[Token]]

UNSAID_SECONDS = 3600.0
"""Assumed lifetime in seconds of a token whose response does not state one. A refusal by the API ends it earlier."""

RENEWAL_SECONDS = 10.0
"""Seconds for which only one replica may redeem a refresh token."""


class NoLogin(NotReady):
    """The user has to log in, for the first time or again."""


# A rotating refresh token can be used once, so only one replica at a time redeems it (docs/decisions/identity.md).
class UserTokens:
    """Source of access tokens for users who have logged in. `clock` returns seconds since 1970."""

    def __init__(self, logins: Logins, clock: Callable[[], float]) -> None:
        self.logins = logins
        self._clock = clock
        self._renewing: dict[str, asyncio.Task[Login]] = {}
        self._backoff = Backoff(clock)

    def login_of(self, token: Token, before: Login | None = None) -> Login:
        """Return the login that a token response describes.

        Without a new refresh token, keep the one of the login `before`.
        """
        life = UNSAID_SECONDS if token.seconds is None else token.seconds
        refresh = token.refresh or (before.refresh if before else "")
        end = self._clock() + life
        return Login(token.access, end, refresh, end - min(EARLY, life / 4))

    async def get(self, who: CheckedCaller, scheme: str, ask: Ask, seconds: float) -> str:
        """Return a valid access token of this user. `ask` sends a form to the token endpoint.

        Raise NoLogin if the user has to log in, and NotReady if no token comes within `seconds`.
        """
        login = await self.logins.find(who.name, scheme)
        if login is None:
            raise NoLogin("The user has to log in first.")
        if self._clock() < login.renewal:
            return login.access
        if not login.refresh:
            if self._clock() < login.until:
                return login.access
            await self.logins.forget(who.name, scheme)
            raise NoLogin("The login of the user has ended; the user has to log in again.")
        key = digest(who.name, scheme)
        task = self._renewing.get(key)
        if task is None:
            task = self._renewing[key] = asyncio.ensure_future(self._renewed(who.name, scheme, login, ask))
            task.add_done_callback(lambda done: self._end(key, done))
        await asyncio.wait({task}, timeout=max(seconds, 0))
        if not task.done():
            raise NotReady("The login of the user could not be renewed in time.")
        return task.result().access

    def refused(self, who: CheckedCaller, scheme: str, token: str) -> None:
        """Mark as expired an access token that the API refused, so that the next call renews the token."""
        login = self.logins.known(who.name, scheme)
        if login is not None and login.access == token:
            login.until = login.renewal = 0.0

    def _end(self, key: str, task: asyncio.Task[Login]) -> None:
        """Remove a renewal that has ended.

        Read the exception of its task: otherwise asyncio logs an exception that no call has awaited.
        """
        self._renewing.pop(key, None)
        if not task.cancelled():
            task.exception()

    async def _renewed(self, user: str, scheme: str, login: Login, ask: Ask) -> Login:
        """Redeem the refresh token at one replica only, and return the new login.

        Raise NoLogin if the refresh token is no longer valid, and NotReady if the renewal fails for another reason.
        """
        if (newer := await self.logins.find(user, scheme, afresh=True)) is not None and newer.access != login.access:
            return newer
        if not await self._may_renew(login):
            return await self._renewed_elsewhere(user, scheme, login)
        if reason := self._backoff.reason((digest(user, scheme),)):
            raise NotReady(reason)
        try:
            found = self.login_of(await ask(refresh_form(login.refresh)), login)
        except RefusedToken as refusal:
            if refusal.error == "invalid_grant":
                await self.logins.forget(user, scheme)
                raise NoLogin("The login of the user has ended; the user has to log in again.") from None
            self._backoff.refused((digest(user, scheme),), str(refusal))
            raise NotReady(str(refusal)) from None
        except Unfetched as problem:
            log.event("warning", "no_token", reason=str(problem))
            if self._clock() < login.until:
                return login
            raise NotReady(str(problem)) from None
        self._backoff.accepted((digest(user, scheme),))
        await self.logins.keep(user, scheme, found)
        return found

    async def _may_renew(self, login: Login) -> bool:
        """Return whether this replica may redeem the refresh token now, because no other replica does so."""
        store = self.logins.store
        if store is None:
            return True
        try:
            return await store.put_once(f"renewal:{digest(login.refresh)}", RENEWAL_SECONDS)
        except StoreAway:
            return True

    async def _renewed_elsewhere(self, user: str, scheme: str, login: Login) -> Login:
        """Wait for the login that another replica is renewing.

        Raise NoLogin if the other replica removes the login, and NotReady if it does not renew it in time.
        """
        for _ in range(int(RENEWAL_SECONDS / LOOK_SECONDS)):
            found = await self.logins.find(user, scheme, afresh=True)
            if found is None:
                raise NoLogin("The login of the user has ended; the user has to log in again.")
            if found.access != login.access:
                return found
            await asyncio.sleep(LOOK_SECONDS)
        raise NotReady("The login of the user is being renewed by another replica. Call again in a moment.")
