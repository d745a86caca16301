"""Test which origins calls and credentials may go to: those in the project's list, and those that the operator allows.

A row is a URL in the project's files, the operator's settings, and the origin that is contacted or the error of the
call.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from package.runtime.calls.execution import ToolExecutor
from package.runtime.settings import settings
from package.runtime.settings.settings import NotReady

from tests import scheme_entries
from tests.runtime.table_stub import Catalog
from tests.runtime.test_calls import text
from tests.runtime.test_discovery import CONFIGURATION, provider
from tests.runtime.test_tokens import ENVIRON, TOOLS, VARIABLES, look, tokens
from tests.runtime.upstream import Upstream, serving

API = [{"url": "https://api.example/v1"}]
TOKEN_URL = "PETSTORE_OAUTH_TOKEN_URL"
MOVED = {"PETSTORE_BASE_URL": "https://test.example/x"}
UNACCEPTED = "an origin that was not accepted when this server was generated"


def oauth(url: str, key: str = "token_url") -> dict[str, dict[str, Any]]:
    return {"oauth": scheme_entries.oauth(VARIABLES, **{key: url})}


def loaded(catalog: Catalog, environ: dict[str, str], at_start: Catalog | None = None) -> settings.Settings:
    given: Any = catalog
    began: Any = at_start
    found = settings.load(given, environ, at_start=began)
    assert found.problems == []
    return found


def reached(ask: Callable[[], Any]) -> str:
    """Return the origin that is contacted, or the error that says why no origin is."""
    try:
        return str(getattr(found := ask(), "address", found).origin)
    except NotReady as reason:
        return str(reason)


# -- Origins of token endpoints ---------------------------------------------------------------------------------------

LISTED, UNLISTED = ["https://api.example", "https://login.example"], ["https://api.example", "https://old.example"]
AT_LOGIN = "https://login.example/t"


@pytest.mark.parametrize("key", ["token_url", "discovery_url"])
@pytest.mark.parametrize(
    ("url", "listed", "environ", "expected"),
    [
        (AT_LOGIN, LISTED, {}, "https://login.example"),
        ("https://LOGIN.example:443/t", LISTED, {}, "https://login.example"),
        (AT_LOGIN, UNLISTED, {}, UNACCEPTED),
        ("https://login.example:444/t", LISTED, {}, UNACCEPTED),
        (AT_LOGIN, UNLISTED, {"PETSTORE_ALLOW_HOSTS": "other.example,LOGIN.example"}, "https://login.example"),
        (AT_LOGIN, UNLISTED, {TOKEN_URL: "https://own.example/t"}, "https://own.example"),
        (AT_LOGIN, UNLISTED, {TOKEN_URL: AT_LOGIN}, "https://login.example"),
        # With the operator's base URL, the document's token host is not trusted.
        (AT_LOGIN, LISTED, MOVED, "another host than PETSTORE_BASE_URL"),
        (AT_LOGIN, UNLISTED, MOVED, "another host than PETSTORE_BASE_URL"),
        (AT_LOGIN, LISTED, {**MOVED, "PETSTORE_ALLOW_HOSTS": "login.example"}, "https://login.example"),
        (AT_LOGIN, LISTED, {**MOVED, TOKEN_URL: AT_LOGIN}, "https://login.example"),
        (AT_LOGIN, LISTED, {"PETSTORE_BASE_URL": "https://login.example"}, "https://login.example"),
        # A token URL on the API's own host is requested at the host of the operator's base URL instead.
        ("https://api.example/t", LISTED, MOVED, "https://test.example"),
        ("/t", LISTED, MOVED, "https://test.example"),
        ("/t", LISTED, {}, "https://api.example"),
        ("/t", ["https://login.example"], {}, "is relative to a server that is not known"),
        ("https://api.example/t", ["https://login.example"], {}, UNACCEPTED),
    ],
)
def test_hard_06_client_credentials_go_to_a_listed_origin_or_one_that_the_operator_names(
    url: str, listed: list[str], environ: dict[str, str], expected: str, key: str
) -> None:
    found = loaded(Catalog(TOOLS, API, oauth(url, key), listed), environ)
    there = reached(lambda: found.endpoint("oauth"))
    if " " not in expected:
        assert there == expected
    else:
        kind = "token" if key == "token_url" else "OpenID"
        assert there.startswith(f"The {kind} URL that the API's description names is ")
        assert expected in there
        assert there.endswith(f"; {TOKEN_URL} can name another.")
        assert "PETSTORE_ALLOW_HOSTS" in there or "relative" in there


def scene(
    act: Callable[[ToolExecutor, Upstream, Upstream, Upstream], Awaitable[None]],
    catalog: Callable[[Upstream, Upstream, Upstream], Catalog],
    environ: Callable[[Upstream, Upstream, Upstream], dict[str, str]] = lambda *_: {},
    named: str = "",
) -> None:
    """Run `act` with three servers: the API, its token host, and a foreign host.

    `named`: URL of the token endpoint in the token host's discovery document; `{foreign}` in it stands for the foreign
    host. If `named` is empty, the token host issues tokens at every URL.
    """

    async def main() -> None:
        async with serving() as api, serving(tokens("token-2")) as foreign:
            endpoint = named.replace("{foreign}", str(foreign.address()))
            async with serving(provider(endpoint) if named else tokens("token-1")) as login:
                three = api, login, foreign
                caller = ToolExecutor(table := catalog(*three), loaded(table, {**ENVIRON, **environ(*three)}))  # type: ignore[arg-type]
                await asyncio.wait_for(act(caller, *three), 30)
                await caller.close()

    asyncio.run(main())


def servers(api: Upstream) -> list[dict[str, Any]]:
    return [{"url": str(api.address("/v1"))}]


async def refused(caller: ToolExecutor, api: Upstream, login: Upstream, foreign: Upstream) -> None:
    said = text(await look(caller))
    assert said.startswith("look was not called. The token URL that the API's description names is on 127.0.0.1, ")
    assert "name that host in PETSTORE_ALLOW_HOSTS" in said
    assert (api.connections, login.connections, foreign.connections) == (0, 0, 0)


def test_hard_05_no_secret_reaches_a_token_host_that_the_table_does_not_list() -> None:
    def moved(api: Upstream, login: Upstream, foreign: Upstream) -> Catalog:
        listed = [api.address().origin, login.address().origin]
        return Catalog(TOOLS, servers(api), oauth(str(foreign.address("/t"))), listed)

    scene(refused, moved)


def test_hard_06_no_secret_reaches_the_described_token_host_where_the_operator_typed_a_base_url() -> None:
    def described(api: Upstream, login: Upstream, foreign: Upstream) -> Catalog:
        return Catalog(TOOLS, security=oauth(str(login.address("/t"))))

    def typed(api: Upstream, login: Upstream, foreign: Upstream) -> dict[str, str]:
        return {"PETSTORE_BASE_URL": str(api.address())}

    scene(refused, described, typed)


def test_hard_06_a_host_that_the_operator_allows_is_given_them() -> None:
    async def sent(caller: ToolExecutor, api: Upstream, login: Upstream, foreign: Upstream) -> None:
        assert text(await look(caller)) == "ok"
        assert (len(login.requests), foreign.connections) == (1, 0)

    scene(
        sent,
        lambda api, login, foreign: Catalog(TOOLS, security=oauth(str(login.address("/t")))),
        lambda api, *_: {"PETSTORE_BASE_URL": str(api.address()), "PETSTORE_ALLOW_HOSTS": "127.0.0.1"},
    )


@pytest.mark.parametrize(
    ("allowed", "more", "reached_foreign"),
    [({}, [], False), ({"PETSTORE_ALLOW_HOSTS": "127.0.0.1"}, [], True), ({}, ["foreign"], True)],
    ids=["nobody names it", "the operator allows it", "the owner accepted it"],
)
def test_hard_06_a_token_endpoint_that_a_provider_names_elsewhere(
    allowed: dict[str, str], more: list[str], reached_foreign: bool
) -> None:
    def catalog(api: Upstream, login: Upstream, foreign: Upstream) -> Catalog:
        listed = [each.address().origin for each in (api, login, *([foreign] if more else []))]
        return Catalog(TOOLS, servers(api), oauth(str(login.address(CONFIGURATION)), "discovery_url"), listed)

    async def act(caller: ToolExecutor, api: Upstream, login: Upstream, foreign: Upstream) -> None:
        said = text(await look(caller))
        if reached_foreign:
            assert (said, len(foreign.requests)) == ("ok", 1)
        else:
            assert f"The token_endpoint that 127.0.0.1:{login.port} names is on 127.0.0.1, another origin" in said
            assert "name that host in PETSTORE_ALLOW_HOSTS" in said
            assert (api.connections, foreign.connections) == (0, 0)
        assert b"s3cret" not in b"".join(login.requests)

    scene(act, catalog, lambda *_: allowed, named="{foreign}/t")


OWN = f"The API's own server is on api.example, {UNACCEPTED}"
OF_OPERATION = f"The server of this operation is on up.example, {UNACCEPTED}"

# -- Origins of APIs --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("listed", "environ", "first", "second"),
    [
        (["https://api.example", "https://up.example"], {}, "https://api.example", "https://up.example"),
        (["https://api.example"], {}, "https://api.example", OF_OPERATION),
        (["https://up.example"], {}, OWN, "https://up.example"),
        (["https://up.example"], {"PETSTORE_ALLOW_HOSTS": "api.example"}, "https://api.example", "https://up.example"),
        ([], {"PETSTORE_ALLOW_HOSTS": "api.example,up.example"}, "https://api.example", "https://up.example"),
        ([], MOVED, "https://test.example", "PETSTORE_BASE_URL stands for the API's own server"),
        (["https://up.example"], MOVED, "https://test.example", "PETSTORE_BASE_URL stands for the API's own server"),
        ([], {"PETSTORE_BASE_URL": "https://up.example"}, "https://up.example", "https://up.example"),
    ],
)  # fmt: skip
def test_hard_05_calls_go_to_a_listed_origin_or_one_that_the_operator_names(
    listed: list[str], environ: dict[str, str], first: str, second: str
) -> None:
    found = loaded(Catalog(TOOLS, [*API, {"url": "https://up.example/x"}], origins=listed), environ)
    for index, expected in enumerate((first, second)):
        there = reached(lambda at=index: found.server(at))  # type: ignore[misc]
        assert there.startswith(expected) if " " in expected else there == expected
        assert " " not in there or "Name that host in PETSTORE_ALLOW_HOSTS to call it" in there


TENANT = {"variable": "PETSTORE_VAR_TENANT", "default": "demo"}
OF_TENANT = ["https://{tenant}.example", "https://demo.example"]
ACME, OTHER = {"PETSTORE_VAR_TENANT": "acme"}, {"PETSTORE_VAR_TENANT": "https://b.example"}


@pytest.mark.parametrize(
    ("url", "default", "listed", "environ", "expected"),
    [
        ("https://{tenant}.example/v1", "demo", OF_TENANT, {}, "https://demo.example"),
        ("https://{tenant}.example/v1", "demo", OF_TENANT, ACME, "https://acme.example"),
        ("https://{tenant}.example/v2", "demo", OF_TENANT, ACME, "https://acme.example"),
        ("https://{tenant}.evil/v1", "demo", OF_TENANT, ACME, UNACCEPTED),
        ("https://{tenant}/v1", "demo.example", OF_TENANT, ACME, UNACCEPTED),
        ("https://{tenant}.example/v1", "evil.host/x", OF_TENANT, {}, UNACCEPTED),
        ("https://{tenant}.example/v1", "evil", OF_TENANT, ACME, UNACCEPTED),
        ("https://demo.example/v1", "", OF_TENANT, {}, "https://demo.example"),
        ("https://{tenant}/v1", "demo.example", OF_TENANT, {}, "https://demo.example"),
        ("https://{tenant}.evil/v1", "demo", OF_TENANT, {"PETSTORE_VAR_TENANT": "demo"}, UNACCEPTED),
        ("{tenant}/v1", "https://a.example", ["https://a.example"], {}, "https://a.example"),
        ("{tenant}/v1", "https://a.example", ["https://a.example"], OTHER, "https://b.example"),
        ("{tenant}/v1", "https://evil.example", ["https://a.example"], {}, UNACCEPTED),
        ("{tenant}://a.example", "https", ["{tenant}://a.example", "https://a.example"], {}, "https://a.example"),
    ],
)
def test_hard_05_a_variable_of_the_host_leads_nowhere_else(
    url: str, default: str, listed: list[str], environ: dict[str, str], expected: str
) -> None:
    entry = {"url": url, "variables": {"tenant": {**TENANT, "default": default}}}
    found = loaded(Catalog(TOOLS, [entry], origins=listed), environ)
    there = reached(lambda: found.server(0))
    assert expected in there if " " in expected else there == expected


# -- Origins in a reloaded table --------------------------------------------------------------------------------------


def test_hard_05_a_running_server_takes_up_no_origin_that_it_did_not_begin_with() -> None:
    """Refuse an origin that reloaded project files add, unless the operator allows it.

    It is not enough that the project's owner has accepted the origin.
    """
    began = Catalog(TOOLS, API, oauth("/t"))
    later = Catalog(TOOLS, API, oauth(AT_LOGIN))
    found = loaded(later, {}, began)
    late = "login.example, an origin that came after this server had started"
    assert late in reached(lambda: found.endpoint("oauth"))
    assert found.warnings == [
        f"The API's description names {late}. Nothing is sent there unless PETSTORE_ALLOW_HOSTS names that host."
    ]
    allowed = loaded(later, {"PETSTORE_ALLOW_HOSTS": "login.example"}, began)
    assert (reached(lambda: allowed.endpoint("oauth")), allowed.warnings) == ("https://login.example", [])
    assert (reached(lambda: loaded(later, {}).endpoint("oauth")), loaded(later, {}).warnings) == (
        "https://login.example",
        [],
    )


@pytest.mark.parametrize("value", ["https://login.example", "login.example/t", "login.example:8443"])
def test_a_host_is_allowed_by_its_name_alone(value: str) -> None:
    catalog: Any = Catalog(TOOLS, API)
    problems = settings.load(catalog, {"PETSTORE_ALLOW_HOSTS": value}).problems
    assert problems == ["PETSTORE_ALLOW_HOSTS must be names of hosts such as login.example.com, joined by commas."]
