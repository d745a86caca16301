# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Send a prepared request: in its turn, with an access token if needed, and sent again where that is safe.

A refused access token is replaced once. One deadline covers the waiting, the token, the request, its retries and
redirects. A request that changes data is sent at most once, unless the upstream recognizes repetitions by an
idempotency key.

A slot ("room" in names) is the right to have one request pending; the operator may also limit the request rate. A free
slot goes to the waiting caller with the fewest pending requests. Of that caller's tools, the tool with the fewest
pending requests is next; of a tool's calls, the oldest. No tool may hold more than seven eighths of all slots, so a
hanging upstream leaves slots for others. If there are several callers, no caller may hold more than three quarters. A
request whose response could not come in time is refused with advice for the model. Invariants: each slot taken is given
back exactly once, whatever is cancelled. No request waits while its tool may take a free slot.

A request that was never sent may be retried. A request that was sent is retried only if repeating does no harm. That
holds for safe methods (RFC 9110 section 9.2.1, and QUERY), and for requests with an Idempotency-Key. PUT and DELETE are
idempotent too. But a second DELETE may find nothing, and a second PUT may undo what others wrote meanwhile. They are
retried only if a connection kept from an earlier request turned out to be closed (RFC 9112 section 9.5).

Redirects (RFC 9110 section 15.4) of GET requests are followed for tools whose owner allows it. Each step is a normal
request: paced, within the call's time, counted and logged. At the API's own origin, a step carries the fields and
credentials of the first request. At another origin, which the operator must have allowed, a step carries no fields or
credentials. Later steps carry none either, because the other origin decides where they lead.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Any
from urllib.parse import urldefrag, urljoin

from ..core import spans
from ..request.argument_errors import Refused
from ..request.request import SAFE, Request, check_target
from ..settings.settings import NotReady
from ..text.addresses import Address, parse_endpoint
from .client import Failure
from .exchange import Response

if TYPE_CHECKING:
    from typing import Protocol

    from ..delegation.delegation_settings import CallerCredential
    from ..oauth.tokens import Tokens
    from ..settings.credentials import TokenRequest
    from ..settings.origins import Rules
    from ..settings.setting_parsers import Rate
    from ..settings.settings import Settings
    from .client import Client
    from .exchange import PreparedCall, Sent

    Clock = Callable[[], float]
    Turn = Callable[[int, float, float], Awaitable["tuple[bool, float] | None"]]
    Rest = Callable[[float], Awaitable[None]]

    Ask = Callable[[Request, Address], Awaitable[Response]]

    Report = Callable[[str], None]

    class Source(Protocol):
        """Source of access tokens: for the server's own credentials (tokens.Tokens), or on behalf of its callers
        (package `delegation`).
        """

        async def get(self, grant: Any, seconds: float, /) -> str:
            """Return a valid token. Raise NotReady if there is none within `seconds`."""

        def refused(self, grant: Any, token: str, /) -> None:
            """Drop a token that the API refused."""


class NoPlaceFree(Failure):
    """The request got no slot within its time. `advice` is a sentence for the model that called the tool."""

    def __init__(self, reason: str, advice: str) -> None:
        super().__init__(reason, sent=False)
        self.advice = advice


def _too_soon(rate: Rate, wait: float) -> NoPlaceFree:
    seconds = max(1, ceil(wait))
    advice = f"Nothing was sent. Call again in {seconds} second{'' if seconds == 1 else 's'}."
    return NoPlaceFree(f"this server sends no more than {rate}", advice)


