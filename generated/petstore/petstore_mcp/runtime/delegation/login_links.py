# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Create authorization requests: the links that users open to log in (RFC 6749 section 4.1.1, with PKCE, RFC 7636).

The `state` in a link is encrypted. It names the user and the security scheme of the login, and holds the PKCE verifier.
So any replica can handle the user's return, and nobody else can read or forge a `state`. It is valid for one use and
for ten minutes.
"""

from __future__ import annotations

import os
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from ..core.jsonrpc import dumps, loads
from ..http_server.sealed.seal import Expired, Unsealed
from ..oauth import pkce
from ..settings.settings import NotReady

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..http_server.sealed.seal import Seal
    from .delegation_settings import Delegation
    from .provider_metadata import Endpoints
    from .who import CheckedCaller

SECONDS = 600.0
"""Seconds that the user has to log in."""

LONGEST_WHO = 1000
LONGEST_SHOWN = 80
STATE, TICKET = "login state", "login ticket"
"""Purposes for which logins are encrypted: the `state` of a link, and the ticket of the confirmation page."""


class PendingLogin:
    """A login that a user has begun, with the values by which its end is checked.

    - `issuer`, `subject`: the caller. `shown`: the caller's name, for a page.
    - `verifier`, `nonce`: the PKCE code verifier, and the nonce that the ID token must repeat.
    - `number`: a random number, marked as used at the end of the login so that a link works only once.
    - `claim`, `value`: the claim of the ID token that must have this value; "" if no ID token identifies the user.
    - `code`: the authorization code, once the user has come back.
    """

    __slots__ = ("claim", "code", "issuer", "nonce", "number", "scheme", "shown", "subject", "value", "verifier")

    def __init__(self, **parts: str) -> None:
        for name in self.__slots__:
            setattr(self, name, parts.get(name, ""))

    claim: str
    code: str
    issuer: str
    nonce: str
    number: str
    scheme: str
    shown: str
    subject: str
    value: str
    verifier: str

    def sealed(self, seal: Seal, purpose: str) -> str:
        """Return this login as encrypted text that the browser carries."""
        return seal.close(purpose, "", dumps({name: getattr(self, name) for name in self.__slots__}), SECONDS)


def begin(who: CheckedCaller, claims: Mapping[str, object], scheme: str, provider_issuer: str) -> PendingLogin:
    """Return a new login of this caller. Raise NotReady if the caller's name is too long for a link.

    If the caller's token comes from the issuer at which the user logs in, the ID token must name the same user.
    Microsoft Entra gives a user another `sub` for each client, so the claim `oid` is compared there.
    """
    if len(who.issuer) + len(who.subject) > LONGEST_WHO:
        raise NotReady("The name of the caller is too long for a login.")
    claim = value = ""
    if who.issuer and who.issuer == provider_issuer:
        oid = claims.get("oid")
        claim, value = ("oid", oid) if isinstance(oid, str) and 0 < len(oid) <= LONGEST_WHO else ("sub", who.subject)
    named = [claims.get(each) for each in ("preferred_username", "email")]
    shown = next((each for each in named if isinstance(each, str) and each), who.subject)
    return PendingLogin(
        issuer=who.issuer,
        subject=who.subject,
        shown=shown[:LONGEST_SHOWN],
        scheme=scheme,
        claim=claim,
        value=value,
        verifier=_random(48),
        nonce=_random(16),
        number=new_number(),
    )


def url(begun: PendingLogin, delegation: Delegation, endpoints: Endpoints, scopes: tuple[str, ...], seal: Seal) -> str:
    """Return the URL of the authorization request, which the user opens to log in."""
    wanted = ("openid", *(each for each in scopes if each != "openid")) if begun.claim else scopes
    asked = {
        "response_type": "code",
        "client_id": delegation.client[0],
        "redirect_uri": delegation.redirect,
        "state": begun.sealed(seal, STATE),
        **pkce.challenge(begun.verifier),
        **({"nonce": begun.nonce} if "openid" in wanted else {}),
        **({"scope": " ".join(wanted)} if wanted else {}),
        **({"resource": delegation.resource} if delegation.resource else {}),
    }
    return f"{endpoints.authorization}{'&' if '?' in endpoints.authorization else '?'}{urlencode(asked)}"


def opened(seal: Seal, purpose: str, handle: str) -> PendingLogin | None:
    """Decrypt the text that `PendingLogin.sealed` returned.

    Return the pending login, or None if the text is forged or has expired.
    """
    try:
        value: Any = loads(seal.open(purpose, "", handle).decode())[0]
    except (Unsealed, Expired):
        return None
    return PendingLogin(**value)


def is_of_user(id_token: str, begun: PendingLogin, issuer: str, client: str, now: float) -> bool:
    """Return whether an ID token names the user who began the login (OpenID Connect Core 1.0 section 3.1.3.7).

    The signature is not checked: the token came directly from the token endpoint, over TLS (point 6 of that section).
    """
    claims = _claims(id_token)
    audience, expires = claims.get("aud"), claims.get("exp")
    audiences = audience if isinstance(audience, list) else [audience]
    return (
        claims.get("iss") == issuer
        and client in audiences
        and claims.get("nonce") == begun.nonce
        and isinstance(expires, (int, float))
        and expires > now
        and bool(begun.value)
        and claims.get(begun.claim) == begun.value
    )


def _claims(token: str) -> dict[str, Any]:
    parts = token.split(".")
    if len(parts) != 3:
        return {}
    try:
        value, _ = loads(urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)).decode())
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def new_number() -> str:
    """Return a new random number for `PendingLogin.number`."""
    return _random(16)


def _random(size: int) -> str:
    return urlsafe_b64encode(os.urandom(size)).rstrip(b"=").decode()
