"""Test OpenID Connect Discovery at raw sockets: the provider is asked once and without a credential.

The token endpoint that the provider names must satisfy the rules for a token URL.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from package.runtime.calls.execution import ToolExecutor
from package.runtime.commands import doctor
from package.runtime.settings import settings

from tests.runtime.table_stub import Catalog
from tests.runtime.test_calls import text
from tests.runtime.test_tokens import ENVIRON, LOGIN, TOOLS, VARIABLES, bearers, look, run, said
from tests.runtime.upstream import Connection, Play, Upstream, answer, serving
from tests.scheme_entries import oauth

NOT_FOUND = b"HTTP/1.1 404 Not Found\r\n\r\n"
CONFIGURATION = "/.well-known/openid-configuration"


def provider(*endpoints: Any, status: int = 200) -> Play:
    """Return a provider whose discovery document names these token endpoints in turn, the last one repeatedly.

    Each of its paths also issues tokens. `{origin}` in a URL stands for the provider's own origin.
    """
    left = list(endpoints)

    async def play(connection: Connection) -> None:
        while request := (await connection.request()).decode():
            origin = request.partition("Host: ")[2].partition("\r\n")[0]
            if not request.startswith("GET "):
                await connection.send(said(200, access_token="token-1", expires_in=0))
                continue
            named = left.pop(0) if len(left) > 1 else left[0]
            named = named.replace("{origin}", f"http://{origin}") if isinstance(named, str) else named
            await connection.send(said(status, token_endpoint=named))

    return play


def test_the_endpoint_is_looked_up_once_and_without_a_credential() -> None:
    async def scene(caller: ToolExecutor, upstream: Upstream, issuer: Upstream) -> None:
        for _ in range(3):
            assert text(await look(caller)) == "ok"
        first, *others = issuer.requests
        assert first.startswith(b"GET " + CONFIGURATION.encode() + b" HTTP/1.1\r\n")
        assert b"uthorization" not in first
        assert b"s3cret" not in first
        assert [each.split(b" HTTP")[0] for each in others] == [b"POST /oauth/token?x=1"] * 3
        assert all(LOGIN in each for each in others)
        assert bearers(upstream) == ["token-1"] * 3

    run(scene, provider("{origin}/oauth/token?x=1"), path=CONFIGURATION, key="discovery_url")


def test_a_ready_token_asks_nobody() -> None:
    async def scene(caller: ToolExecutor, upstream: Upstream, issuer: Upstream) -> None:
        await look(caller)
        assert (bearers(upstream), issuer.connections) == (["ready"], 0)

    environ = {**ENVIRON, "PETSTORE_OAUTH": "ready"}
    run(scene, provider("{origin}/t"), environ=environ, path=CONFIGURATION, key="discovery_url")


SERVER = "127.0.0.1:{port}"


@pytest.mark.parametrize(
    ("named", "status", "sentence"),
    [
        ("http://login.example/t", 200, f"The token_endpoint that {SERVER} names must begin with https:// unless"),
        ("https://169.254.169.254/t", 200, f"The token_endpoint that {SERVER} names must not be a link-local or"),
        ("https://a:b@login.example/t", 200, f"The token_endpoint that {SERVER} names must not hold a user name"),
        ("/token", 200, f"{SERVER} answered without a token_endpoint."),
        (["x"], 200, f"{SERVER} answered without a token_endpoint."),
        ("{origin}/t", 404, f"{SERVER} did not say where tokens are fetched: HTTP 404."),
        ("{origin}/t", 302, f"{SERVER} did not say where tokens are fetched: HTTP 302."),
    ],
)
def test_what_the_provider_says_wrongly_is_said_and_no_secret_leaves(named: Any, status: int, sentence: str) -> None:
    async def scene(caller: ToolExecutor, upstream: Upstream, issuer: Upstream) -> None:
        told = text(await look(caller))
        assert told.startswith("look was not called. " + sentence.replace("{port}", str(issuer.port)))
        assert b"s3cret" not in b"".join(issuer.requests)
        assert upstream.connections == 0

    run(scene, provider(named, status=status), path=CONFIGURATION, key="discovery_url")


def test_a_provider_that_failed_is_asked_again() -> None:
    async def scene(caller: ToolExecutor, upstream: Upstream, issuer: Upstream) -> None:
        assert (await look(caller)).is_error
        assert text(await look(caller)) == "ok"

    run(scene, provider(None, "{origin}/t"), path=CONFIGURATION, key="discovery_url")


@pytest.mark.parametrize(
    ("url", "environ", "expected"),
    [
        (CONFIGURATION, {}, f"https://api.petstore.example{CONFIGURATION}"),
        ("https://login.example/c", {"PETSTORE_OAUTH_TOKEN_URL": "https://other.example/t"}, "https://other.example/t"),
    ],
)
def test_where_the_provider_is_asked(url: str, environ: dict[str, str], expected: str) -> None:
    entry = oauth(VARIABLES, discovery_url=url)
    catalog: Any = Catalog(TOOLS, security={"oauth": entry})
    loaded = settings.load(catalog, environ)
    found = loaded.endpoint("oauth")
    assert found.address.origin + found.target == expected


def test_a_provider_in_the_clear_is_not_asked() -> None:
    entry = oauth(VARIABLES, discovery_url="http://login.example/c")
    catalog: Any = Catalog(TOOLS, security={"oauth": entry})
    with pytest.raises(settings.NotReady, match=r"^The OpenID URL that the API's description names must begin with ht"):
        settings.load(catalog, {}).endpoint("oauth")


@pytest.mark.parametrize("status", [200, 401])
def test_the_doctor_tries_to_fetch_tokens_for_each_set_of_scopes(status: int) -> None:
    async def play(connection: Connection) -> None:
        while await connection.request():
            await connection.send(said(status, access_token="token-1"))

    async def main() -> tuple[list[str], list[bytes]]:
        async with serving(answer(NOT_FOUND)) as upstream, serving(play) as issuer:
            entry = oauth(VARIABLES, str(issuer.address("/t")))
            catalog: Any = Catalog(TOOLS, [{"url": str(upstream.address())}], security={"oauth": entry})
            catalog.title = "Pets"
            loaded = settings.load(catalog, ENVIRON)
            problems, _ = await asyncio.wait_for(doctor._reach(catalog, loaded), 30)
            return problems, issuer.requests

    problems, asked = asyncio.run(main())
    scopes = {body.rpartition(b"\r\n\r\n")[2].partition(b"&scope=")[2] for body in asked}
    assert scopes >= {b"read", b"read+write", b""}
    assert all("gave no access token for" in each for each in problems)
    assert len(problems) == (3 if status == 401 else 0)