# 64 hanging calls of one tool, or of one caller, must not keep all others waiting (docs/decisions/requests.md).
class RequestLimiter:
    """Concurrency and rate limiter of one server. Use it inside one event loop; `clock` returns seconds."""

    def __init__(
        self, most: int, rate: Rate | None, clock: Clock, rest: Rest = asyncio.sleep, turn: Turn | None = None
    ) -> None:
        """Allow at most `most` pending requests, and no more requests per time than `rate`.

        `turn` asks the store that replicas share when the next request may be sent (`replicas.sharing.Sharing.turn`).
        """
        self._turn_of_all = turn
        self._share = most - most // 8
        self._part = most - most // 4
        self._free = most
        self._under_way: dict[str, int] = {}
        self._callers: dict[str, int] = {}  # pending requests by caller; "" (the only caller) has no limit, so no entry
        self._waiting: dict[tuple[str, str], deque[asyncio.Future[None]]] = {}
        self._rate = rate
        self._clock = clock
        self._rest = rest
        self._door = asyncio.Lock()  # asyncio.Lock is fair: first come, first served
        self._ahead = 0

    async def enter(self, tool: str, latest: float, caller: str = "") -> None:
        """Wait until a request of this tool may be sent. Raise NoPlaceFree if that would be later than `latest`.

        `latest` is a time of the limiter's `clock`. `caller` is the name of the client, "" if there is only one. After
        success, `leave` must be called.
        """
        who = caller, tool
        if self._rate is None and self._clock() <= latest and self._may_enter(who):
            return self._give(who)  # fast path: a slot is free
        if self._rate is not None:
            self._due(self._rate, latest, self._ahead)  # refuse at once a request that cannot be sent in time
        self._ahead += 1
        try:
            await self._room(who, latest)
            try:
                if self._rate is not None:
                    await self._turn(self._rate, latest)
                self._in_time(latest)
            except BaseException:
                self.leave(tool, caller)
                raise
        finally:
            self._ahead -= 1

    def leave(self, tool: str, caller: str = "") -> None:
        """Free the slot after the request, and admit waiting requests."""
        self._free += 1
        _less(self._under_way, tool)
        if caller:
            _less(self._callers, caller)
        if self._waiting:
            self._admit()

    def _in_time(self, latest: float) -> None:
        if self._clock() > latest:
            raise NoPlaceFree(
                "too little of its time was left for an answer", "Nothing was sent. Calling again is safe."
            )

    def _due(self, rate: Rate, latest: float, ahead: int = 0) -> float:
        """Return the seconds until the rate allows a request that has `ahead` requests before it.

        Raise NoPlaceFree if that moment is later than `latest`.
        """
        now = self._clock()
        due = rate.due(now, ahead)
        if due > latest:
            raise _too_soon(rate, due - now)
        return due - now

    async def _turn(self, rate: Rate, latest: float) -> None:
        if await self._shared(rate, latest):
            return
        async with self._door:
            due = self._clock() + (wait := self._due(rate, latest))
            if wait > 0:
                await self._pause(rate, wait)
            self._in_time(latest)  # the pause may have ended late: check the time again before counting the request
            rate.note(max(due, self._clock()))

    async def _shared(self, rate: Rate, latest: float) -> bool:
        """Wait until the rate limit that all replicas share allows a request. Return False if there is no such limit,
        or if the store of the replicas does not answer.

        Raise NoPlaceFree if the limit allows no request before `latest`.
        """
        if self._turn_of_all is None:
            return False
        turn = await self._turn_of_all(rate.count, rate.seconds, latest - self._clock())
        if turn is None:
            return False
        taken, wait = turn
        if not taken:
            raise _too_soon(rate, wait)
        if wait > 0:
            await self._pause(rate, wait)
        self._in_time(latest)
        rate.note(self._clock())
        return True

    async def _pause(self, rate: Rate, seconds: float) -> None:
        spans.log_to_client("info", f"Waits {seconds:.1f} s, because this server sends no more than {rate}.")
        await self._rest(seconds)

    async def _room(self, who: tuple[str, str], latest: float) -> None:
        if self._may_enter(who):
            self._give(who)
            return
        given: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(who, deque()).append(given)
        try:
            async with asyncio.timeout(max(latest - self._clock(), 0)):
                await given
        except BaseException as problem:
            self._give_up(who, given)
            if isinstance(problem, TimeoutError):
                reason = "too many others were under way for all of its time"
                raise NoPlaceFree(reason, "Nothing was sent. Make fewer calls at a time.") from None
            raise

    def _may_enter(self, who: tuple[str, str]) -> bool:
        caller, tool = who
        if caller and self._callers.get(caller, 0) >= self._part:
            return False
        return self._free > 0 and self._under_way.get(tool, 0) < self._share

    def _give(self, who: tuple[str, str]) -> None:
        caller, tool = who
        self._free -= 1
        self._under_way[tool] = self._under_way.get(tool, 0) + 1
        if caller:
            self._callers[caller] = self._callers.get(caller, 0) + 1

    def _give_up(self, who: tuple[str, str], given: asyncio.Future[None]) -> None:
        """Remove a waiting request. If it was given a slot at this very moment, pass the slot on."""
        if given.done() and not given.cancelled():
            self.leave(who[1], who[0])
        elif given in (queue := self._waiting.get(who, deque())):
            queue.remove(given)
            if not queue:
                del self._waiting[who]

    def _admit(self) -> None:
        """Give the free slots to waiting requests. Pairs of caller and tool come in this order: the caller that holds
        the fewest slots, then the tool that holds the fewest slots, then the pair that was served, or began to wait,
        longest ago.
        """
        while entering := [who for who in self._waiting if self._may_enter(who)]:
            who = min(entering, key=lambda who: (self._callers.get(who[0], 0), self._under_way.get(who[1], 0)))
            queue = self._waiting.pop(who)
            given = queue.popleft()
            if queue:
                # Move the pair to the end of `_waiting`: `min` takes the first of equal pairs, so these take turns.
                self._waiting[who] = queue
            if not given.done():  # a done future was cancelled: its request no longer needs a slot
                self._give(who)
                given.set_result(None)


