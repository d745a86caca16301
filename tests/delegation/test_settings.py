"""Test the settings for calls with the caller's rights.

The error about a wrong value names the variable, before the server starts.
"""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from package.runtime.core.catalog import Catalog
from package.runtime.settings import settings

from tests.delegation.servers import PREFIX

ISSUER = "https://login.example.com"
CLIENT = {"OAUTH_CLIENT_ID": "id", "OAUTH_CLIENT_SECRET": "the-client-secret"}
EXCHANGE = {"OAUTH_AS": "exchange", "AUTH_ISSUER": ISSUER, **CLIENT}
USER = {"OAUTH_AS": "user", "AUTH_ISSUER": ISSUER, "OAUTH_ISSUER": ISSUER, **CLIENT}


@pytest.fixture(scope="module")
def catalog(project: Any) -> Catalog:
    """Return the data that the generated server loads from its JSON files, such as its tools."""
    return Catalog.load(str(project / "pets_mcp"))


def load(catalog: Catalog, given: dict[str, str], http: tuple[str, int] | None = ("127.0.0.1", 8000)) -> Any:
    """Return the settings for these environment variables, given without their prefix."""
    return settings.load(catalog, {f"{PREFIX}_{name}": value for name, value in given.items()}, http=http)


def test_what_the_settings_come_to(catalog: Catalog) -> None:
    found = load(catalog, {**EXCHANGE, "OAUTH_SCOPES": "a b", "OAUTH_AUDIENCE": "api"})
    assert (found.problems, found.warnings) == ([], [])
    one = found.delegations["oauth"]
    assert (one.way, one.scopes, one.audience, one.client) == (
        "exchange",
        ("a", "b"),
        "api",
        ("id", "the-client-secret"),
    )
    assert one.provider.issuer == ISSUER
    assert [str(each.address) + each.target for each in one.provider.metadata] == [
        f"{ISSUER}/.well-known/openid-configuration",
        f"{ISSUER}/.well-known/oauth-authorization-server",
    ]
    assert "the-client-secret" in found.private
    user = load(catalog, USER).delegations["oauth"]
    assert user.redirect == "http://127.0.0.1:8000/mcp/callback/pets-oauth"
    assert load(catalog, {"OAUTH_AS": "own", "OAUTH": "token"}).delegations == {}


def test_endpoints_come_from_the_document(catalog: Catalog) -> None:
    """Take endpoints from the document if neither an issuer nor a URL is set.

    A base URL of the operator moves them to its origin.
    """
    given = {"CODE_AS": "user", "AUTH_ISSUER": ISSUER, "CODE_CLIENT_ID": "id"}
    for moved, origin in (("", "https://api.example.com"), ("https://moved.example.net", "https://moved.example.net")):
        found = load(catalog, {**given, **({"BASE_URL": moved} if moved else {})})
        assert found.problems == []
        provider = found.delegations["code"].provider
        assert provider.authorization == f"{origin}/authorize"
        assert f"{provider.token.address}{provider.token.target}" == f"{origin}/token"
    typed = {"CODE_AUTHORIZATION_URL": f"{ISSUER}/a", "CODE_TOKEN_URL": f"{ISSUER}/t"}
    provider = load(catalog, {**given, **typed}).delegations["code"].provider
    assert (provider.authorization, provider.token.target) == (f"{ISSUER}/a", "/t")


PROBLEMS: dict[str, tuple[dict[str, str], str]] = {
    "an unknown way": ({"OAUTH_AS": "me"}, "PETS_OAUTH_AS must be own, exchange, on-behalf-of, user, or header:"),
    "a header without a name": ({"OAUTH_AS": "header"}, "PETS_OAUTH_AS must be own, exchange"),
    "the caller's own token": (
        {"OAUTH_AS": "header:Authorization"},
        "PETS_OAUTH_AS must name a header field",
    ),
    "cookies": ({"OAUTH_AS": "header:Cookie"}, "PETS_OAUTH_AS must name a header field"),
    "a field of MCP": ({"OAUTH_AS": "header:Mcp-Session-Id"}, "PETS_OAUTH_AS must name a header field"),
    "a field of HTTP": ({"OAUTH_AS": "header:Host"}, "PETS_OAUTH_AS must name a header field"),
    "no client": (
        {"OAUTH_AS": "exchange", "AUTH_ISSUER": ISSUER},
        "set PETS_OAUTH_CLIENT_ID to the id of",
    ),
    "no issuer": ({"OAUTH_AS": "exchange", **CLIENT}, "PETS_OAUTH_AS is exchange: set PETS_AUTH_ISSUER, whose tokens"),
    "several issuers": (
        {**EXCHANGE, "AUTH_ISSUER": f"{ISSUER},https://b.example.com"},
        "PETS_OAUTH_ISSUER must be one of the issuers in PETS_AUTH_ISSUER.",
    ),
    "a foreign issuer": (
        {**EXCHANGE, "OAUTH_ISSUER": "https://b.example.com"},
        "PETS_OAUTH_ISSUER must be one of the issuers in PETS_AUTH_ISSUER.",
    ),
    "no TLS": (
        {**EXCHANGE, "OAUTH_TOKEN_URL": "http://login.example.com/token"},
        "PETS_OAUTH_TOKEN_URL must begin",
    ),
    "an unknown kind": (
        {**EXCHANGE, "OAUTH_SUBJECT_TYPE": "saml"},
        "PETS_OAUTH_SUBJECT_TYPE must be access_token",
    ),
    "no OAuth": (
        {"KEY_AS": "exchange", "AUTH_ISSUER": ISSUER},
        "PETS_KEY_AS cannot be exchange: the API takes",
    ),
    "nobody is known": (
        {**{name: value for name, value in USER.items() if name != "AUTH_ISSUER"}},
        "PETS_OAUTH_AS is user: set PETS_AUTH_ISSUER or PETS_HTTP_TOKENS, so that this server knows who calls.",
    ),
    "no authorization URL": (
        {name: value for name, value in USER.items() if name != "OAUTH_ISSUER"},
        "set PETS_OAUTH_ISSUER, or PETS_OAUTH_AUTHORIZATION_URL with PETS_OAUTH_TOKEN_URL.",
    ),
    "a bad public URL": ({**USER, "HTTP_URL": "mcp.example.com"}, "PETS_HTTP_URL must be a URL"),
    "two secrets": ({**EXCHANGE, "OAUTH_CLIENT_SECRET_FILE": "/nowhere"}, "PETS_OAUTH_CLIENT_SECRET_FILE"),
}


