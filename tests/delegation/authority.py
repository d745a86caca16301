"""A mock authorization server that checks requests by RFC 8693, RFC 7523 and RFC 6749 with PKCE, and issues ID tokens.

It also signs the access tokens of callers. Its tokens for the API have the form `api|NAME|SCOPES|AUDIENCE|NUMBER`, so
that a recorded request shows for which user it was made.
"""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import time
from typing import Any
from urllib.parse import parse_qs, unquote_plus, urlencode, urlsplit

from tests.delegation.endpoint import Answer, Asked, Endpoint
from tests.identity.issuer import Signer

CLIENT, SECRET = "the-server", "the-secret-of-the-server"
URN = "urn:ietf:params:oauth:"


def refusal(error: str, status: int = 400) -> Answer:
    """Return the status and body of an OAuth error response. `error`: the OAuth error code."""
    return status, json.dumps({"error": error, "error_description": "x" * 20}).encode()


class Authority(Endpoint):
    """The authorization server. `refused`: users who get no tokens.

    `strange`: if set, the token endpoint sends only this response.
    """

    def __init__(self, seconds: int | None = 3600, rotate: bool = True) -> None:
        super().__init__(self._answered)
        self.refused: set[str] = set()
        self.revoked: set[str] = set()
        self.strange: Answer | None = None
        self.seconds = seconds
        self.says_issuer = True
        self.subject_of: dict[str, str] = {}
        self.audience = ""
        self.rotate = rotate
        self._signer = Signer("ES256", "key-1")
        self.callers: dict[str, str] = {}
        self.turn = 0
        self.said = ""
        self._numbers = itertools.count(1)
        self._codes: dict[str, dict[str, str]] = {}
        self._refresh: dict[str, str] = {}

    @property
    def issuer(self) -> str:
        """Return the issuer identifier."""
        return self.origin

    @property
    def forms(self) -> list[dict[str, str]]:
        """Return the forms that the token endpoint received."""
        return [each.form for each in self.requests if each.path == "/token"]

    def caller_token(self, user: str, audience: str, **more: object) -> str:
        """Return an access token with which this user calls an MCP server."""
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "sub": self.subject(user),
            "aud": audience,
            "client_id": "app",
            "scope": "pets:read pets:write",
            "exp": now + 3600,
            "iat": now,
        }
        token = self._signer.token({**claims, "email": f"{user}@example.com", **more})
        self.callers[token] = user
        return token

    def subject(self, user: str) -> str:
        """Return the subject of this user in tokens. After `begin_again`, the same name stands for another person."""
        return f"{user}.{self.turn}" if self.turn else user

    def begin_again(self) -> None:
        """Forget all requests and settings. Tests share a server, and each test has users of its own."""
        self.turn += 1
        self.requests.clear()
        self.refused, self.revoked, self.subject_of = set(), set(), {}
        self.audience, self.seconds, self.says_issuer = "", 3600, True

    def proofs(self) -> list[bytes]:
        """Return the parts of callers' tokens (claims and signatures) that `servers.Server.search` must not find."""
        return [part.encode() for token in self.callers for part in token.split(".")[1:]]

    def authorize(self, url: str, user: str, **more: str) -> str:
        """Agree to the authorization request in this user's browser, and return the URL of the redirect."""
        assert url.startswith(f"{self.origin}/authorize?"), url
        asked = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        assert asked["response_type"] == "code"
        assert asked["client_id"] == CLIENT
        assert asked["code_challenge_method"] == "S256"
        code = f"code-{next(self._numbers)}-{hashlib.sha256(url.encode()).hexdigest()[:16]}"
        self._codes[code] = {**asked, "user": user}
        told = {"code": code, "state": asked["state"], **({"iss": self.issuer} if self.says_issuer else {}), **more}
        return f"{asked['redirect_uri']}?{urlencode(told)}"

    def _answered(self, asked: Asked) -> Answer:
        if asked.path in ("/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"):
            return 200, json.dumps(self._metadata()).encode()
        if asked.path == "/jwks":
            return 200, json.dumps({"keys": [self._signer.jwk()]}).encode()
        if asked.path != "/token" or asked.method != "POST":
            return 404, b"{}"
        return self.strange or self._token(asked)

    def _metadata(self) -> dict[str, Any]:
        return {
            "issuer": self.said or self.issuer,
            "authorization_endpoint": f"{self.origin}/authorize",
            "token_endpoint": f"{self.origin}/token",
            "jwks_uri": f"{self.origin}/jwks",
            "authorization_response_iss_parameter_supported": self.says_issuer,
        }

    def _token(self, asked: Asked) -> Answer:
        assert asked.fields["content-type"] == "application/x-www-form-urlencoded"
        kind, _, login = asked.fields.get("authorization", "").partition(" ")
        if kind != "Basic" or base64.b64decode(login).decode() != f"{CLIENT}:{SECRET}":
            return refusal("invalid_client", 401)
        form = asked.form
        match form.get("grant_type"):
            case "urn:ietf:params:oauth:grant-type:token-exchange":
                return self._exchanged(form)
            case "urn:ietf:params:oauth:grant-type:jwt-bearer":
                return self._behalf(form)
            case "authorization_code":
                return self._redeemed(form)
            case "refresh_token":
                return self._refreshed(form)
        return refusal("unsupported_grant_type")

    def _exchanged(self, form: dict[str, str]) -> Answer:
        """Answer a token exchange (RFC 8693 section 2.1) after a check of the required fields and the token types."""
        kinds = (f"{URN}token-type:access_token", f"{URN}token-type:jwt")
        user = self.callers.get(form.get("subject_token", ""))
        if user is None or form.get("subject_token_type") not in kinds:
            return refusal("invalid_request")
        if ("actor_token" in form) != ("actor_token_type" in form):
            return refusal("invalid_request")
        more = {"issued_token_type": f"{URN}token-type:access_token"}
        return self._given(user, form.get("scope", ""), form.get("audience", form.get("resource", "")), more)

    def _behalf(self, form: dict[str, str]) -> Answer:
        """Answer a JWT bearer grant (RFC 7523 section 2.1) in the form that Microsoft Entra uses."""
        user = self.callers.get(form.get("assertion", ""))
        if user is None or form.get("requested_token_use") != "on_behalf_of":
            return refusal("invalid_request")
        return self._given(user, form.get("scope", ""), "", {})

    def _redeemed(self, form: dict[str, str]) -> Answer:
        """Redeem an authorization code once, for its redirect URI (RFC 6749 section 4.1.3, RFC 7636 section 4.6)."""
        asked = self._codes.pop(form.get("code", ""), None)
        verifier = form.get("code_verifier", "").encode()
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier).digest()).rstrip(b"=").decode()
        if asked is None or asked["redirect_uri"] != form.get("redirect_uri") or asked["code_challenge"] != challenge:
            return refusal("invalid_grant")
        claims = {
            "iss": self.issuer,
            "sub": self.subject_of.get(asked["user"], self.subject(asked["user"])),
            "aud": self.audience or CLIENT,
            "exp": 4102444800,
            "nonce": asked.get("nonce"),
        }
        parts = ({"alg": "ES256"}, claims, "signature")
        token = ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode() for part in parts)
        is_openid = "openid" in asked.get("scope", "").split()
        return self._given(asked["user"], asked.get("scope", ""), "", {"id_token": token} if is_openid else {}, True)

    def _refreshed(self, form: dict[str, str]) -> Answer:
        given = form.get("refresh_token", "")
        user = self._refresh.pop(given, "") if self.rotate else self._refresh.get(given, "")
        if not user or user in self.revoked:
            return refusal("invalid_grant")
        return self._given(user, "", "", {}, True)

    def _given(self, user: str, scope: str, audience: str, more: dict[str, str], refresh: bool = False) -> Answer:
        if user in self.refused:
            return refusal("invalid_grant")
        number = next(self._numbers)
        told: dict[str, Any] = {"access_token": f"api|{user}|{scope}|{audience}|{number}", "token_type": "Bearer"}
        if self.seconds is not None:
            told["expires_in"] = self.seconds
        if refresh:
            token = f"refresh-{number}-{user}"
            self._refresh[token] = user
            told["refresh_token"] = token
        return 200, json.dumps({**told, **more}).encode()


def callers(requests: list[Asked]) -> list[str]:
    """Return the user of each request that the API received, as named in its token."""
    found = []
    for each in requests:
        token = unquote_plus(each.fields.get("authorization", "").removeprefix("Bearer "))
        found.append(token.split("|")[1] if token.startswith("api|") else token)
    return found