def _less(counts: dict[str, int], name: str) -> None:
    """Decrease the number of pending requests of `name`, a tool or a caller, by one. Remove the entry at zero."""
    if counts[name] == 1:
        del counts[name]
    else:
        counts[name] -= 1


MOST_TRIES = 3
"""Maximum number of tries of one request."""

LONGEST_FIRST = 0.5
"""Maximum of the first pause in seconds. The maximum doubles with each further pause."""

PASSING = frozenset({408, 429, 502, 503, 504})
"""HTTP statuses that report a temporary problem."""

IDEMPOTENT = SAFE | {"PUT", "DELETE"}
"""Idempotent methods (RFC 9110 section 9.2.2, and QUERY)."""


# A request that changes data must be sent at most once, and aiohttp by itself would repeat a DELETE
# (docs/decisions/requests.md).
def pause(request: Request, outcome: Response | Failure, tries: int, left: float, chance: float) -> float | None:
    """Return the seconds to wait before the next try, or None if the outcome is final.

    The request was tried `tries` times and has `left` seconds; `chance` is random, from 0 up to 1. A pause takes at
    most half of the time left, so that the response has time. If the upstream asks for a longer pause, the outcome is
    final.
    """
    if tries >= MOST_TRIES:
        return None
    harmless = request.method in SAFE or bool(request.key)
    asked = 0.0
    if isinstance(outcome, Response):
        if outcome.status not in PASSING or not harmless:
            return None
        asked = max(outcome.retry_after or 0.0, 0.0)
    elif outcome.end == "stale" and tries == 1 and (harmless or request.method in IDEMPOTENT):
        return 0.0
    elif outcome.end != "refused" and not (outcome.closed and harmless):
        return None
    longest = LONGEST_FIRST * 2 ** (tries - 1)
    seconds = asked + longest * chance if asked else longest * (1 + chance) / 2
    return seconds if seconds <= left / 2 else None


STATUSES = frozenset((301, 302, 303, 307, 308))
MOST_STEPS = 3
"""Most redirects followed in one call."""

LONGEST = 8192
"""Longest Location in characters."""


