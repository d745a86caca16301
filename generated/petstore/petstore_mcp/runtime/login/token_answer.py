# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Convert a token response to the login that is stored, and find out who logged in."""

from __future__ import annotations

import base64
import binascii
import time
from typing import TYPE_CHECKING, Any

from ..core import jsonrpc
from ..text.sanitize import brief
from . import answers
from .entry import Entry
from .errors import LoginFailed

if TYPE_CHECKING:
    from ..oauth.discovery import Send
    from .answers import Answer, Client
    from .endpoints import Endpoints

_WHO = ("email", "preferred_username", "username", "name", "display_name", "login", "sub")
"""Claims that name a user, the most readable first."""

LONGEST_SAID = 200


async def granted(
    answer: Answer, client: Client, found: Endpoints, scopes: str, send: Send, server: str, registered_at: int | None
) -> tuple[Entry, str]:
    """Return the login to store and the access token of a token response.

    Raise LoginFailed if the response holds no token. `scopes`: the scopes that were requested. `registered_at`: port of
    the redirect URI of a dynamically registered client, or None for the operator's client.
    """
    if answer.status != 200:
        raise LoginFailed(f"{server} gave no token: {answer.said}.", refused=bool(answer.error))
    token = answers.access_token(answer, server)
    refresh, now = answer.text("refresh_token"), time.time()
    life, refresh_life = answer.seconds("expires_in"), answer.seconds("refresh_expires_in")
    refresh_life = refresh_life or answer.seconds("refresh_token_expires_in")
    # Slack, GitHub and Notion issue no refresh token. Without the access token, the login would be lost when the
    # command ends.
    entry = Entry(
        client_id=client.id,
        refresh_token=refresh,
        access_token="" if refresh else token,
        access_ends=now + life if life else 0.0,
        refresh_ends=now + refresh_life if refresh and refresh_life else 0.0,
        client_secret=client.secret if registered_at is not None else "",
        registered=registered_at is not None,
        port=registered_at or 0,
        scopes=brief(answer.text("scope", 8000) or scopes, 2000),
        user=await _user(answer, client, found, token, send),
        issuer=found.issuer,
        token_endpoint=found.token_url,
        metadata_url=found.metadata_url,
    )
    return entry, token


async def _user(answer: Answer, client: Client, found: Endpoints, token: str, send: Send) -> str:
    """Return the name of the user who logged in, from the ID token or the userinfo endpoint; "" if neither says it.

    The ID token came directly from the token endpoint over TLS, so its signature need not be checked (OpenID Connect
    Core 1.0, section 3.1.3.7).
    """
    claims = _claims(answer.text("id_token", 64 * 1024))
    audience = claims.get("aud")
    if client.id not in (audience if isinstance(audience, list) else [audience]):
        claims = {}
    if found.issuer and claims.get("iss") not in (None, found.issuer):
        claims = {}
    if (who := _named(claims)) and who != str(claims.get("sub")):
        return who
    if found.userinfo is not None:
        try:
            told = await answers.fetch(send, found.userinfo, token)
        except LoginFailed:
            return who
        who = (_named(told.content) if told.status == 200 else "") or who
    return who


def _named(claims: dict[str, Any]) -> str:
    found = (claims.get(name) for name in _WHO)
    return next((brief(each, LONGEST_SAID) for each in found if isinstance(each, str) and each), "")


def _claims(token: str) -> dict[str, Any]:
    """Return the claims of a JWT (RFC 7519) without checking it; {} if it cannot be read."""
    parts = token.split(".")
    if len(parts) != 3:
        return {}
    try:
        value, _ = jsonrpc.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)).decode())
    except (ValueError, binascii.Error):
        return {}
    return value if isinstance(value, dict) else {}
