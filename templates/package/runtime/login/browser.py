# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Log in with the authorization code grant and PKCE, in the user's browser (RFC 6749, RFC 7636, RFC 8252)."""

from __future__ import annotations

import hmac
import secrets
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from ..oauth import pkce
from ..oauth.token_response import CODES
from . import answers
from .errors import LoginFailed
from .loopback import Loopback

if TYPE_CHECKING:
    from ..oauth.discovery import Send
    from .answers import Answer, Client
    from .endpoints import Endpoints

SECONDS = 300.0
"""Seconds within which the user has to log in."""

_GOOGLE = "https://accounts.google.com/"


class BrowserLogin:
    """One login in the browser. The user opens `url`; `finish` waits for the user and returns the token response.

    Always call `close` at the end.
    """

    def __init__(self, found: Endpoints, title: str) -> None:
        self._found = found
        self.receiver = Loopback(title)
        # `state` and code verifier have 256 random bits each, in the characters that RFC 7636, section 4.1 allows.
        self._state, self._verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(32)

    async def listen(self, port: int) -> None:
        """Open the port for the redirect; 0 means any free port. Raise LoginFailed if the port is taken, or if the
        authorization server has no authorization endpoint.
        """
        if not self._found.authorization:
            raise LoginFailed("The authorization server has no page at which a user can log in: use --device.")
        await self.receiver.listen(port)
        self.receiver.expect(self._state)

    def url(self, client: Client, scopes: str) -> str:
        """Return the URL that the user opens (RFC 6749, section 4.1.1)."""
        asked = {
            "response_type": "code",
            "client_id": client.id,
            "redirect_uri": self.receiver.redirect_uri,
            "state": self._state,
            **pkce.challenge(self._verifier),
        }
        if scopes:
            asked["scope"] = scopes
        if "offline_access" in scopes.split():
            asked["prompt"] = "consent"  # OpenID Connect Core 1.0, section 11: `offline_access` needs `prompt=consent`
        if self._found.authorization.startswith(_GOOGLE):
            # Without these parameters, Google returns no refresh token.
            asked |= {"access_type": "offline", "prompt": "consent"}
        mark = "&" if "?" in self._found.authorization else "?"
        return f"{self._found.authorization}{mark}{urlencode(asked)}"

    async def finish(self, client: Client, send: Send, seconds: float = SECONDS) -> Answer:
        """Wait for the redirect from the browser, and return the token response.

        Raise LoginFailed if the login fails.
        """
        found = await self.receiver.answer(self._state, seconds)
        self._check_issuer(found.get("iss"))
        if "error" in found:
            code = found["error"] if found["error"] in CODES else "an error without a known code"
            said = "the login was refused" if code == "access_denied" else f"it answered with {code}"
            raise LoginFailed(f"No token was given: {said}.", refused=True)
        code = found.get("code", "")
        if not code:
            raise LoginFailed("The authorization server answered without a code.")
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self.receiver.redirect_uri,
            "code_verifier": self._verifier,
        }
        assert self._found.token is not None
        return await answers.post_form(send, self._found.token, form, client)

    def close(self) -> None:
        self.receiver.close()

    def _check_issuer(self, issuer: str | None) -> None:
        """Raise LoginFailed if the redirect comes from another authorization server (RFC 9207, section 2.4)."""
        known = self._found.issuer
        if issuer is None and not self._found.sends_issuer:
            return
        if issuer is None or (known and not hmac.compare_digest(issuer.encode(), known.encode())):
            raise LoginFailed(
                "The answer does not come from the authorization server that was asked, so it is not used.",
                refused=True,
            )
