# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Admit callers by their access tokens: check each token once, and remember the caller until the token expires.

The next request with the same token needs one lookup by the SHA-256 of the token, and no waiting (`known`). The first
check of a token (`check`) may fetch keys. About tokens that are not JSON Web Tokens, it asks the authorization server
(RFC 7662).
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from typing import TYPE_CHECKING, Generic, TypeVar
from urllib.parse import urlencode

from ..core import log
from ..core.limits import FairPool
from ..http.client import Client
from ..text.addresses import network
from . import challenges, claims, signed_tokens
from .issuer import AWAY, Issuer, Unfetched, post
from .problems import InvalidToken, Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..http.client import Client
    from ..http_server.callers import Introspection
    from ..http_server.listening import Listening
    from ..settings.settings import Settings
    from .identity import Identity
    from .issuer import Issuer

LONGEST_INTROSPECTED = 60.0
"""Seconds for which a response is used. A token that is withdrawn may still be accepted for so long."""

_REFUSED = 10.0
"""Seconds for which a refusal is remembered, so that a client with a wrong token does not cause a request each time."""

MOST_AT_ONCE = 32
"""Maximum number of tokens about which the authorization server is asked at a time.

Half of them are for tokens that were valid before, so that strangers with random tokens do not lock out users.
"""

MOST_WAITING = 256
"""Maximum number of tokens that wait until the authorization server can be asked, in each half."""

_WAIT_SECONDS = 5.0
"""Seconds for which a token waits until the authorization server can be asked."""

_SHORTEST = 16
"""Shortest token in characters about which the authorization server is asked. A shorter token could be guessed."""

_VALID_SECONDS = 86400.0
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
        if len(token) < _SHORTEST:
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
            await pool.enter(sender, _WAIT_SECONDS)
        except TimeoutError:
            raise Unavailable(AWAY, 5) from None
        try:
            found = await self._introspected(digest, token, audiences)
        finally:
            pool.leave(sender)
        self._valid.add(digest, True, self._wall() + _VALID_SECONDS, 0)
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
            self._refused.add(digest, str(invalid), self._wall() + _REFUSED, 0)
            raise


MOST_REMEMBERED = 10_000
"""Maximum number of remembered tokens. Beyond it, the least recently used token is forgotten."""

MOST_REMEMBERED_BYTES = 64 * 1024 * 1024
"""Maximum of the total bytes of remembered tokens. Their decoded claims take a few times as much memory."""

Value = TypeVar("Value")


class BoundedCache(Generic[Value]):
    """Cache of at most MOST_REMEMBERED entries, in which each entry expires at its own time."""

    __slots__ = ("_entries", "_size")

    def __init__(self) -> None:
        self._entries: dict[bytes, tuple[float, Value, int]] = {}
        self._size = 0

    def get(self, digest: bytes, now: float) -> Value | None:
        """Return the value remembered for the token with this `digest`; None if there is none or it has expired."""
        entry = self._entries.pop(digest, None)
        if entry is None:
            return None
        if now >= entry[0]:
            self._size -= entry[2]
            return None
        self._entries[digest] = entry  # move the entry to the end, as the most recently used one
        return entry[1]

    def add(self, digest: bytes, value: Value, end: float, size: int) -> None:
        """Remember `value` for the token with this `digest`, until `end` in seconds since 1970.

        `size`: the token's size in bytes, which counts towards MOST_REMEMBERED_BYTES.
        """
        self._forget(digest)
        self._entries[digest] = (end, value, size)
        self._size += size
        while len(self._entries) > MOST_REMEMBERED or self._size > MOST_REMEMBERED_BYTES:
            self._forget(next(iter(self._entries)))

    def drop(self, condition: Callable[[Value], bool]) -> None:
        """Remove each entry for whose value `condition` returns true."""
        for digest in [digest for digest, (_, value, _) in self._entries.items() if condition(value)]:
            self._forget(digest)

    def _forget(self, digest: bytes) -> None:
        if (entry := self._entries.pop(digest, None)) is not None:
            self._size -= entry[2]


LONGEST = 16 * 1024
"""Longest token in characters."""


