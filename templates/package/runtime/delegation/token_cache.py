# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Cache of access tokens with one entry per caller, so that no caller gets a token of another.

The key of an entry is a digest of the caller's own token, the scheme, the audience and the scopes. So a cached token is
returned only to a call with the same token of its caller and the same scopes. No entry outlives the caller's own token.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import TYPE_CHECKING

from ..core import log
from ..oauth.backoff import FIRST, LONGEST
from ..oauth.tokens import EARLY
from ..settings.settings import NotReady
from .token_requests import RefusedToken, Unfetched

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from .token_requests import Token

    Fetch = Callable[[], Awaitable[Token]]

MOST = 10_000
"""Maximum number of entries. Beyond it, the least recently used entry is removed."""

UNSAID_SECONDS = 300.0
"""Assumed lifetime in seconds of a token whose response does not state one."""


class CachedToken:
    """Cache entry of one caller: the token, when to renew it, when it ends, and the asyncio task that fetches another.

    `refusals` counts the refusals in a row. Before the time `again`, no token is requested; `reason` says why.
    """

    __slots__ = ("again", "end", "fetching", "reason", "refusals", "renewal", "token")

    def __init__(self) -> None:
        self.token = ""
        self.renewal = self.end = 0.0
        self.refusals = 0
        self.again = float("-inf")
        self.reason = ""
        self.fetching: asyncio.Task[str] | None = None


# The key contains a digest of the caller's whole token, so nobody has to decide which claims matter
# (docs/decisions/identity.md).
class TokenCache:
    """Access tokens by key, at most MOST. `clock` returns monotonic seconds."""

    def __init__(self, clock: Callable[[], float], most: int = MOST) -> None:
        self._clock = clock
        self._most = most
        self._held: OrderedDict[str, CachedToken] = OrderedDict()

    def __len__(self) -> int:
        return len(self._held)

    async def get(self, key: str, lasts: float, fetch: Fetch, seconds: float) -> str:
        """Return the token for this key; `fetch` requests one if none is cached. Raise NotReady if none comes within
        `seconds`.

        A newly requested token is cached for at most `lasts` seconds: the time for which the caller's own token is
        still valid. Calls with the same key share one request; cancelling a call does not cancel the request.
        """
        held = self._of(key)
        now = self._clock()
        if held.token and now < held.renewal:
            return held.token
        if held.again > now:
            raise NotReady(f"{held.reason} The next attempt is made in {max(round(held.again - now), 1)} s.")
        if held.fetching is None:
            held.fetching = asyncio.ensure_future(self._fetched(held, now + lasts, fetch))
        fetching = held.fetching
        await asyncio.wait({fetching}, timeout=max(seconds, 0))
        reason = fetching.result() if fetching.done() else "The authorization server gave no access token in time."
        if held.token and self._clock() < held.end:
            return held.token
        raise NotReady(reason or "The access token that was given for the caller has ended already.")

    def drop(self, key: str, token: str) -> None:
        """Remove from the cache a token that the API refused."""
        held = self._held.get(key)
        if held is not None and held.token == token:
            held.token, held.renewal, held.end = "", 0.0, 0.0

    def _of(self, key: str) -> CachedToken:
        held = self._held.get(key)
        if held is None:
            held = self._held[key] = CachedToken()
            if len(self._held) > self._most:
                self._held.popitem(last=False)
        else:
            self._held.move_to_end(key)
        return held

    async def _fetched(self, held: CachedToken, latest: float, fetch: Fetch) -> str:
        """Fetch a token into the entry `held`. Return "", or the reason why there is none."""
        asked = self._clock()
        try:
            token = await fetch()
        except Unfetched as problem:
            if isinstance(problem, RefusedToken):
                held.refusals += 1
                held.again = self._clock() + min(FIRST * 2.0 ** min(held.refusals - 1, 20), LONGEST)
                held.reason = str(problem)
                held.token = ""
            log.event("warning", "no_token", reason=str(problem))
            return str(problem)
        except NotReady as problem:
            return str(problem)
        finally:
            held.fetching = None
        life = UNSAID_SECONDS if token.seconds is None else token.seconds
        held.token, held.end = token.access, min(asked + life, latest)
        held.renewal = held.end - min(EARLY, max(held.end - asked, 0.0) / 4)
        held.refusals = 0
        return ""
