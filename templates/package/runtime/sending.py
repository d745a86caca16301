# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""A prepared request and its answer: with an access token where it needs one, and once more where that was refused.

One deadline covers the token, the request, and its repetition. What is not idempotent is sent at most once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from .credentials import set_token
from .settings import NotReady

if TYPE_CHECKING:
    from .client import Client
    from .credentials import Grant
    from .exchange import Response
    from .preparation import Ready
    from .tokens import Tokens

UNAUTHORIZED = 401
REPEATABLE = frozenset({"GET", "HEAD", "OPTIONS", "PUT", "DELETE", "QUERY"})
"""Idempotent methods (RFC 9110 section 9.2.2, and the QUERY of the HTTP working group)."""


class Sender:
    """Sends the requests of one server. To be made and used inside a running event loop."""

    def __init__(self, client: Client, seconds: float, learn: Callable[[str], None]) -> None:
        """A token may take so many seconds; `learn` is told each before it is used."""
        self._client = client
        self._clock = asyncio.get_running_loop().time
        self._seconds = seconds
        self._learn = learn
        self._tokens: Tokens | None = None

    async def send(self, ready: Ready, seconds: float, report: Callable[[str], None]) -> Response:
        """The answer. Raises Failure, or NotReady where no token could be had."""
        if ready.grant is None:
            return await self._client.send(ready.request, ready.address, seconds, report)
        end = self._clock() + seconds
        tokens = self._fetched()
        token = await tokens.get(ready.grant, seconds)
        set_token(ready.request, token)
        answer = await self._client.send(ready.request, ready.address, self._until(end), report)
        if answer.status != UNAUTHORIZED:
            return answer
        tokens.refused(ready.grant, token)
        if ready.request.method not in REPEATABLE:
            return answer
        try:
            set_token(ready.request, await tokens.get(ready.grant, self._until(end)))
        except NotReady:
            return answer  # what became of the call is its 401
        return await self._client.send(ready.request, ready.address, self._until(end), report)

    async def try_grant(self, grant: Grant, seconds: float) -> None:
        """Fetch a token, to see whether that can be done. Raises NotReady."""
        await self._fetched().get(grant, seconds)

    def _fetched(self) -> Tokens:
        """The tokens of this server, from the first call that needs one."""
        from .tokens import Tokens  # most APIs give none

        if self._tokens is None:
            client, seconds = self._client, self._seconds
            self._tokens = Tokens(
                lambda request, address: client.send(request, address, seconds), self._clock, self._learn
            )
        return self._tokens

    def _until(self, end: float) -> float:
        """The seconds that are left, as they can be said."""
        return max(round(end - self._clock(), 1), 0.0)
