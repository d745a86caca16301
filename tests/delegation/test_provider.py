"""Logging in at a real authorization server: npm `oidc-provider`, with its forms driven over HTTP."""

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

RESOURCE = "https://pets.example.com"


def test_users_log_in_at_a_real_provider(project: Path, tmp_path: Path, api: Api) -> None:
    """Two users, a user who does not agree, a link that another user opens, and a renewal with rotation."""
    bound = free_port()
    redirect = f"http://127.0.0.1:{bound}/mcp/callback/pets-oauth"
    clients = [provider.client("pets", "secret-of-pets-server", redirects=[redirect])]
    try:
        with provider.serve(scopes=("pets:read", "pets:write"), clients=clients) as authority:
            settings = {
                "OAUTH_AS": "user",
                "OAUTH_ISSUER": authority.issuer,
                "OAUTH_CLIENT_ID": "pets",
                "OAUTH_CLIENT_SECRET": "secret-of-pets-server",
                "OAUTH_RESOURCE": RESOURCE,
            }
            with Server(project, tmp_path, api, authority.issuer, settings, port=bound) as server:
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