@pytest.mark.parametrize(("given", "told"), PROBLEMS.values(), ids=PROBLEMS)
def test_settings_that_cannot_be(catalog: Catalog, given: dict[str, str], told: str) -> None:
    problems = load(catalog, given).problems
    assert any(told in each for each in problems), problems
    assert all("the-client-secret" not in each for each in problems)


def test_a_public_url_is_needed_where_nobody_can_know_it(catalog: Catalog) -> None:
    told = load(catalog, USER, ("127.0.0.1", 0)).problems
    assert told == ["PETS_OAUTH_AS is user: set PETS_HTTP_URL, at which browsers come back."]
    elsewhere = load(catalog, USER, ("0.0.0.0", 8000)).problems
    assert [each for each in elsewhere if "stdio" in each] == []
    found = load(catalog, {**USER, "HTTP_URL": "https://mcp.example.com/mcp"}, ("127.0.0.1", 0))
    assert found.delegations["oauth"].redirect == "https://mcp.example.com/mcp/callback/pets-oauth"


@pytest.mark.parametrize("way", ["exchange", "on-behalf-of", "user", "header:X-Token"])
def test_over_stdio_nobody_says_who_calls(catalog: Catalog, way: str) -> None:
    told = load(catalog, {**EXCHANGE, "OAUTH_AS": way}, http=None).problems
    assert f"PETS_OAUTH_AS is {way.partition(':')[0]}, but over stdio nobody says who calls" in told[0]


ENDPOINTS = {
    "its own": (f"{ISSUER}/token", ""),
    "another public host": ("https://oauth2.example.net/token", ""),
    "without TLS": ("http://oauth2.example.net/token", "must begin with https://"),
    "this machine": ("http://127.0.0.1/token", "is on another origin, and not on a public host by https"),
    "this machine by TLS": ("https://localhost/token", "is on another origin, and not on a public host by https"),
    "a metadata service": ("https://169.254.169.254/token", "is on another origin, and not on a public host by https"),
    "an address": ("https://10.0.0.1/token", "is on another origin, and not on a public host by https"),
}
"""Endpoints that an issuer's metadata may name, with the reason why an endpoint is not used, or ""."""


@pytest.mark.parametrize(("url", "reason"), ENDPOINTS.values(), ids=ENDPOINTS)
def test_endpoints_that_metadata_name(catalog: Catalog, url: str, reason: str) -> None:
    resolve = load(catalog, EXCHANGE).delegations["oauth"].provider.resolve
    if not reason:
        assert str(resolve(url).address) in url
        return
    with pytest.raises(ValueError, match=reason.replace("(", ".")):
        resolve(url)


def test_servers_that_delegate_nothing_load_nothing_of_it(project: Any) -> None:
    """Check that a server without delegation loads no module for it, over stdio and over HTTP."""
    code = (
        "import sys\n"
        "from pets_mcp.runtime.core.catalog import Catalog\n"
        "from pets_mcp.runtime.settings import settings\n"
        "from pets_mcp.runtime.calls import execution\n"
        "from pets_mcp.runtime.http_server import over_http\n"
        "found = settings.load(Catalog.load('pets_mcp'), {'PETS_OAUTH': 'token'}, http=('127.0.0.1', 8000))\n"
        "assert not found.problems, found.problems\n"
        "print([name for name in sys.modules if 'delegation' in name])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=project, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[]\n", "")


@pytest.mark.parametrize(
    "url", ["rediss://user:p%40ss-word@cache:6380/0", "redis://:p%40ss-word@cache", "redis://cache"]
)
def test_no_secret_of_state_that_replicas_share_is_shown(catalog: Catalog, url: str) -> None:
    key = "k" * 32
    found = load(catalog, {"STATE_KEY": key, "STORE": url})
    assert found.problems == []
    assert key in found.private
    assert ({"p%40ss-word", "p@ss-word"} <= set(found.private)) is ("@" in url)
