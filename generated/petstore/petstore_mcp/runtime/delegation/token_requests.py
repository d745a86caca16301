# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Send requests to a token endpoint on behalf of a caller, and read the responses.

- token exchange: RFC 8693 section 2
- JWT bearer grant, on behalf of: RFC 7523 section 2.1, with `requested_token_use` of Microsoft Entra
- authorization code and refresh: RFC 6749 sections 4.1.3 and 6, with PKCE (RFC 7636 section 4.5)

Error messages repeat only standard error codes of a response, since its error descriptions may contain anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from ..http.client import Failure
from ..oauth import token_response
from ..request.request import Request
from ..settings.credentials import client_login
from ..text import fields
from .delegation_settings import EXCHANGE

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ..http.exchange import Response
    from ..settings.origins import Endpoint
    from ..text.addresses import Address
    from .delegation_settings import Delegation

    Send = Callable[[Request, Address], Awaitable[Response]]

_URN = "urn:ietf:params:oauth:"
_TOKEN_EXCHANGE = f"{_URN}grant-type:token-exchange"
_JWT_BEARER = f"{_URN}grant-type:jwt-bearer"

_GRANT = "invalid_grant"


class Unfetched(Exception):
    """The authorization server gave no token. The message is a sentence without secrets."""


class RefusedToken(Unfetched):
    """The token endpoint refused the request, and would refuse it again. `error` is the error code, or ""."""

    def __init__(self, sentence: str, error: str) -> None:
        super().__init__(sentence)
        self.error = error


class Token:
    """Response of a token endpoint.

    `seconds` is the token's lifetime, or None if the response does not state it. `refresh`, `id_token` and `scope` may
    be "".
    """

    __slots__ = ("access", "id_token", "refresh", "scope", "seconds")

    def __init__(self, access: str, seconds: float | None, refresh: str, id_token: str, scope: str) -> None:
        self.access = access
        self.seconds = seconds
        self.refresh = refresh
        self.id_token = id_token
        self.scope = scope


def delegated_form(delegation: Delegation, token: str, scopes: tuple[str, ...]) -> dict[str, str]:
    """Return the form of a request for a token with the caller's rights. `token` is the caller's own access token."""
    if delegation.way == EXCHANGE:
        form = {
            "grant_type": _TOKEN_EXCHANGE,
            "subject_token": token,
            "subject_token_type": f"{_URN}token-type:{delegation.subject_type}",
            "requested_token_type": f"{_URN}token-type:access_token",
        }
        if delegation.actor:
            form |= {"actor_token": delegation.actor, "actor_token_type": f"{_URN}token-type:access_token"}
    else:
        form = {"grant_type": _JWT_BEARER, "assertion": token, "requested_token_use": "on_behalf_of"}
    named = {"audience": delegation.audience, "resource": delegation.resource, "scope": " ".join(scopes)}
    return form | {name: value for name, value in named.items() if value}


def code_form(delegation: Delegation, code: str, verifier: str) -> dict[str, str]:
    """Return the form fields of a token request that redeems an authorization code."""
    found = {"grant_type": "authorization_code", "code": code, "redirect_uri": delegation.redirect}
    return {**found, "code_verifier": verifier, **({"resource": delegation.resource} if delegation.resource else {})}


def refresh_form(refresh: str) -> dict[str, str]:
    """Return the form fields of a token request that redeems a refresh token."""
    return {"grant_type": "refresh_token", "refresh_token": refresh}


class TokenEndpoint:
    """Client of the token endpoint of one security scheme, with the scheme's client credentials."""

    def __init__(self, delegation: Delegation, send: Send) -> None:
        self._delegation = delegation
        self._send = send
        self._in_body = False

    async def ask(self, endpoint: Endpoint, form: dict[str, str]) -> Token:
        """Send a form and return the token in the response. Raise RefusedToken if the endpoint refuses the request, and
        Unfetched after any other failure.

        A form is not sent again after a failure, because an authorization code and a rotating refresh token are valid
        for one use. The only exception: if the endpoint refuses the client credentials as HTTP Basic, the form is sent
        once more with the credentials in its body.
        """
        answer = await self._asked(endpoint, form, self._in_body)
        has_secret = bool(self._delegation.client[1])
        if has_secret and not self._in_body and answer.status == 401 and _error(answer) in ("", "invalid_client"):
            answer = await self._asked(endpoint, form, True)
            self._in_body = answer.status != 401
        return self._token(answer, endpoint)

    async def _asked(self, endpoint: Endpoint, form: dict[str, str], in_body: bool) -> Response:
        identity, secret = self._delegation.client
        request = Request("POST", endpoint.target, template=endpoint.target.partition("?")[0])
        request.headers = [("Accept", "application/json"), ("Content-Type", "application/x-www-form-urlencoded")]
        if in_body or not secret:
            form = form | {"client_id": identity} | ({"client_secret": secret} if secret else {})
        else:
            request.headers.append(("Authorization", f"Basic {client_login(identity, secret)}"))
        request.body = urlencode(form).encode()
        try:
            return await self._send(request, endpoint.address)
        except Failure as failure:
            raise Unfetched(f"No access token could be fetched for the caller: {failure.reason}.") from None

    def _token(self, answer: Response, endpoint: Endpoint) -> Token:
        server, content = endpoint.address.authority, token_response.content(answer)
        if answer.status != 200:
            raise self._refusal(answer, server, content)
        if "access_token" not in content and isinstance(content.get("error"), str):
            # GitHub and Slack refuse with status 200 and error codes of their own. Raise the standard's `invalid_grant`
            # in place of such a code.
            raise RefusedToken(f"{server} gave no access token for the caller, and no reason of the standard.", _GRANT)
        try:
            token = token_response.access_token(content)
        except ValueError as reason:
            raise Unfetched(f"{server} {reason}") from None
        refresh, id_token, scope = (_text(content, name) for name in ("refresh_token", "id_token", "scope"))
        return Token(token, token_response.seconds(content.get("expires_in")), refresh, id_token, scope)

    def _refusal(self, answer: Response, server: str, content: dict[str, Any]) -> Unfetched:
        if 300 <= answer.status < 400:
            return Unfetched(f"{server} redirects requests for access tokens, which is not followed.")
        error = token_response.error_code(content)
        said = f"HTTP {answer.status}" + (f", {error}" if error else "")
        if error in ("invalid_client", "unauthorized_client"):
            names = " and ".join(self._delegation.names)
            return RefusedToken(f"{server} does not let this server act for its callers with {names}: {said}.", error)
        sentence = f"{server} gave no access token for the caller: {said}."
        return RefusedToken(sentence, error) if answer.status in (400, 401, 403) else Unfetched(sentence)


def _error(answer: Response) -> str:
    return token_response.error_code(token_response.content(answer))


def _text(content: dict[str, Any], name: str) -> str:
    value = content.get(name)
    return value if isinstance(value, str) and len(value) <= token_response.LONGEST and fields.is_value(value) else ""
