# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Send a prepared request: paced (pacing.py), with an access token if needed, and retried where safe (retry.py).

A refused access token is replaced once. One deadline covers the waiting, the token, the request and its retries. A
request that changes data is sent at most once, unless the upstream recognizes repetitions by an idempotency key.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from ..core import spans
from ..settings.settings import NotReady
from .client import Failure
from .pacing import NoPlaceFree, RequestLimiter

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from typing import Protocol

    from ..oauth.tokens import Tokens
    from ..request.request import Request
    from ..settings.grants import CallerCredential, TokenRequest
    from ..settings.settings import Settings
    from ..text.addresses import Address
    from .client import Client
    from .exchange import PreparedCall, Response, Sent
    from .pacing import Turn

    Report = Callable[[str], None]

    class Source(Protocol):
        """Source of access tokens: for the server's own credentials (tokens.Tokens), or on behalf of its callers
        (package `delegation`).
        """

        async def get(self, grant: Any, seconds: float, /) -> str:
            """Return a valid token. Raise NotReady if there is none within `seconds`."""

        def refused(self, grant: Any, token: str, /) -> None:
            """Drop a token that the API refused."""


UNAUTHORIZED = 401
LONGEST_ANSWER, SHORTEST_ANSWER = 1.0, 0.05
"""Maximum and minimum of the seconds reserved for a response, which are a tenth of the call's time. With less time
left, nothing is sent: the upstream would act, and the client would never learn of it.
"""


