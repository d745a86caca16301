"""Test logins at a real authorization server, the npm package `oidc-provider`, whose forms are submitted over HTTP."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.delegation.browser import open_page
from tests.delegation.servers import Api, Server, free_port
from tests.delegation.test_login import LINKS, again, link
from tests.identity import provider
from tests.interop import environments

pytestmark = pytest.mark.slow

BACK = "http://127.0.0.1:4444/callback"
RESOURCE = "https://pets.example.com"


class Callers:
    """The users of the authorization server, with access tokens for the MCP server that the client `app`
    has obtained.
    """

    def __init__(self, authority: provider.Provider) -> None:
        self.issuer = authority.issuer
        self._authority = authority
        self._tokens: list[str] = []

    def caller_token(self, user: str, audience: str) -> str:
        """Return an access token of this user, obtained by an authorization code."""
        told = self._authority.tokens(user, "app", BACK, scope="openid pets:read", resource=audience)
        token = str(told["access_token"])
        self._tokens.append(token)
        return token

    def proofs(self) -> list[bytes]:
        """Return the claims and signatures of these tokens."""
        return [part.encode() for token in self._tokens for part in token.split(".")[1:]]


def test_users_log_in_at_a_real_provider(project: Path, tmp_path: Path, api: Api) -> None:
    """Log in two users, a user who does not agree, and a user who opens another's link.

    Then renew a login, with rotated tokens.
    """
    bound = free_port()
    redirect = f"http://127.0.0.1:{bound}/mcp/callback/pets-oauth"
    clients = [
        provider.client("pets", "secret-of-pets-server", redirects=[redirect]),
        provider.client("app", redirects=[BACK]),
    ]
    try:
        with provider.serve(scopes=("pets:read", "pets:write"), clients=clients) as authority:
            settings = {
                "OAUTH_AS": "user",
                "OAUTH_ISSUER": authority.issuer,
                "OAUTH_CLIENT_ID": "pets",
                "OAUTH_CLIENT_SECRET": "secret-of-pets-server",
                "OAUTH_RESOURCE": RESOURCE,
            }
            with Server(project, tmp_path, api, Callers(authority), settings, port=bound) as server:
                _log_in(server, authority, api)
    except environments.Missing as missing:
        pytest.skip(str(missing))


def _log_in(server: Server, authority: provider.Provider, api: Api) -> None:
    refused = authority.log_in(link(server, "alice"), "alice", agrees=False)
    assert open_page(server, refused).status == 400
    assert open_page(server, authority.log_in(link(server, "alice"), "bob")).status == 400
    assert api.requests == []
    for user in ("alice", "bob"):
        location = authority.log_in(link(server, user), user)
        assert urlsplit(location).path == "/mcp/callback/pets-oauth"
        assert open_page(server, location).status == 200
        assert again(server, user)["isError"] is False
    tokens = [each.fields["authorization"] for each in api.requests]
    assert len(set(tokens)) == 2
    api.unaccepted.add(tokens[0].removeprefix("Bearer "))
    assert server.as_user("alice", "list_pets", LINKS)["result"]["isError"] is False
    assert len({each.fields["authorization"] for each in api.requests}) == 3
