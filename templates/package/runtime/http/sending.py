# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""A prepared request and its answer: in its turn (pacing.py), with an access token where it needs one, once more where
that was refused, and again where it may pass (retry.py).

One deadline covers the waiting, the token, the request, and its repetitions. What changes something is sent at most
once, unless the upstream can tell a repetition by its key.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from ..core import spans
from ..settings.settings import NotReady
from .client import Failure
from .pacing import Crowded, Pace

if TYPE_CHECKING:
    from ..request.request import Request
    from ..settings.credentials import Grant
    from ..settings.settings import Settings
    from ..text.addresses import Address
    from .client import Client
    from .exchange import Ready, Response, Sent
    from .tokens import Tokens

    Report = Callable[[str], None]

UNAUTHORIZED = 401
LONGEST_ANSWER, SHORTEST_ANSWER = 1.0, 0.05
"""Seconds that an answer is given: a tenth of the call's, within these. With less left, nothing is sent: it would be
carried out, and nobody would hear of it."""


# Decision 0072: A request with a fetched token is repeated after a 401 where that is safe.
class Sender:
    """Sends the requests of one server. To be made and used inside a running event loop."""

    def __init__(
        self,
        client: Client,
        settings: Settings,
        learn: Callable[[str, str], None],
        rest: Callable[[float], Awaitable[None]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
        clock: Callable[[], float] = time.monotonic,
        rooms: int | None = None,
    ) -> None:
        """`learn` is told each access token before it is used, and what it is for; `rest` pauses, `chance` is from 0 up
        to 1, and `clock` counts seconds. `rooms` is how many requests may be under way, if fewer than the setting says.
        """
        self._client = client
        self._clock = clock
        self._pace = Pace(rooms or settings.concurrency, settings.rate, self._clock, rest)
        self._seconds = settings.timeout
        self._rules = settings.rules
        self._learn = learn
        self._rest = rest
        self._chance = chance
        self._tokens: Tokens | None = None

    async def send(self, ready: Ready, sent: Sent, seconds: float, report: Report) -> Response:
        """The answer to what may be tried several times, which `sent` counts. Raises Failure, or NotReady where no
        token could be had.
        """
        end = self._clock() + seconds
        latest = end - min(max(seconds / 10, SHORTEST_ANSWER), LONGEST_ANSWER)
        grant = ready.chosen.grant
        answered = self._exchanged if grant is None else partial(self._admitted, grant)
        outcome: Response | Failure | None = None
        left = False
        while True:
            try:
                outcome = await answered(ready, sent, latest, end, report)
                left = True
            except (Crowded, NotReady):
                if outcome is None:
                    raise
                break  # what became of the call is what came before
            except Failure as failure:
                left = failure.sent = failure.sent or left  # may have been carried out, whatever came of the next time
                outcome = failure
            sent.tries += 1
            if not isinstance(outcome, Failure) and outcome.status < 400:
                if outcome.status >= 300 and "follow" in sent.tool.binding and ready.request.method == "GET":
                    return await self._followed(outcome, ready, sent, latest, end, report)
                return outcome
            from . import retry  # most calls succeed

            pause = retry.pause(ready.request, outcome, sent.tries, end - self._clock(), self._chance())
            if pause is None:
                break
            await self._rest(pause)
        if isinstance(outcome, Failure):
            raise outcome
        return outcome

    async def _admitted(
        self, grant: Grant, ready: Ready, sent: Sent, latest: float, end: float, report: Report
    ) -> Response:
        """One answer, to a request that needs the access token of that grant."""
        tokens = self._fetched()
        token = await tokens.get(grant, latest - self._clock())
        grant.put(ready.request, token)
        answer = await self._exchanged(ready, sent, latest, end, report)
        if answer.status != UNAUTHORIZED:
            return answer
        tokens.refused(grant, token)
        from . import retry  # most tokens are taken

        if ready.request.method not in retry.IDEMPOTENT and not ready.request.key:
            return answer
        try:
            grant.put(ready.request, await tokens.get(grant, latest - self._clock()))
            return await self._exchanged(ready, sent, latest, end, report)
        except (Crowded, NotReady):
            return answer  # what became of the call is its 401

    async def _followed(
        self, answer: Response, ready: Ready, sent: Sent, latest: float, end: float, report: Report
    ) -> Response:
        """The answer to which a redirect leads, or the redirect where it is not followed."""
        from . import redirects  # most tools tell where they lead

        async def ask(request: Request, address: Address) -> Response:
            return await self._asked(request, address, sent, latest, end, report)

        return await redirects.follow(answer, ready, sent, self._rules, ask)

    async def _exchanged(self, ready: Ready, sent: Sent, latest: float, end: float, report: Report) -> Response:
        return await self._asked(ready.request, ready.address, sent, latest, end, report)

    async def _asked(
        self, request: Request, address: Address, sent: Sent, latest: float, end: float, report: Report
    ) -> Response:
        tool = sent.tool.name
        await self._pace.enter(tool, latest)
        try:
            if not spans.act():
                raise Failure("the server was stopped", sent=False)
            return await self._client.send(request, address, end - self._clock(), report)
        finally:
            self._pace.leave(tool)

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
