# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Find the endpoints and fetch the tokens of authorization servers, for schemes that use the caller's credentials."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .delegation_settings import USER
from .provider_metadata import Metadata
from .token_requests import TokenEndpoint

if TYPE_CHECKING:
    from collections.abc import Callable

    from .delegation_settings import Delegation
    from .provider_metadata import Endpoints
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
