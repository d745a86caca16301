# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Find the endpoints of an authorization server in its metadata (RFC 8414, OpenID Connect Discovery 1.0),
fetched once.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from ..http.client import Failure
from ..oauth import token_response
from ..oauth.backoff import Backoff
from ..request.request import Request
from ..settings.settings import NotReady
from .delegation_settings import USER
from .token_requests import TokenEndpoint

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..settings.origins import Endpoint
    from .delegation_settings import Delegation, Provider
    from .token_requests import Send, Token


class _Server:
    """Authorization server of one scheme. `delegation` holds the scheme's settings at the time of creation."""

    __slots__ = ("delegation", "metadata", "tokens")

    def __init__(self, delegation: Delegation, send: Send, clock: Callable[[], float]) -> None:
        assert delegation.provider is not None
        self.delegation = delegation
        self.metadata = Metadata(delegation.provider, send, clock, delegation.way == USER)
        self.tokens = TokenEndpoint(delegation, send)


class Servers:
    """Authorization servers by the names of their security schemes. `clock` returns monotonic seconds."""

    def __init__(self, send: Send, clock: Callable[[], float]) -> None:
        self._send = send
        self._clock = clock
        self._known: dict[str, _Server] = {}

    async def endpoints(self, delegation: Delegation) -> Endpoints:
        """Return the endpoints of the scheme's authorization server. Raise NotReady if they cannot be looked up."""
        return await self._of(delegation).metadata.endpoints()

    async def ask(self, delegation: Delegation, form: dict[str, str]) -> Token:
        """Send a form to the token endpoint of the scheme, and return the token.

        Raise NotReady if the endpoint is unknown, RefusedToken if it refuses, and Unfetched if no usable response
        comes.
        """
        server = self._of(delegation)
        return await server.tokens.ask((await server.metadata.endpoints()).token, form)

    def _of(self, delegation: Delegation) -> _Server:
        found = self._known.get(delegation.scheme)
        if found is None or found.delegation is not delegation:
            found = self._known[delegation.scheme] = _Server(delegation, self._send, self._clock)
        return found


LARGEST_ANSWER = 64 * 1024
LONGEST_URL = 2000


class Endpoints:
    """Endpoints of one authorization server.

    `issuer` is the server's identifier, or "" if unknown. `says_issuer` is whether its authorization responses contain
    `iss` (RFC 9207 section 3).
    """

    __slots__ = ("authorization", "issuer", "says_issuer", "token")

    def __init__(self, token: Endpoint, authorization: str, issuer: str, says_issuer: bool) -> None:
        self.token = token
        self.authorization = authorization
        self.issuer = issuer
        self.says_issuer = says_issuer


class Metadata:
    """Metadata of one authorization server, fetched at first use.

    A failure is followed by a pause before the next attempt.
    """

    def __init__(self, provider: Provider, send: Send, clock: Callable[[], float], needs_browser: bool) -> None:
        """Prepare the lookup.

        `needs_browser` is whether the authorization endpoint is needed as well as the token endpoint.
        """
        self._provider = provider
        self._send = send
        self._needs_browser = needs_browser
        self._found: Endpoints | None = None
        self._backoff = Backoff(clock)
        self._turn = asyncio.Lock()

    async def endpoints(self) -> Endpoints:
        """Return the authorization server's endpoints. Raise NotReady if its metadata cannot be fetched or used."""
        if self._found is None:
            async with self._turn:
                self._found = self._found or await self._look_up()
        return self._found

    async def _look_up(self) -> Endpoints:
        provider = self._provider
        if provider.token is not None and not (self._needs_browser and provider.metadata):
            return Endpoints(provider.token, provider.authorization, provider.issuer, False)
        if reason := self._backoff.reason(()):
            raise NotReady(reason)
        problem = ""
        for place in provider.metadata:
            try:
                return self._read(await self._fetched(place), place)
            except ValueError as reason:
                problem = problem or str(reason)
        self._backoff.refused((), problem)
        raise NotReady(problem)

    async def _fetched(self, place: Endpoint) -> dict[str, Any]:
        request = Request("GET", place.target, template=place.target.partition("?")[0])
        request.headers = [("Accept", "application/json")]
        server = place.address.authority
        try:
            answer = await self._send(request, place.address)
        except Failure as failure:
            raise ValueError(f"The endpoints of {server} could not be looked up: {failure.reason}.") from None
        if answer.status != 200 or answer.cut or len(answer.content) > LARGEST_ANSWER:
            raise ValueError(f"{server} did not say where tokens are fetched: HTTP {answer.status}.")
        found = token_response.content(answer, LARGEST_ANSWER)
        if not found:
            raise ValueError(f"{server} did not say where tokens are fetched: its metadata are no JSON object.")
        return found

    def _read(self, found: dict[str, Any], place: Endpoint) -> Endpoints:
        """Return the endpoints that the metadata `found` name.

        Raise ValueError with a sentence if one is missing or invalid.
        """
        server, provider = place.address.authority, self._provider
        issuer = found.get("issuer")
        if not isinstance(issuer, str) or (provider.issuer and issuer != provider.issuer):
            raise ValueError(f"The metadata of {server} are of another issuer.")
        token, authorization = provider.token, provider.authorization
        if token is None:
            token = self._resolved(found, "token_endpoint", server)
        if self._needs_browser and not authorization:
            endpoint = self._resolved(found, "authorization_endpoint", server)
            authorization = endpoint.address.origin + endpoint.target
        says = found.get("authorization_response_iss_parameter_supported") is True
        return Endpoints(token, authorization, issuer, says)

    def _resolved(self, found: dict[str, Any], name: str, server: str) -> Endpoint:
        url = found.get(name)
        if not isinstance(url, str) or "://" not in url or len(url) > LONGEST_URL:
            raise ValueError(f"{server} answered without {name}.")
        try:
            return self._provider.resolve(url)
        except ValueError as reason:
            raise ValueError(f"The {name} that {server} names {reason}.") from None