class Guard:
    """Checker of the access tokens that one server receives. Create and use it inside a running event loop.

    It also tells clients which scopes to request: those that `tell` has set last, at first those that all calls need.
    """

    def __init__(self, listening: Listening, settings: Settings, agent: str) -> None:
        """Create a checker of tokens that follows these settings. `agent` is the User-Agent of requests to issuers."""
        self.tell(listening["AUTH_SCOPES"])
        self._listening = listening
        self._remembered: BoundedCache[Identity] = BoundedCache()
        self._client = Client(settings, agent)
        self._issuers = {
            name: Issuer(name, self._client, time.monotonic, self._forget, listening.introspection is not None)
            for name in listening["AUTH_ISSUER"]
        }
        self._introspecting: Introspector | None = None
        if listening.introspection is not None:
            only = self._issuers[listening["AUTH_ISSUER"][0]]
            self._introspecting = Introspector(only, self._client, listening.introspection, time.time)
        self._starting: list[asyncio.Task[None]] = []
        port = listening.port or 1  # 0: the system chooses the port later, then `locate` sets the URL
        self.locate(listening["HTTP_URL"] or f"http://{listening.address.rpartition(':')[0]}:{port}/mcp")

    # Never the URL in `Host`: a token for another server of this machine would then be accepted
    # (docs/decisions/identity.md).
    def locate(self, resource: str) -> None:
        """Set the URL at which clients reach this server."""
        self.resource = resource
        self._audiences = self._listening["AUTH_AUDIENCE"] or frozenset((resource,))
        self._metadata_url = challenges.metadata_url(resource)
        own = self._metadata_url.partition("://")[2].partition("/")[2]
        self.metadata_paths = frozenset((f"/{own}", f"{challenges.WELL_KNOWN}/mcp"))

    def start(self) -> None:
        """Begin to fetch the keys of the issuers. Failures are logged, and the fetch is repeated."""
        loop = asyncio.get_running_loop()
        self._starting = [loop.create_task(each.load_until_done()) for each in self._issuers.values()]

    @property
    def ready(self) -> bool:
        """Return whether the keys of all issuers were fetched at least once."""
        return all(each.loaded for each in self._issuers.values())

    async def close(self) -> None:
        """Stop all requests to issuers."""
        for each in self._starting:
            each.cancel()
        await asyncio.gather(*self._starting, return_exceptions=True)
        for issuer in self._issuers.values():
            await issuer.close()
        if self._introspecting is not None:
            await self._introspecting.close()
        await self._client.close()

    # Checks of tokens

    def known(self, digest: bytes) -> Identity | None:
        """Return the caller whose token has the SHA-256 `digest`.

        Return None if the token was not checked before, or has expired.
        """
        return self._remembered.get(digest, time.time())

    async def check(self, token: str, address: str) -> Identity:
        """Check a token, remember its caller and return the caller. `address`: network address of the client.

        Raise InvalidToken if the token is not accepted, and Unavailable if it cannot be checked now.
        """
        if not token or len(token) > LONGEST or not token.isascii():
            raise InvalidToken("The access token is empty, too long, or not of ASCII characters.")
        digest = hashlib.sha256(token.encode()).digest()
        if signed_tokens.is_jwt(token):
            found = await self._checked_jwt(token)
            end = found.expires + claims.LEEWAY
        elif self._introspecting is not None:
            found = await self._introspecting.check(digest, token, self._audiences, address)
            end = min(found.expires, time.time() + LONGEST_INTROSPECTED)
        else:
            raise InvalidToken("The token is no JSON Web Token, and others are not accepted here.")
        self._remembered.add(digest, found, end, len(token))
        return found

    def seconds_left(self, caller: Identity) -> float:
        """Return the seconds until the caller's token expires, at least 0."""
        return max(caller.expires + claims.LEEWAY - time.time(), 0.0)

    async def _checked_jwt(self, token: str) -> Identity:
        told = signed_tokens.parse(token)
        name = told.claims.get("iss")
        issuer = self._issuers.get(name) if isinstance(name, str) else None
        if issuer is None:
            raise InvalidToken("The access token is of another issuer.")
        found = claims.check(told.claims, issuer.name, self._audiences, time.time(), token)
        (await issuer.key(told.algorithm, told.kid)).verify(token)
        return found

    def _forget(self, issuer: str) -> None:
        """Forget all callers whose tokens come from an issuer that withdrew a key, since the key may have been
        stolen.
        """
        self._remembered.drop(lambda caller: caller.issuer == issuer)
        log.event("info", "keys_changed", issuer=issuer)

    # Answers to clients

    def tell(self, first: Iterable[str]) -> None:
        """Set which scopes clients are told to request at first."""
        self._first = first

    def metadata(self) -> bytes:
        """Return the resource metadata as JSON (RFC 9728)."""
        return challenges.metadata(self.resource, self._listening["AUTH_ISSUER"], self._first)

    def unauthorized(self, problem: str | None) -> str:
        """Return the challenge to a request without an accepted token.

        `problem` says what is wrong with the token, if any.
        """
        return challenges.unauthorized(self._metadata_url, self._first, problem)

    def insufficient(self, scopes: Iterable[str]) -> str:
        """Return the challenge to a call whose token lacks some of these scopes, which the call needs."""
        return challenges.insufficient(self._metadata_url, scopes)

    async def examine(self) -> dict[str, str]:
        """Fetch the metadata and keys of each issuer.

        Return a mapping from each issuer to "" or to what is wrong, in words that follow the issuer's name in a
        sentence.
        """
        found = {}
        for name, issuer in self._issuers.items():
            try:
                await issuer.load()
                found[name] = ""
            except Unfetched as reason:
                found[name] = str(reason)
        return found
