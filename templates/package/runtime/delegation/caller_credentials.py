# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Get the credential with which the API is called on behalf of the caller. There are three ways:

    exchange, on-behalf-of    send the caller's token to its issuer, which returns a token for the API (`TokenCache`)
    user                      the user logs in at the API's authorization server, in the browser (`user_tokens`)
    header                    a gateway before this server sends the credential with each request

The caller's own token is never sent to the API. A cached token is returned only to a call with the same token of its
caller and the same scopes. No entry of the cache outlives the caller's own token.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import OrderedDict
from typing import TYPE_CHECKING

from ..core import log, spans
from ..core.wire_formats import LOGIN, Failure, OtherOutcome, Question, UrlQuestion, has
from ..oauth.backoff import FIRST, LONGEST
from ..oauth.tokens import EARLY
from ..settings.credential_env import SHORTEST_REDACTED, bare
from ..settings.settings import NotReady
from . import login_links
from .delegation_settings import BY_ISSUER, HEADER, LONGEST_SCOPES, USER, SeveralCredentials
from .login_callback import Callback
from .provider_metadata import Servers
from .token_requests import RefusedToken, Unfetched, delegated_form
from .user_tokens import NoLogin, UserTokens
from .who import digest, who_calls

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import NoReturn

    from ..calls.plain_call import CallUnderWay
    from ..calls.services import Services
    from ..core.catalog import Tool
    from ..core.effects import Dialogue
    from ..http.client import Client
    from ..http_server.sealed.seal import Seal
    from .delegation_settings import CallerCredential, Delegation
    from .kept_logins import Logins
    from .login_callback import Spend
    from .login_pages import Page
    from .token_requests import Token
    from .who import CheckedCaller

    Learn = Callable[[str, str], None]
    Ask = Callable[[UrlQuestion], Awaitable[object]]
    Fetch = Callable[[], Awaitable[Token]]

MOST_TOKENS = 10_000
"""Maximum number of entries. Beyond it, the least recently used entry is removed."""

_UNSAID_SECONDS = 300.0
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

    def __init__(self, clock: Callable[[], float], most: int = MOST_TOKENS) -> None:
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
        life = _UNSAID_SECONDS if token.seconds is None else token.seconds
        held.token, held.end = token.access, min(asked + life, latest)
        held.renewal = held.end - min(EARLY, max(held.end - asked, 0.0) / 4)
        held.refusals = 0
        return ""


ANSWER_SECONDS = 300.0
"""Seconds for which a call waits until its user has logged in; as many as for a confirmation."""

MISSING_CAPABILITY = -32021

_AGAIN = "Call it again to ask the user again."


def ensure(services: Services, tool: Tool) -> Callable[[CallUnderWay], Awaitable[None] | None]:
    """Return the step that asks the caller to log in at the API if that is necessary."""
    callers = services.lasting.callers
    assert callers is not None

    def step(call: CallUnderWay) -> Awaitable[None] | None:
        assert call.ready is not None
        own = call.ready.chosen.own
        return None if own is None else callers.ensure(own, tool.name, call.dialogue, call.ask)

    return step


