# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Fetch access tokens by OAuth 2 client credentials (RFC 6749 section 4.4) or a login, and cache them.

Each set of scopes has its own token, so that no call carries more rights than its operation needs. Calls that wait for
the same token share one request; cancelling one call does not cancel the request. Requests to the token endpoint obey
the limits of all requests (client.py). Error messages repeat only standard error codes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from ..core import log
from ..http.client import Failure
from ..request.request import Request
from ..settings.credential_env import SHORTEST_REDACTED
from ..settings.credentials import client_login
from ..settings.origins import Discovery
from ..settings.settings import NotReady
from . import token_response
from .backoff import Backoff

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from ..http.exchange import Response
    from ..settings.credentials import TokenRequest
    from ..settings.origins import Endpoint
    from ..text.addresses import Address
    from .discovery import Send
    from .login_request import Login

EARLY = 60.0
"""Seconds before the end of a token at which it is renewed; a quarter of its lifetime if that is shorter."""

_REFUSED = (400, 401)
_FOREVER = float("inf")


class _Unfetched(Exception):
    """No token could be fetched. The message is a sentence for the operator."""


class _Refused(_Unfetched):
    """The token endpoint refused the credential: client credentials, or those of a login."""


class _CachedToken:
    """Cache entry: a token, when to renew it, when it expires, and the asyncio task that fetches the next token."""

    __slots__ = ("end", "fetching", "in_body", "problem", "renewal", "token")

    def __init__(self) -> None:
        self.token = ""
        self.renewal = self.end = 0.0
        self.fetching: asyncio.Task[tuple[str, str]] | None = None
        self.in_body = False
        self.problem: NotReady | None = None


# Each set of scopes has its own token, so that no call has more rights than its operation needs.
class Tokens:
    """Cache of the access tokens of one server.

    `clock` returns seconds and never goes back. `learn` is called with each token and its purpose before the token is
    returned, so that the token can be redacted.
    """

    def __init__(self, send: Send, clock: Callable[[], float], learn: Callable[[str, str], None]) -> None:
        self._send = send
        self._clock = clock
        self._learn = learn
        self._held: dict[tuple[str, ...], _CachedToken] = {}
        self._found: dict[Endpoint, Endpoint] = {}
        self._backoff = Backoff(lambda: self._clock())
        self._logging_in: dict[tuple[str, ...], asyncio.Lock] = {}

    async def get(self, grant: TokenRequest, seconds: float) -> str:
        """Return a valid token, from the cache if possible. Raise NotReady if none can be fetched within `seconds`."""
        held = self._of(grant)
        if held.token and self._clock() < held.renewal:
            return self._told(grant, held.token)
        if held.fetching is None:
            held.fetching = asyncio.ensure_future(self._renewed(grant, held))
        fetching = held.fetching
        await asyncio.wait({fetching}, timeout=max(seconds, 0))
        token, problem = fetching.result() if fetching.done() else ("", "")
        if token:
            return self._told(grant, token)
        if held.token and self._clock() < held.end:
            return self._told(grant, held.token)
        if fetching.done() and held.problem is not None:
            raise held.problem.with_traceback(None)
        raise NotReady(problem or f"{_server(grant)} gave no access token in time.")

    def refused(self, grant: TokenRequest, token: str) -> None:
        """Drop a token that the API refused, so that the next call fetches a new one."""
        held = self._of(grant)
        if held.token == token:
            held.token, held.end = "", 0.0

    def _of(self, grant: TokenRequest) -> _CachedToken:
        return self._held.setdefault((*grant.variables, *grant.scopes), _CachedToken())

    def _told(self, grant: TokenRequest, token: str) -> str:
        """Register a token as a secret, so that it is redacted in outputs, and return it."""
        for number, text in enumerate(token.split("\n")):  # a credential, and the CSRF value of a login
            if len(text) >= SHORTEST_REDACTED:
                self._learn(text, " ".join((*grant.variables, *grant.scopes, *(["csrf"] if number else []))))
        return token

    async def _renewed(self, grant: TokenRequest, held: _CachedToken) -> tuple[str, str]:
        """Fetch a token and cache it. Return the token and "". On failure, return "" and the reason."""
        try:
            async with self._turn(grant):
                if reason := self._backoff.reason(_credential(grant)):
                    return "", reason
                token = await self._renew(grant, held)
                self._backoff.accepted(_credential(grant))
                return token, ""
        except NotReady as reason:  # `grant.user` has no token: the user must log in, or the renewal failed
            held.problem = reason
            log.event("warning", "no_token", client=grant.variables[0], reason=str(reason))
            return "", str(reason)
        except _Unfetched as reason:
            told: dict[str, object] = {"client": grant.variables[0], "reason": str(reason)}
            if isinstance(reason, _Refused):
                told["refused"] = self._backoff.refused(_credential(grant), str(reason))
            log.event("warning", "no_token", **told)
            return "", str(reason)
        finally:
            held.fetching = None

    def _turn(self, grant: TokenRequest) -> AbstractAsyncContextManager[object]:
        """Return a lock that allows one login at a time per credential. Waiting calls use the outcome of that login."""
        if grant.login is None:
            return nullcontext()
        return self._logging_in.setdefault(tuple(grant.variables), asyncio.Lock())

    async def _renew(self, grant: TokenRequest, held: _CachedToken) -> str:
        if grant.user is not None:
            return self._kept(grant, held, await grant.user.token(self._sent), self._clock())
        if isinstance(grant.endpoint, Discovery):
            grant.endpoint = await self._discovered(grant.endpoint)
        asked = self._clock()
        answer = await self._asked(grant, held.in_body)
        if (
            grant.login is None
            and answer.status in _REFUSED
            and _error(answer) in ("", "invalid_client")
            and not held.in_body
        ):
            # Servers must accept HTTP Basic, but some accept credentials only in the body. So after a refusal of HTTP
            # Basic, send a second request with the credentials in the body.
            answer, first = await self._asked(grant, True), answer
            held.in_body = answer.status not in _REFUSED
            answer = answer if held.in_body else first
        return self._kept(grant, held, _token(answer, grant), asked)

    def _kept(self, grant: TokenRequest, held: _CachedToken, content: dict[str, Any], asked: float) -> str:
        """Cache and return the token of `content`, a token response. `asked` is the time of the request."""
        token = self._told(grant, content["access_token"])
        life = _life(content)
        held.token, held.end = token, asked + life
        held.renewal = held.end - min(EARLY, life / 4)
        held.problem = None
        log.event("info", "token", client=grant.variables[0], seconds=None if life == _FOREVER else life)
        return token

    async def _discovered(self, place: Discovery) -> Endpoint:
        """Return the token endpoint that is given in the provider's metadata. It is cached.

        Raise _Unfetched if the metadata cannot be fetched or give no token endpoint.
        """
        from . import discovery  # imported late: few token endpoints must be discovered

        if place not in self._found:
            try:
                self._found[place] = await discovery.discover(place, self._sent)
            except discovery.Undiscovered as reason:
                raise _Unfetched(str(reason)) from None
        return self._found[place]

    async def _asked(self, grant: TokenRequest, in_body: bool) -> Response:
        request = Request("POST", grant.endpoint.target, template=grant.endpoint.target.partition("?")[0])
        if grant.login is not None:
            return await self._logged_in(grant, grant.login, request)
        asked = {"grant_type": "client_credentials"}
        if grant.scopes:
            asked["scope"] = " ".join(grant.scopes)
        request.headers = [("Accept", "application/json"), ("Content-Type", "application/x-www-form-urlencoded")]
        if in_body:
            asked |= {"client_id": grant.client_id, "client_secret": grant.client_secret}
        else:
            login = client_login(grant.client_id, grant.client_secret)
            request.headers.append(("Authorization", f"Basic {login}"))
        request.body = urlencode(asked).encode()
        try:
            return await self._sent(request, grant.endpoint.address)
        except Failure as failure:
            raise _Unfetched(f"No access token could be fetched: {failure.reason}.") from None

    async def _logged_in(self, grant: TokenRequest, login: Login, request: Request) -> Response:
        """Send a login request and return the response.

        It is sent only once, since repeated failures may lock an account.
        """
        login.write(request, grant.scopes)
        try:
            return await self._send(request, grant.endpoint.address)
        except Failure as failure:
            raise _Unfetched(f"No access token could be fetched: {failure.reason}.") from None

    async def _sent(self, request: Request, address: Address) -> Response:
        """Send a request for a token or for a provider's metadata, and return the response.

        If the connection was closed before the response, send the request once more. With client credentials, the
        worst result is a token that nobody uses.
        """
        try:
            return await self._send(request, address)
        except Failure as failure:
            if not failure.closed:
                raise
            return await self._send(request, address)


