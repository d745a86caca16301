# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Send requests to an authorization server, and read its JSON responses.

The server is not trusted, so sizes and characters of its texts are limited.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from ..http.client import Failure
from ..oauth import token_response
from ..request.request import Request
from ..settings.credentials import client_login
from .errors import LoginFailed

if TYPE_CHECKING:
    from ..http.exchange import Response
    from ..oauth.discovery import Send
    from ..settings.origins import Endpoint

LARGEST_METADATA = 256 * 1024
_FORM = "application/x-www-form-urlencoded"


class Client:
    """OAuth client: id, secret ("" for a public client), and whether the secret is sent in the body."""

    __slots__ = ("id", "in_body", "secret")

    def __init__(self, id: str, secret: str = "", *, in_body: bool = False) -> None:  # noqa: A002
        self.id = id
        self.secret = secret
        self.in_body = in_body


class Answer:
    """Response of an authorization server: status, JSON object ({} if it has none) and error code ("" if unknown)."""

    __slots__ = ("content", "error", "status")

    def __init__(self, response: Response, largest: int = token_response.LARGEST) -> None:
        self.status = response.status
        self.content = token_response.content(response, largest)
        self.error = token_response.error_code(self.content)

    @property
    def said(self) -> str:
        """Return the status and error code of a response, worded as part of a sentence."""
        return f"HTTP {self.status}" + (f", {self.error}" if self.error else "")

    def text(self, name: str, longest: int = token_response.LONGEST) -> str:
        """Return the member `name` of the response if it is a printable ASCII text of at most `longest` characters,
        else "".
        """
        value = self.content.get(name)
        if isinstance(value, str) and 0 < len(value) <= longest and value.isascii() and value.isprintable():
            return value
        return ""

    def seconds(self, name: str) -> float:
        """Return the member `name` of the response if it is a number of seconds, else 0."""
        return token_response.seconds(self.content.get(name)) or 0.0


async def fetch(send: Send, endpoint: Endpoint, bearer: str = "") -> Answer:
    """Send a GET request for a JSON object, and return the response. Raise LoginFailed if no response comes."""
    request = Request("GET", endpoint.target, template=endpoint.target.partition("?")[0])
    request.headers = [("Accept", "application/json")]
    if bearer:
        request.headers.append(("Authorization", f"Bearer {bearer}"))
    return await _sent(send, request, endpoint, LARGEST_METADATA)


async def post_json(send: Send, endpoint: Endpoint, content: dict[str, Any]) -> Answer:
    """Send a JSON object by POST, and return the response. Raise LoginFailed if no response comes."""
    return await _posted(send, endpoint, json.dumps(content).encode(), "application/json", [])


async def post_form(send: Send, endpoint: Endpoint, form: dict[str, str], client: Client) -> Answer:
    """Send a form by POST with the client's credentials (RFC 6749, section 2.3), and return the response.

    Servers must accept the client secret as HTTP Basic, but some accept it only in the body. If HTTP Basic fails, the
    request is sent again with the secret in the body. Raise LoginFailed if no response comes.
    """
    answer = await _once(send, endpoint, form, client)
    if client.secret and not client.in_body and answer.status in (400, 401) and answer.error in ("", "invalid_client"):
        second = await _once(send, endpoint, form, Client(client.id, client.secret, in_body=True))
        if second.status not in (400, 401) or second.error not in ("", "invalid_client"):
            client.in_body = True
            return second
    return answer


async def _once(send: Send, endpoint: Endpoint, form: dict[str, str], client: Client) -> Answer:
    headers = []
    if not client.secret:
        form = {**form, "client_id": client.id}
    elif client.in_body:
        form = {**form, "client_id": client.id, "client_secret": client.secret}
    else:
        headers = [("Authorization", f"Basic {client_login(client.id, client.secret)}")]
    return await _posted(send, endpoint, urlencode(form).encode(), _FORM, headers)


async def _posted(
    send: Send, endpoint: Endpoint, body: bytes, content_type: str, headers: list[tuple[str, str]]
) -> Answer:
    request = Request("POST", endpoint.target, template=endpoint.target.partition("?")[0])
    request.headers = [("Accept", "application/json"), ("Content-Type", content_type), *headers]
    request.body = body
    return await _sent(send, request, endpoint, token_response.LARGEST)


async def _sent(send: Send, request: Request, endpoint: Endpoint, largest: int) -> Answer:
    try:
        response = await send(request, endpoint.address)
    except Failure as failure:
        raise LoginFailed(f"The authorization server cannot be asked: {failure.reason}.") from None
    try:
        if 300 <= response.status < 400:
            raise LoginFailed(f"{endpoint.address.authority} redirects the request, which is not followed.")
        return Answer(response, largest)
    finally:
        response.close()


def access_token(answer: Answer, server: str) -> str:
    """Return the access token of a token response (RFC 6749, section 5.1). Raise LoginFailed if there is none."""
    try:
        return token_response.access_token(answer.content)
    except ValueError as reason:
        raise LoginFailed(f"{server} {reason}") from None