class Trail:
    """Redirects followed in one call.

    `address`: scheme, host and port of the latest request. `target`: its path and query. `left` becomes True once a
    request goes to another origin than the first, and stays True.
    """

    __slots__ = ("_home", "_rules", "_seen", "address", "left", "target")

    def __init__(self, address: Address, target: str, rules: Rules | None) -> None:
        """Begin with the call's request: `target` (path and query) at the server `address`.

        `rules`: the other origins to which a redirect may lead, or None to allow none.
        """
        self._home = address.origin
        self._rules = rules
        self.address, self.target = _bare(address), address.path + target
        self.left = False
        self._seen = {(address.origin, self.target)}

    def go(self, location: str) -> str:
        """Follow a Location and return "".

        If the redirect must not be followed, change nothing and return the reason as a clause.
        """
        try:
            address, target = self._read(location)
        except ValueError:
            return "its Location cannot be read"
        if self.address.scheme == "https" and address.scheme == "http":
            return "it leads from https to http"
        if address.origin != self._home and (reason := self._foreign(address)):
            return reason
        if (address.origin, target) in self._seen:
            return "it leads in a circle"
        if len(self._seen) > MOST_STEPS:
            return f"it is one more than {MOST_STEPS} in a row"
        self._seen.add((address.origin, target))
        self.left = self.left or address.origin != self._home
        self.address, self.target = address, target
        return ""

    def _read(self, location: str) -> tuple[Address, str]:
        location = location.strip(" \t")
        if not location or len(location) > LONGEST or not (location.isascii() and location.isprintable()):
            raise ValueError
        return parse_endpoint(urldefrag(urljoin(self.address.origin + self.target, location)).url)

    def _foreign(self, address: Address) -> str:
        return "it leads to another origin" if self._rules is None else self._rules.foreign(address)


# Only for GET: a client that follows 307 and 308 may repeat a request that changes data. After a request to another
# origin, no later redirect carries credentials, because the other host chose the path.
async def follow(answer: Response, ready: PreparedCall, sent: Sent, rules: Rules | None, ask: Ask) -> Response:
    """Follow redirects and return the final response, or the first redirect that must not be followed.

    For such a redirect, set `sent.unfollowed` to the reason. Raise Failure if a step got no response.
    """
    trail = Trail(ready.address, ready.request.target, rules)
    while answer.status in STATUSES:
        if reason := trail.go(answer.header("location")):
            sent.unfollowed = reason
            return answer
        try:
            step = _step(trail, ready)
            check_target(step)
            found = await ask(step, trail.address)
        except (NoPlaceFree, Refused):
            sent.unfollowed = "there was no time for it" if len(trail.target) <= LONGEST else "it is too long"
            return answer
        except BaseException:
            answer.close()
            raise
        answer.close()
        answer = found
    return answer


def _step(trail: Trail, ready: PreparedCall) -> Request:
    """Return the request for one redirect. The log names only its host, since its path may contain a signature."""
    path, _, query = trail.target.partition("?")
    step = Request("GET", path, template="")
    step.rewritten = "a redirect"
    step.query = query.split("&") if query else []
    if trail.left:
        step.headers = [("Accept", "*/*")]
        return step
    step.traced, step.body = ready.request.traced, ready.request.body
    step.headers, step.cookies = [*ready.request.headers], [*ready.request.cookies]
    # The query is that of Location: add the credentials that go into a query. The others were copied above.
    ready.chosen.put(step)
    return step


def _bare(address: Address) -> Address:
    return Address(address.scheme, address.host, address.port, "")


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
                    ask = partial(self._asked, sent, latest, end, report)
                    return await follow(outcome, ready, sent, self._rules, ask)
                return outcome

            wait = pause(ready.request, outcome, sent.tries, end - self._clock(), self._chance())
            if wait is None:
                break
            why = outcome.reason if isinstance(outcome, Failure) else f"the API answered {outcome.named}"
            spans.log_to_client("warning", f"Sends the request again in {wait:.1f} s, because {why}.")
            await self._rest(wait)
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

        if ready.request.method not in IDEMPOTENT and not ready.request.key:
            return answer
        try:
            grant.put(ready.request, await tokens.get(grant, latest - self._clock()))
            return await self._exchanged(ready, sent, latest, end, report)
        except (NoPlaceFree, NotReady):
            return answer  # without a new token, return the 401 response

    def _exchanged(
        self, ready: PreparedCall, sent: Sent, latest: float, end: float, report: Report
    ) -> Awaitable[Response]:
        return self._asked(sent, latest, end, report, ready.request, ready.address)

    def _asked(
        self, sent: Sent, latest: float, end: float, report: Report, request: Request, address: Address
    ) -> Awaitable[Response]:
        ask = partial(self._paced, sent, latest, end, report)
        return ask(request, address) if request.signer is None else request.signer.send(ask, request, address)

    async def _paced(
        self, sent: Sent, latest: float, end: float, report: Report, request: Request, address: Address
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
