# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Renew the access token of a stored login (RFC 6749, section 6).

The lock is held from reading the refresh token until its successor is stored. So servers that renew at the same time do
not use one refresh token twice. A token that was read before the lock was taken is not used.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..settings.settings import LoginNeeded, NotReady
from . import answers
from .answers import Client
from .errors import LoginFailed
from .lock import locked

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..oauth.discovery import Send
    from ..settings.origins import Endpoint
    from .entry import Entry
    from .kept import KeptLogins
    from .scheme import UserScheme
    from .token_store import Store


# Many providers end a login if its refresh token is used twice, so processes share a lock (docs/decisions/identity.md).
class Renewal:
    """Provider of access tokens for one scheme. `learn` is called with each secret before its use, to redact it."""

    def __init__(self, scheme: UserScheme, kept: KeptLogins, learn: Callable[[str, str], None]) -> None:
        self._scheme = scheme
        self._kept = kept
        self._learn = learn
        self._refused = ""
        self._first: tuple[str, float] | None = None

    @property
    def scheme(self) -> str:
        """Return the name, in `bindings.json`, of the security scheme whose access tokens this object provides."""
        return self._scheme.name

    def offer(self, token: str, seconds: float) -> None:
        """Make the next call of `self.token` return this access token, which a login in this process has just returned.

        Later calls use the stored login. `seconds`: the token's lifetime, 0 if unknown. After this lifetime, even the
        next call uses the stored login.
        """
        self._first = token, time.monotonic() + (seconds or 1e9)

    async def token(self, send: Send) -> dict[str, Any]:
        """Return an access token in the form of a token response: `access_token`, and `expires_in` if known.

        Raise LoginNeeded if the user must log in, and NotReady if no token can be obtained now.
        """
        first, self._first = self._first, None
        if first is not None and (left := first[1] - time.monotonic()) > 0:
            return {"access_token": first[0], "expires_in": left}
        try:
            async with locked(self._scheme.server):
                return await self._renewed(send)
        except LoginFailed as reason:
            raise NotReady(f"No access token could be had by the login: {reason}") from None

    async def _renewed(self, send: Send) -> dict[str, Any]:
        found = await asyncio.to_thread(self._kept.read, self._scheme)
        if found is None:
            raise self._needed("Nobody is logged in")
        entry, store = found
        if not entry.refresh_token:
            return self._without_refresh(entry)
        if _digest(entry.refresh_token) == self._refused:
            raise self._needed("The login is no longer valid")
        answer = await self._asked(entry, send)
        if answer.error == "invalid_grant":
            # A process that ignores the lock may have renewed the token meanwhile. If so, use the token that it stored.
            again = await asyncio.to_thread(self._kept.read, self._scheme)
            if again is not None and again[0].refresh_token not in ("", entry.refresh_token):
                entry, store = again
                answer = await self._asked(entry, send)
        return await self._taken(answer, entry, store)

    async def _taken(self, answer: answers.Answer, entry: Entry, store: Store) -> dict[str, Any]:
        server = self._endpoint(entry).address.authority
        if answer.error == "invalid_grant":
            self._refused = _digest(entry.refresh_token)
            raise self._needed("The login is no longer valid")
        if answer.status != 200:
            more = f" with {self._scheme.client_variable}" if answer.error == "invalid_client" else ""
            raise LoginFailed(f"{server} gave no access token{more}: {answer.said}.")
        token = answers.access_token(answer, server)
        self._learn(token, f"access {self._scheme.name}")
        if (successor := answer.text("refresh_token")) and successor != entry.refresh_token:
            self._learn(successor, f"refresh {self._scheme.name}")
            life = answer.seconds("refresh_expires_in") or answer.seconds("refresh_token_expires_in")
            later = replace(entry, refresh_token=successor, refresh_ends=time.time() + life if life else 0.0)
            await asyncio.to_thread(self._kept.write, self._scheme, later, store)
        life = answer.seconds("expires_in")
        return {"access_token": token, **({"expires_in": life} if life else {})}

    async def _asked(self, entry: Entry, send: Send) -> answers.Answer:
        self._learn(entry.refresh_token, f"refresh {self._scheme.name}")
        if entry.client_secret:
            self._learn(entry.client_secret, f"client {self._scheme.name}")
        secret = entry.client_secret if entry.registered else self._scheme.client_secret
        form = {"grant_type": "refresh_token", "refresh_token": entry.refresh_token}
        return await answers.post_form(send, self._endpoint(entry), form, Client(entry.client_id, secret))

    def _endpoint(self, entry: Entry) -> Endpoint:
        """Return the token endpoint for renewals: from the API description, else from the metadata found at the
        login.
        """
        flow = self._scheme.flow
        if described := flow.get("refreshUrl") or flow.get("tokenUrl"):
            return self._scheme.resolve(described)
        return self._scheme.resolve_named(entry.token_endpoint, entry.metadata_url)

    def _without_refresh(self, entry: Entry) -> dict[str, Any]:
        left = entry.access_ends - time.time()
        if entry.access_ends and left <= 0:
            raise self._needed("The login has ended")
        self._learn(entry.access_token, f"access {self._scheme.name}")
        return {"access_token": entry.access_token, **({"expires_in": left} if entry.access_ends else {})}

    def _needed(self, why: str) -> LoginNeeded:
        return LoginNeeded(f"{why}: run `{self._scheme.command}` on the machine of this server.", self._scheme.name)


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