def _credential(grant: TokenRequest) -> tuple[str, ...]:
    """Return the key under which refused token requests are counted for the backoff.

    For a login, the key consists of the names of its environment variables. For client credentials, it also contains
    the scopes. A credential that was replaced in its file has another key, since nobody has refused it yet.
    """
    values = tuple(grant.login.fields.values()) if grant.login else (grant.client_id, grant.client_secret)
    return (*grant.variables, *([] if grant.login else grant.scopes), str(hash(values)))


def _server(grant: TokenRequest) -> str:
    return grant.endpoint.address.authority


def _token(answer: Response, grant: TokenRequest) -> dict[str, Any]:
    """Return the content of a token response. Raise _Unfetched if it holds no token that can be sent."""
    if answer.status not in (grant.login.statuses if grant.login else (200,)):
        is_refused = 400 <= answer.status < 500 and _error(answer) != "invalid_scope"
        raise (_Refused if is_refused else _Unfetched)(_refusal(answer, grant))
    try:
        if grant.login is not None:
            return grant.login.content(answer)
        content = token_response.content(answer)
        token_response.access_token(content)
    except ValueError as reason:
        raise _Unfetched(f"{_server(grant)} {reason}") from None
    return content


def _refusal(answer: Response, grant: TokenRequest) -> str:
    identity, secret = grant.variables[0], " and ".join(grant.variables[1:]) or grant.variables[0]
    if 300 <= answer.status < 400:
        return f"{_server(grant)} redirects requests for access tokens, which is not followed."
    error = _error(answer)
    said = f"HTTP {answer.status}" + (f", {error}" if error else "")
    if error == "invalid_scope":
        return f"{_server(grant)} gave no access token with the scopes {' '.join(grant.scopes) or '(none)'}: {said}."
    if answer.status in _REFUSED:
        return f"{_server(grant)} gave no access token for {identity} with {secret}: {said}."
    return f"{_server(grant)} gave no access token: {said}."


def _error(answer: Response) -> str:
    return token_response.error_code(token_response.content(answer))


def _life(content: dict[str, Any]) -> float:
    """Return the token's lifetime in seconds.

    It is infinite without `expires_in`: then only a refusal ends the token.
    """
    seconds = token_response.seconds(content.get("expires_in"))
    return _FOREVER if seconds is None else seconds
