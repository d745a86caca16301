# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Register a client with an authorization server (RFC 7591), if the operator has configured none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import answers
from .answers import Client
from .errors import LoginFailed

if TYPE_CHECKING:
    from ..oauth.discovery import Send
    from .endpoints import Endpoints
    from .scheme import UserScheme

CODE, DEVICE = "authorization_code", "urn:ietf:params:oauth:grant-type:device_code"


async def register(scheme: UserScheme, found: Endpoints, redirect_uri: str, scopes: str, send: Send) -> Client:
    """Register a client and return it. Raise LoginFailed if the server does not register it.

    `redirect_uri` is "" for a login by device code.
    """
    if found.registration is None:
        raise LoginFailed(
            f"{scheme.client_variable} is not set, and the authorization server registers no clients itself. Register "
            f"a client with the provider, and set {scheme.client_variable} to its id."
        )
    asked: dict[str, object] = {
        "client_name": f"{scheme.server}-mcp",
        "application_type": "native",
        "token_endpoint_auth_method": "none",
        "grant_types": [CODE if redirect_uri else DEVICE, "refresh_token"],
        "response_types": ["code"] if redirect_uri else [],
        "redirect_uris": [redirect_uri] if redirect_uri else [],
    }
    if scopes:
        asked["scope"] = scopes
    answer = await answers.post_json(send, found.registration, asked)
    identity = answer.text("client_id", 2000)
    if answer.status not in (200, 201) or not identity:
        raise LoginFailed(
            f"{found.registration.address.authority} did not register this client: {answer.said}. Register one with "
            f"the provider, and set {scheme.client_variable} to its id.",
            refused=True,
        )
    in_body = answer.content.get("token_endpoint_auth_method") == "client_secret_post"
    return Client(identity, answer.text("client_secret", 4000), in_body=in_body)