class Credentials:
    """Source of the credentials with which one server calls the API for its callers."""

    def __init__(self, server: str, seal: Seal, spend: Spend, logins: Logins) -> None:
        """Create a source of credentials. Call `connect` before the first tool call."""
        self._server = server
        self._seal = seal
        self._spend = spend
        self._users = UserTokens(logins, time.time)
        self._cache = TokenCache(time.monotonic)
        self._delegations: dict[str, Delegation] = {}
        self._scopes: Callable[[str], list[str]] = lambda scheme: []
        self._callback: Callback | None = None
        self._servers: Servers
        self._learn: Learn

    def connect(self, client: Client, seconds: float, learn: Learn) -> None:
        """Send token requests with `client` from now on, and wait at most `seconds` for each response.

        `learn` is called with each credential before its use, to redact it.
        """
        self._servers = Servers(lambda request, address: client.send(request, address, seconds), time.monotonic)
        self._learn = learn
        self._callback = Callback(self._server, self._seal, self._spend, self._users, self._servers)
        self._callback.delegations = self._delegations

    def renew(self, delegations: dict[str, Delegation], scopes: Callable[[str], list[str]]) -> None:
        """From now on, obtain credentials in the ways that `delegations` names. Call this whenever tools are loaded.

        `delegations`: name of a security scheme -> how its credential is obtained for the caller of a tool. `scopes`
        maps the name of a security scheme to the scopes that the tools need.
        """
        self._delegations, self._scopes = delegations, scopes
        if self._callback is not None:
            self._callback.delegations = delegations

    @property
    def fields(self) -> list[str]:
        """Return the names of the header fields, in lower case, in which a gateway may send a credential."""
        return [each.header for each in self._delegations.values() if each.way == HEADER]

    # Credentials for calls

    async def get(self, own: CallerCredential, seconds: float) -> str:
        """Return the credential for the caller of the current call. Raise NotReady if there is none after `seconds`."""
        if isinstance(own, SeveralCredentials):
            return "\n".join([await self.get(part, seconds) for part in own.parts])
        delegation = own.delegation
        if delegation.way == HEADER:
            found = self._given(delegation)
        elif delegation.way in BY_ISSUER:
            who = _prover(delegation)
            lasts = max(who.expires - time.time(), 0.0)
            fetch = self._fetch(delegation, who.token, own.scopes)
            found = await self._cache.get(_key(own, who), lasts, fetch, seconds)
        else:
            who = who_calls()
            found = await self._users.get(who, delegation.scheme, self._ask(delegation), seconds)
        if len(found) >= SHORTEST_REDACTED:
            self._learn(bare(found, delegation.word), "caller")
        return found

    def refused(self, own: CallerCredential, token: str) -> None:
        """Drop a credential that the API refused, so that the next call gets another one."""
        delegation = own.delegation
        if delegation.way in BY_ISSUER:
            self._cache.drop(_key(own, _prover(delegation)), token.rpartition("\n")[2])
        elif delegation.way == USER:
            self._users.refused(who_calls(), delegation.scheme, token.rpartition("\n")[2])

    def _given(self, delegation: Delegation) -> str:
        peer = spans.peer()
        value = "" if peer is None else peer.given.get(delegation.header, "")
        if not value:
            raise NotReady(f"The gateway before this server gave no usable {delegation.header} for this call.")
        return value

    def _fetch(self, delegation: Delegation, token: str, scopes: tuple[str, ...]) -> Callable[[], Awaitable[Token]]:
        return lambda: self._servers.ask(delegation, delegated_form(delegation, token, scopes))

    def _ask(self, delegation: Delegation) -> Callable[[dict[str, str]], Awaitable[Token]]:
        return lambda form: self._servers.ask(delegation, form)

    # Logins of users

    async def ensure(self, own: CallerCredential, tool: str, dialogue: Dialogue, ask: Ask | None) -> None:
        """Ask the user to log in if necessary, and return once the API can be called with the user's rights.

        Raise NotReady, with a sentence for the model, if the user does not log in. Raise OtherOutcome if the result of
        the call must contain the login link, or must be a protocol error.
        """
        if own.delegation.way != USER:
            return
        who, scheme = who_calls(), own.delegation.scheme
        try:
            await self._users.get(who, scheme, self._ask(own.delegation), ANSWER_SECONDS)
        except NoLogin:
            await self._log_in(who, own, tool, dialogue, ask)

    async def _log_in(
        self, who: CheckedCaller, own: CallerCredential, tool: str, dialogue: Dialogue, ask: Ask | None
    ) -> None:
        delegation, logins = own.delegation, self._users.logins
        if not dialogue.urls or ask is None:
            self._unable(dialogue)
        if dialogue.urls == "result":
            reply = dialogue.responses.get(LOGIN)
            if reply is None:
                visit = await self._link(who, own, tool)
                raise OtherOutcome(Question(visit.message, "", visit))
            _accepted(reply)
            came = await logins.wait(who.name, delegation.scheme, ANSWER_SECONDS)
        elif logins.is_awaited(who.name, delegation.scheme):  # a call waits for this login: do not ask again
            came = await logins.wait(who.name, delegation.scheme, ANSWER_SECONDS)
        else:
            came = await self._asked(who, delegation.scheme, await self._link(who, own, tool), ask)
        if not came:
            raise NotReady(f"The user must log in first, and did not. {_AGAIN}")

    async def _asked(self, who: CheckedCaller, scheme: str, link: UrlQuestion, ask: Ask) -> bool:
        """Show the user the login link.

        Return whether the user has logged in, which may be before or after the client answers.
        """

        async def answer() -> None:
            _accepted(await ask(link))

        answered = asyncio.ensure_future(answer())
        came = asyncio.ensure_future(self._users.logins.wait(who.name, scheme, ANSWER_SECONDS))
        try:
            await asyncio.wait({answered, came}, return_when=asyncio.FIRST_COMPLETED)
            if answered.done():
                answered.result()
            return await came
        finally:
            answered.cancel()
            came.cancel()
            await asyncio.gather(answered, came, return_exceptions=True)

    async def _link(self, who: CheckedCaller, own: CallerCredential, tool: str) -> UrlQuestion:
        """Return the link at which the user logs in.

        Raise NotReady if the endpoints of the authorization server are unknown.
        """
        delegation, peer = own.delegation, spans.peer()
        endpoints = await self._servers.endpoints(delegation)
        identity = peer.identity if peer is not None else None
        claims = {} if identity is None else identity.claims
        begun = login_links.begin(who, claims, delegation.scheme, endpoints.issuer)
        wanted = delegation.scopes or tuple(self._scopes(delegation.scheme))
        scopes = wanted if len(" ".join(wanted)) <= LONGEST_SCOPES else own.scopes
        url = login_links.url(begun, delegation, endpoints, scopes, self._seal)
        # all links of a scheme begin alike: a secret for each link would let one caller fill the redactor
        self._learn(url.partition("&state=")[0], "link")
        message = f"Log in at {endpoints.token.address.authority}, so that {self._server} can do {tool} as you."
        return UrlQuestion(message, url, digest(begun.number)[:32])

    def _unable(self, dialogue: Dialogue) -> NoReturn:
        """Raise an error because the client cannot show its user a login link. Newer revisions of MCP get OtherOutcome
        with a protocol error, older ones NotReady.
        """
        sentence = (
            "The user must log in first, and this client cannot show the link: it does not declare the capability "
            "elicitation (url). Use a client that does; once the user has logged in, any client will do."
        )
        if dialogue.revision and has(dialogue.revision, "resultType"):
            raise OtherOutcome(
                Failure(sentence, MISSING_CAPABILITY, {"requiredCapabilities": {"elicitation": {"url": {}}}})
            )
        raise NotReady(sentence)

    # Pages for the user's browser

    async def browser(self, method: str, path: str, query: str, body: bytes) -> Page:
        """Return the page for a request that a user's browser sends to the redirect URI."""
        assert self._callback is not None
        return await (self._callback.go_on(path, body) if method == "POST" else self._callback.arrive(path, query))


def _prover(delegation: Delegation) -> CheckedCaller:
    """Return the caller. Raise NotReady if the caller has no token of the issuer that gives tokens for this scheme."""
    who = who_calls()
    assert delegation.provider is not None
    if not who.token or who.issuer != delegation.provider.issuer:
        raise NotReady(f"It needs a caller with an access token of {delegation.provider.issuer}.")
    return who


def _key(own: CallerCredential, who: CheckedCaller) -> str:
    """Return the cache key of a token: a digest of the caller's own token, the scheme, the audience and the scopes."""
    delegation, proof = own.delegation, hashlib.sha256(who.token.encode()).hexdigest()
    return digest(proof, delegation.scheme, delegation.way, delegation.audience, delegation.resource, *own.scopes)


def _accepted(reply: object) -> None:
    """Raise NotReady unless the user agreed to open the link."""
    action = reply.get("action") if isinstance(reply, dict) else None
    if action == "decline":
        raise NotReady("The user does not want to log in. Do not call it again unless the user asks for it.")
    if action == "cancel":
        raise NotReady("The user closed the question without logging in. Ask the user before you call it again.")
    if action != "accept":
        raise NotReady(f"The user must log in first, and could not be asked. {_AGAIN}")
