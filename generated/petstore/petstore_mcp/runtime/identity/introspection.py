# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Ask the authorization server about access tokens that are not JSON Web Tokens (RFC 7662)."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from ..core.limits import FairPool
from ..text.addresses import network
from . import claims
from .issuer import AWAY, Unfetched, post
from .problems import InvalidToken, Unavailable
from .remembered import BoundedCache

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..http.client import Client
    from ..http_server.callers import Introspection
    from .identity import Identity
    from .issuer import Issuer

LONGEST = 60.0
"""Seconds for which a response is used. A token that is withdrawn may still be accepted for so long."""

REFUSED = 10.0
"""Seconds for which a refusal is remembered, so that a client with a wrong token does not cause a request each time."""

MOST_AT_ONCE = 32
"""Maximum number of tokens about which the authorization server is asked at a time.

Half of them are for tokens that were valid before, so that strangers with random tokens do not lock out users.
"""

MOST_WAITING = 256
"""Maximum number of tokens that wait until the authorization server can be asked, in each half."""

WAIT_SECONDS = 5.0
"""Seconds for which a token waits until the authorization server can be asked."""

SHORTEST = 16
"""Shortest token in characters about which the authorization server is asked. A shorter token could be guessed."""

VALID_SECONDS = 86400.0
"""Seconds for which it is remembered that a token was valid."""


class Introspector:
    """Client of one issuer's introspection endpoint. Concurrent calls with the same token share one request."""

    def __init__(self, issuer: Issuer, client: Client, login: Introspection, wall: Callable[[], float]) -> None:
        """Create a client for an issuer.

        `login` holds this server's own credentials; `wall` returns seconds since 1970.
        """
        self._issuer = issuer
        self._client = client
        self._login = login
        self._wall = wall
        self._refused: BoundedCache[str] = BoundedCache()
        self._valid: BoundedCache[bool] = BoundedCache()
        self._for_valid, self._for_others = (FairPool(MOST_AT_ONCE // 2, MOST_WAITING) for _ in range(2))
        self._asking: dict[bytes, asyncio.Task[Identity]] = {}

    async def check(self, digest: bytes, token: str, audiences: frozenset[str], address: str) -> Identity:
        """Return the caller to whom the token belongs, which a client at this network address has sent.

        Raise InvalidToken if the token is not accepted, and Unavailable if the issuer cannot be asked now.
        """
        if len(token) < SHORTEST:
            raise InvalidToken("The access token is too short to be one.")
        if (reason := self._refused.get(digest, self._wall())) is not None:
            raise InvalidToken(reason)
        asking = self._asking.get(digest)
        if asking is None:
            asking = asyncio.get_running_loop().create_task(self._ask(digest, token, audiences, network(address)))
            self._asking[digest] = asking
            asking.add_done_callback(lambda task: self._asked(digest, task))
        await asyncio.wait({asking})
        return asking.result()

    async def close(self) -> None:
        """Cancel all requests."""
        for each in list(self._asking.values()):
            each.cancel()
        await asyncio.gather(*self._asking.values(), return_exceptions=True)

    def _asked(self, digest: bytes, task: asyncio.Task[Identity]) -> None:
        del self._asking[digest]
        if not task.cancelled():
            task.exception()  # read the exception, since asyncio would log an unread one

    async def _ask(self, digest: bytes, token: str, audiences: frozenset[str], sender: str) -> Identity:
        """Ask the issuer about a token in its turn. `sender`: network of the client that has sent the token."""
        pool = self._for_valid if self._valid.get(digest, self._wall()) else self._for_others
        try:
            await pool.enter(sender, WAIT_SECONDS)
        except TimeoutError:
            raise Unavailable(AWAY, 5) from None
        try:
            found = await self._introspected(digest, token, audiences)
        finally:
            pool.leave(sender)
        self._valid.add(digest, True, self._wall() + VALID_SECONDS, 0)
        return found

    async def _introspected(self, digest: bytes, token: str, audiences: frozenset[str]) -> Identity:
        await self._issuer.started()
        endpoint = self._issuer.introspection
        if endpoint is None:
            raise Unavailable(AWAY, 5)
        form = urlencode({"token": token, "token_type_hint": "access_token"}).encode()
        try:
            told = await post(self._client, endpoint, form, self._login)
        except Unfetched as reason:
            self._issuer.report(reason)
            raise Unavailable(AWAY, 5) from None
        try:
            return claims.check_introspected(told, self._login, self._issuer.name, audiences, self._wall(), token)
        except InvalidToken as invalid:
            self._refused.add(digest, str(invalid), self._wall() + REFUSED, 0)
            raise
