# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Admit callers by their access tokens: check each token once, and remember the caller until the token expires.

The next request with the same token needs one lookup by the SHA-256 of the token, and no waiting (`known`). The first
check of a token (`check`) may fetch keys or ask the authorization server.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from typing import TYPE_CHECKING

from ..core import log
from ..http.client import Client
from . import challenges, claims, signed_tokens
from .introspection import LONGEST as LONGEST_INTROSPECTED
from .introspection import Introspector
from .issuer import Issuer, Unfetched
from .problems import InvalidToken
from .remembered import BoundedCache

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..http_server.listening import Listening
    from ..settings.settings import Settings
    from .identity import Identity

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
