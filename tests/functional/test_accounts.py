"""Test several accounts in one server: a server process runs, and raw sockets stand for the APIs of two accounts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from package.runtime.core.catalog import Catalog
from package.runtime.login.scheme import UserScheme
from package.runtime.settings.settings import load

from tests.functional.doors import DOORS, generated, served, told
from tests.functional.test_redirects import Site, moved
from tests.functional.test_removed import answer
from tests.identity.issuer import Issuer
from tests.runtime.process import Server as StdioServer
from tests.streamable.messages import calling, encoded, mirrored, stateless
from tests.streamable.servers import PACKAGE
from tests.streamable.servers import Server as HttpServer
from tests.streamable.upstream import Upstream

EU, US = "eu-k3y-0123456789", "us-k3y-0123456789"
TOOLS = """\
base_url: http://127.0.0.1:9
security: {key: {type: http, scheme: bearer}}
accounts:
  eu: {description: Europe, headers: {X-Region: eu}}
  us: {prefix: WEST}
tools:
  - {name: read_log, description: Reads the log., request: GET /log, redirects: follow}
  - name: delete_log
    description: Deletes the log.
    request: DELETE /log
    confirm: always
  - name: tidy
    description: Tidies.
    arguments: {words: string}
    steps: [{call: read_log}]