# After a 401, only a request that is safe to repeat is sent again with a new token (docs/decisions/requests.md).
class Sender:
    """Sender of the HTTP requests of one MCP server's tools. Create and use it inside a running event loop."""

    def __init__(
        self,
        client: Client,
        settings: Settings,
        learn: Callable[[str, str], None],
        rest: Callable[[float], Awaitable[None]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
        clock: Callable[[], float] = time.monotonic,
        rooms: int | None = None,
        turn: Turn | None = None,
        callers: Source | None = None,
    ) -> None:
        """Create a sender.

        - `learn` is called with each access token and its purpose before the token is used, so that it can be redacted.
        - `rest` pauses for seconds, `chance` returns a random number from 0 up to 1, `clock` returns seconds.
        - `rooms`: most requests that may be pending at a time; None means `settings["CONCURRENCY"]`.
        - `turn` asks the store that replicas share when the next request may be sent.
        - `callers` is the source of tokens for calls on behalf of a caller; None without such calls.
        """
        self._client = client
        self._clock = clock
        self._pace = RequestLimiter(rooms or settings["CONCURRENCY"], settings["RATE_LIMIT"], self._clock, rest, turn)
        self._seconds = settings["TIMEOUT"]
        self._rules = settings.rules
        self._learn = learn
        self._rest = rest
        self._chance = chance
        self._tokens: Tokens | None = None
        self._callers = callers

    async def send(self, ready: PreparedCall, sent: Sent, seconds: float, report: Report) -> Response:
        """Send the request, with retries, and return the response. `sent.tries` counts the tries.

        Raise Failure if no usable response comes, and NotReady if no access token can be fetched.
        """
        end = self._clock() + seconds
        latest = end - min(max(seconds / 10, SHORTEST_ANSWER), LONGEST_ANSWER)
        grant = ready.chosen.grant or ready.chosen.own
        answered = self._exchanged if grant is None else partial(self._admitted, grant)
        outcome: Response | Failure | None = None
        left = False
        while True:
            try:
                outcome = await answered(ready, sent, latest, end, report)
                left = True
            except (NoPlaceFree, NotReady):
                if outcome is None:
                    raise
                break  # no retry is possible: use the outcome of the earlier try
            except Failure as failure:
                # If an earlier try was sent, the upstream may have acted: never tell the model that nothing was sent.
                left = failure.sent = failure.sent or left
                outcome = failure
            sent.tries += 1
            if not isinstance(outcome, Failure) and outcome.status < 400:
                if outcome.status >= 300 and "follow" in sent.tool.binding and ready.request.method == "GET":
                    return await self._followed(outcome, ready, sent, latest, end, report)
                return outcome
            from . import retry  # imported late: only failed requests need it

            pause = retry.pause(ready.request, outcome, sent.tries, end - self._clock(), self._chance())
            if pause is None:
                break
            why = outcome.reason if isinstance(outcome, Failure) else f"the API answered {outcome.named}"
            spans.log_to_client("warning", f"Sends the request again in {pause:.1f} s, because {why}.")
            await self._rest(pause)
        if isinstance(outcome, Failure):
            raise outcome
        return outcome

    async def _admitted(
        self,
        grant: TokenRequest | CallerCredential,
        ready: PreparedCall,
        sent: Sent,
        latest: float,
        end: float,
        report: Report,
    ) -> Response:
        """Send a request with an access token, and return the response. `grant`: data for getting the token.

        If the API refuses the token (401), send the request once more with a new token, if a repetition is safe.
        """
        tokens = self._source(ready)
        token = await tokens.get(grant, latest - self._clock())
        grant.put(ready.request, token)
        answer = await self._exchanged(ready, sent, latest, end, report)
        if answer.status != UNAUTHORIZED:
            return answer
        tokens.refused(grant, token)
        from . import retry  # imported late: only refused tokens need it

        if ready.request.method not in retry.IDEMPOTENT and not ready.request.key:
            return answer
        try:
            grant.put(ready.request, await tokens.get(grant, latest - self._clock()))
            return await self._exchanged(ready, sent, latest, end, report)
        except (NoPlaceFree, NotReady):
            return answer  # without a new token, return the 401 response

    async def _followed(
        self, answer: Response, ready: PreparedCall, sent: Sent, latest: float, end: float, report: Report
    ) -> Response:
        """Follow a redirect and return the response; return the redirect itself if it must not be followed."""
        from . import redirects  # imported late: few tools follow redirects

        async def ask(request: Request, address: Address) -> Response:
            return await self._asked(request, address, sent, latest, end, report)

        return await redirects.follow(answer, ready, sent, self._rules, ask)

    def _exchanged(
        self, ready: PreparedCall, sent: Sent, latest: float, end: float, report: Report
    ) -> Coroutine[Any, Any, Response]:
        return self._asked(ready.request, ready.address, sent, latest, end, report)

    async def _asked(
        self, request: Request, address: Address, sent: Sent, latest: float, end: float, report: Report
    ) -> Response:
        tool, peer = sent.tool.name, spans.peer()
        caller = "" if peer is None else peer.caller
        await self._pace.enter(tool, latest, caller)
        try:
            if not spans.act():
                raise Failure("the server was stopped", sent=False)
            return await self._client.send(request, address, end - self._clock(), report)
        finally:
            self._pace.leave(tool, caller)

    def _source(self, ready: PreparedCall) -> Source:
        """Return the source of this request's access token.

        Raise NotReady if the request needs a caller's credential, but the server has no source of such credentials.
        """
        if ready.chosen.own is None:
            return self._fetched()
        if self._callers is None:
            raise NotReady(f"{ready.chosen.own.delegation.variable} is set, and nobody knows here who calls.")
        return self._callers

    async def try_grant(self, grant: TokenRequest, seconds: float) -> None:
        """Fetch an access token to check that this works. Raise NotReady if it does not."""
        await self._fetched().get(grant, seconds)

    def _fetched(self) -> Tokens:
        """Return the cache of the access tokens with which this server calls the API. Create the cache at first use."""
        from ..oauth.tokens import Tokens  # imported late: most APIs use no access tokens

        if self._tokens is None:
            client, seconds = self._client, self._seconds
            self._tokens = Tokens(
                lambda request, address: client.send(request, address, seconds), self._clock, self._learn
            )
        return self._tokens