"""
URL = "https://mcp.example.com/mcp"
TEXT = "".join(f"line {number}\n" for number in range(20000))


@pytest.fixture
def sites() -> Iterator[tuple[Site, Site]]:
    first, second = Site("127.0.0.1"), Site("localhost")
    with first.listening, second.listening:
        yield first, second


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return generated(tmp_path_factory.mktemp("accounts"), TOOLS, "--parts=audit")


def variables(sites: tuple[Site, Site], **more: str) -> dict[str, str]:
    own = {"BASE_URL": "", "EU_KEY": EU, "EU_BASE_URL": sites[0].url, "WEST_KEY": US, "WEST_BASE_URL": sites[1].url}
    return {**own, **more}


def kept(result: dict[str, Any]) -> str:
    """Return the URI at which the whole of a cut result is."""
    return str(next(block["uri"] for block in result["content"] if "uri" in block)).partition("?")[0]


def credentials(site: Site) -> set[str]:
    return {line for asked in site.asked for line in asked.split("\r\n") if line.startswith("Authorization")}


@pytest.mark.parametrize("door", DOORS)
def test_a_call_has_the_credential_headers_and_server_of_its_account(
    door: str, project: Path, sites: tuple[Site, Site]
) -> None:
    with served(project, door, **variables(sites, WEST_HEADERS="X-Tenant: 7")) as call:
        assert call("read_log", account="eu") == call("read_log", account="us") == "whole"
        assert "whole" in call("tidy", account="us")
    eu, us = sites
    assert (credentials(eu), credentials(us)) == ({f"Authorization: Bearer {EU}"}, {f"Authorization: Bearer {US}"})
    assert (len(eu.asked), len(us.asked)) == (1, 2)
    assert "X-Region: eu" in eu.asked[0]
    assert "X-Tenant" not in eu.asked[0]
    assert all("X-Tenant: 7" in asked and "X-Region" not in asked for asked in us.asked)


@pytest.mark.parametrize("door", DOORS)
def test_a_call_without_a_known_account_sends_nothing(door: str, project: Path, sites: tuple[Site, Site]) -> None:
    with served(project, door, **variables(sites)) as call:
        for arguments in ({}, {"account": "de"}, {"account": None}, {"account": ["eu"]}, {"account": "EU"}):
            said = call("read_log", **arguments)
            assert said.startswith("read_log was not called"), arguments
            assert "account: expected one of eu, us" in said
    assert not (sites[0].asked)
    assert not (sites[1].asked)


@pytest.mark.parametrize("door", DOORS)
def test_an_account_has_no_credential_but_its_own(door: str, project: Path, sites: tuple[Site, Site]) -> None:
    given = variables(sites, KEY="c0mm0n-0123456789")
    del given["WEST_KEY"]
    with served(project, door, **given) as call:
        assert "set CALLER_WEST_KEY" in call("read_log", account="us")
        assert call("read_log", account="eu") == "whole"
    assert not sites[1].asked


def test_a_redirect_takes_no_credential_to_the_origin_of_another_account(
    project: Path, sites: tuple[Site, Site]
) -> None:
    eu, us = sites
    eu.says["/log"] = moved(f"{us.url}/log")
    with served(project, "stdio", **variables(sites)) as call:
        assert "302" in call("read_log", account="eu")
        assert not us.asked
    with served(project, "stdio", **variables(sites, EU_ALLOW_HOSTS="localhost")) as call:
        assert call("read_log", account="eu") == "whole"
    assert len(us.asked) == 1
    assert EU not in us.asked[0]
    assert US not in us.asked[0]


def test_settings_are_inherited_but_what_identifies_an_account(
    project: Path, sites: tuple[Site, Site], tmp_path: Path
) -> None:
    (tmp_path / "fields").write_text("X-Secret: s3cret-0123456789\n")
    more = {"HEADERS": "X-Plan: a", "HEADERS_FILE": str(tmp_path / "fields"), "WEST_RATE_LIMIT": "1/h", "TIMEOUT": "2"}
    with served(project, "stdio", **variables(sites, **more)) as call:
        assert call("read_log", account="us") == "whole"
        assert "no more than 1 request an hour" in call("read_log", account="us")
        assert call("read_log", account="eu") == call("read_log", account="eu") == "whole"
    for asked in (*sites[0].asked, *sites[1].asked):
        assert "X-Plan: a" in asked
        assert "X-Secret" not in asked


def started(project: Path, sites: tuple[Site, Site], **more: str) -> StdioServer:
    environ = {f"CALLER_{name}": value for name, value in variables(sites, **more).items()}
    return StdioServer(project, package=PACKAGE, env=environ)


def test_audit_lines_name_the_account(project: Path, sites: tuple[Site, Site], tmp_path: Path) -> None:
    with started(project, sites, AUDIT=str(tmp_path / "audit")) as server:
        for arguments in ({"account": "eu"}, {"account": "us"}, {}):
            server.result("read_log", **arguments)
    lines = [json.loads(line) for line in (tmp_path / "audit").read_text().splitlines()]
    assert [(line.get("account"), line["outcome"], line["requests"]) for line in lines] == [
        ("eu", "ok", 1),
        ("us", "ok", 1),
        (None, "refused", 0),
    ]


def test_results_of_accounts_are_kept_apart(project: Path, sites: tuple[Site, Site]) -> None:
    for site, text in zip(sites, ("eu ", "us "), strict=True):
        site.says["/log"] = answer((text + TEXT).encode(), "text/plain")
    with started(project, sites, MAX_RESULT="1k tokens", RESULT_TOOL="1") as server:
        answers = [server.result("read_log", account=name) for name in ("eu", "us")]
        assert "call read_result with" in answers[0]["content"][0]["text"]
        uris = [kept(result) for result in answers]
        assert uris == ["caller://result/eu/1", "caller://result/us/1"]
        for uri, begin in zip(uris, ("eu line 0", "us line 0"), strict=True):
            assert server.result("read_result", uri=uri)["content"][0]["text"].startswith(begin)
            assert server.ask("resources/read", uri=uri)["result"]["contents"][0]["text"].startswith(begin)


def test_a_confirmation_for_one_account_is_none_for_another(project: Path, sites: tuple[Site, Site]) -> None:
    """Answer the question at the replica that asked it, and at another one."""

    def said(server: HttpServer, arguments: dict[str, Any], **more: Any) -> Any:
        message = stateless("tools/call", name="delete_log", arguments=arguments, **more)
        return server.ask("POST", "/mcp", mirrored(message), encoded(message)).message.get("result")

    def replica() -> HttpServer:
        return HttpServer(project, _Nowhere(), "aiohttp", None, (), STATE_KEY="k" * 32, **variables(sites))

    with replica() as first, replica() as second:
        for answering in (first, second):
            question = said(first, {"account": "eu"})
            reply = {name: {"action": "accept", "content": {}} for name in question["inputRequests"]}
            again = {"requestState": question["requestState"], "inputResponses": reply}
            other = said(answering, {"account": "us"}, **again)
            assert not sites[1].asked, other
            assert not said(answering, {"account": "eu"}, **again)["isError"]
    assert [asked.split(" ")[0] for asked in sites[0].asked] == ["DELETE", "DELETE"]
    assert credentials(sites[0]) == {f"Authorization: Bearer {EU}"}


def test_a_call_through_the_search_has_its_account(sites: tuple[Site, Site], tmp_path: Path) -> None:
    with started(generated(tmp_path, TOOLS, "--tools=search"), sites) as server:
        for arguments, text in (({"account": "us"}, "whole"), ({}, "account: expected one of eu, us")):
            said = server.ask("tools/call", name="call_tool", arguments={"name": "read_log", "arguments": arguments})
            assert text in told(said["result"])
    assert (credentials(sites[0]), credentials(sites[1])) == (set(), {f"Authorization: Bearer {US}"})


def test_doctor_explain_and_unknown_names_tell_accounts_apart(project: Path, sites: tuple[Site, Site]) -> None:
    environ = {f"CALLER_{name}": value for name, value in variables(sites, EU_READ_ONLY="1", KEY="x").items()}
    del environ["CALLER_WEST_KEY"]
    with StdioServer(project, "--doctor", package=PACKAGE, env=environ) as server:
        assert server.ended() == 1
    shown = server.written.decode()
    assert "Account eu: variables begin with CALLER_EU_." in shown
    assert re.search(r"CALLER_WEST_KEY +missing", shown)
    assert "CALLER_EU_READ_ONLY is no setting of this server" in shown
    assert "CALLER_KEY is no setting of this server" in shown
    with StdioServer(project, "--explain", "read_log", '{"account": "eu"}', package=PACKAGE, env=environ) as server:
        assert server.ended() == 0
    assert "Authorization: Bearer <CALLER_EU_KEY>" in server.written.decode()
    with StdioServer(project, "--explain", "read_log", "{}", package=PACKAGE, env=environ) as server:
        assert server.ended() == 1


LOGIN = """\
base_url: https://api.example.com
security:
  user:
    type: oauth2
    flows:
      authorizationCode: {authorizationUrl: https://a.example.com/a, tokenUrl: https://a.example.com/t, scopes: {}}
accounts: {eu: {}, us: {}}
tools: [{name: read_log, description: Reads the log., request: GET /log}]
"""


def test_logins_of_accounts_are_stored_under_keys_of_their_own(tmp_path: Path) -> None:
    catalog = Catalog.load(str(generated(tmp_path, LOGIN) / PACKAGE))
    found = {}
    for name in ("", "home"):
        for account, (view, own) in load(catalog, {"CALLER_LOGIN_NAME": name}).accounts.items():
            found[name, account] = UserScheme("user", view, own)
    assert len({scheme.key("client") for scheme in found.values()}) == 4
    assert found["", "eu"].command == "caller-mcp login user --account eu"
    assert found["home", "us"].command == "CALLER_LOGIN_NAME=home caller-mcp login user --account us"
    assert found["", "us"].client_variable == "CALLER_US_USER_CLIENT_ID"


def test_install_names_the_logins_of_a_further_entry_and_the_secrets_of_all_accounts(tmp_path: Path) -> None:
    project = generated(tmp_path, LOGIN, "--parts=install")
    (tmp_path / ".cursor").mkdir()
    for name in ("caller", "home"):
        environ = {"HOME": str(tmp_path), "CALLER_EU_USER": EU, "CALLER_US_BASE_URL": "https://us.example.com"}
        words = ("install", "cursor", "--name", name, "--command", "caller-mcp")
        with StdioServer(project, *words, package=PACKAGE, env=environ) as server:
            assert server.ended() == 0, server.written
        assert EU.encode() not in server.written
    entries = json.loads((tmp_path / ".cursor" / "mcp.json").read_text())["mcpServers"]
    common = {"CALLER_EU_USER": "${env:CALLER_EU_USER}", "CALLER_US_BASE_URL": "https://us.example.com"}
    assert entries["caller"]["env"] == common
    assert entries["home"]["env"] == {**common, "CALLER_LOGIN_NAME": "home"}
    assert b"CALLER_LOGIN_NAME=home caller-mcp login" in server.written


# -- Accounts of callers -----------------------------------------------------------------------------------------------


class _Nowhere(Upstream):
    def __init__(self) -> None:
        self.port = 9


def asked(server: HttpServer, token: str, method: str = "tools/call", **params: Any) -> Any:
    message = (
        calling(params.pop("name"), **params)
        if method == "tools/call"
        else {**calling("x"), "method": method, "params": {**params, "_meta": calling("x")["params"]["_meta"]}}
    )
    fields = mirrored(message, Authorization=f"Bearer {token}")
    found = server.ask("POST", fields=fields, body=encoded(message))
    return found.message.get("result", found.message.get("error"))


def callers(folder: Path, accounts: str) -> dict[str, str]:
    """Write the files of callers and of their accounts, and return the settings that name them."""
    tokens = "\n".join(f"{name} {sha256(name.encode()).hexdigest()}" for name in ("ann", "bob", "cem"))
    (folder / "tokens").write_text(tokens)
    (folder / "accounts").write_text(accounts)
    return {"HTTP_TOKENS": str(folder / "tokens"), "CALLER_ACCOUNTS": str(folder / "accounts")}


def test_a_caller_has_the_account_that_the_operator_has_set(
    project: Path, sites: tuple[Site, Site], tmp_path: Path
) -> None:
    for site, text in zip(sites, ("eu ", "us "), strict=True):
        site.says["/log"] = answer((text + TEXT).encode(), "text/plain")
    given = variables(sites, **callers(tmp_path, "# caller account\nann eu\nbob us\n"), MAX_RESULT="1k tokens")
    with HttpServer(project, _Nowhere(), "aiohttp", None, (), STATE_KEY="k" * 32, **given) as server:
        listed = {tool["name"]: tool["inputSchema"] for tool in asked(server, "ann", "tools/list")["tools"]}
        assert all("account" not in schema.get("properties", {}) for schema in listed.values())
        mine = asked(server, "ann", name="read_log")
        assert mine["content"][0]["text"].startswith("eu line 0")
        assert "us line 0" in asked(server, "bob", name="read_log", account="us")["content"][0]["text"]
        assert "account: expected us" in told(asked(server, "bob", name="read_log", account="eu"))
        assert "does not know the account of this caller" in told(asked(server, "cem", name="read_log"))
        assert "does not know the account of this caller" in told(asked(server, "cem", name="read_log", account="eu"))
        uri = kept(mine)
        assert asked(server, "ann", "resources/read", uri=uri)["contents"][0]["text"].startswith("eu line 0")
        assert "contents" not in asked(server, "bob", "resources/read", uri=uri)
    assert (len(sites[0].asked), len(sites[1].asked)) == (1, 1)


def test_a_result_stays_with_its_account_when_the_claim_of_its_caller_changes(
    project: Path, sites: tuple[Site, Site]
) -> None:
    for site in sites:
        site.says["/log"] = answer(TEXT.encode(), "text/plain")
    with Issuer() as issuer:
        given = variables(sites, AUTH_ISSUER=issuer.name, HTTP_URL=URL, MAX_RESULT="1k tokens")
        given |= {"CALLER_ACCOUNTS": "claim:/tenant/name", "STATE_KEY": "k" * 32}
        with HttpServer(project, _Nowhere(), "aiohttp", None, (), **given) as server:
            eu, us, de = (issuer.token(URL, tenant={"name": name}) for name in ("eu", "us", "de"))
            uri = kept(asked(server, eu, name="read_log"))
            assert "contents" in asked(server, eu, "resources/read", uri=uri)
            assert "contents" not in asked(server, us, "resources/read", uri=uri)
            for token in (de, issuer.token(URL)):
                assert "does not know the account" in told(asked(server, token, name="read_log"))
    assert not sites[1].asked


@pytest.mark.parametrize(
    ("accounts", "problem"),
    [
        ("ann de\n", "CALLER_CALLER_ACCOUNTS names the account de, which this server does not have."),
        ("ann eu\nann us\n", "(line 2)"),
        ("ann\n", "(line 1)"),
        ("", "names a file without callers"),
    ],
)
def test_a_file_of_accounts_that_cannot_be_used_ends_the_start(
    project: Path, tmp_path: Path, accounts: str, problem: str
) -> None:
    environ = {f"CALLER_{name}": value for name, value in callers(tmp_path, accounts).items()}
    with StdioServer(project, "--http", "0", package=PACKAGE, env=environ) as server:
        assert server.ended() == 78
    assert problem in server.written.decode()
