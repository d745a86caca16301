"""Test variables of server URLs that calls give: a server process runs, and raw sockets stand for the tenants."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.functional.doors import DOORS, generated, served
from tests.functional.test_redirects import Site, moved
from tests.functional.test_removed import answer

KEY = "k3y-0123456789abcdef"
TOOLS = """\
base_url: http://127.0.0.{{tenant}}:{port}/{{base}}
variables:
  tenant: {{default: '1', argument: true, pattern: '{pattern}'}}
  base: {{default: v1}}
security: {{key: {{type: http, scheme: bearer}}}}
tools:
  - {{name: read_log, description: Reads the log., request: GET /log, redirects: follow}}
  - {{name: find, description: Finds., request: GET /find, arguments: {{words: string}}}}
"""


@pytest.fixture(scope="module")
def sites() -> Iterator[tuple[Site, Site]]:
    """Yield the APIs of two tenants, which differ in their host alone."""
    first = Site("127.0.0.1")
    second = Site("127.0.0.2", ("127.0.0.2", first.listening.getsockname()[1]))
    with first.listening, second.listening:
        yield first, second


def made(folder: Path, sites: tuple[Site, Site], pattern: str) -> Path:
    return generated(folder, TOOLS.format(port=sites[0].url.rpartition(":")[2], pattern=pattern))


@pytest.mark.parametrize("door", DOORS)
def test_an_argument_chooses_the_host_of_a_call(door: str, sites: tuple[Site, Site], tmp_path: Path) -> None:
    for site in sites:
        site.asked.clear()
    with served(made(tmp_path, sites, "[0-9]{1,3}"), door, KEY=KEY, VAR_BASE="v2", BASE_URL="") as call:
        assert call("read_log", tenant="1") == call("find", tenant="2", words="a") == "whole"
        assert call("find", tenant="2") == "whole"
    heads = [[asked.split("\r\n")[:2] for asked in site.asked] for site in sites]
    port = sites[0].url.rpartition(":")[2]
    assert heads[0] == [["GET /v2/log HTTP/1.1", f"Host: 127.0.0.1:{port}"]]
    assert heads[1] == [
        ["GET /v2/find?words=a HTTP/1.1", f"Host: 127.0.0.2:{port}"],
        ["GET /v2/find HTTP/1.1", f"Host: 127.0.0.2:{port}"],
    ]
    assert all(f"Authorization: Bearer {KEY}" in asked for site in sites for asked in site.asked)


OF_ACCOUNTS = """\
base_url: http://127.0.0.{{tenant}}:{port}/v1
variables: {{tenant: {{default: '1', argument: true, pattern: '[12]'}}}}
security: {{key: {{type: http, scheme: bearer}}}}
accounts: {{eu: {{}}, us: {{}}}}
tools:
  - {{name: read_log, description: Reads the log., request: GET /log, redirects: follow}}
  - name: tidy
    description: Tidies.
    arguments: {{shop: string required}}
    steps: [{{call: read_log, with: {{tenant: '{{shop}}'}}}}]
"""


@pytest.mark.parametrize("door", DOORS)
def test_a_call_chooses_its_tenant_and_its_account(door: str, sites: tuple[Site, Site], tmp_path: Path) -> None:
    for site in sites:
        site.asked.clear()
    project = generated(tmp_path, OF_ACCOUNTS.format(port=sites[0].url.rpartition(":")[2]))
    with served(project, door, EU_KEY=f"{KEY}-eu", US_KEY=f"{KEY}-us", BASE_URL="") as call:
        assert call("read_log", account="us", tenant="2") == "whole"
        assert call("tidy", account="eu", shop="1") == '{"result":"whole"}'
        assert "tenant: expected text that matches" in call("read_log", account="eu", tenant="3")
        assert "account: expected one of eu, us" in call("read_log", tenant="1")
        assert "tenant: is not an argument" in call("tidy", account="eu", shop="1", tenant="1")
    for site, account in zip(sites, ("eu", "us"), strict=True):
        [asked] = site.asked
        assert f"Authorization: Bearer {KEY}-{account}\r\n" in asked


LEAVING = (
    "2:9",
    "2/..",
    "2/v3",
    "2@127.0.0.1",
    "2#",
    "2?x=",
    "2\\",
    "2%2f",
    "",
    ".",
    "..",
    "2.",
    " 2",
    "2\n",
    "\u0662",
    "x" * 300,
)
"""Values that would end the host, or begin a port, a path, a query or a fragment."""


@pytest.mark.parametrize("door", DOORS)
def test_a_value_that_leaves_its_place_is_refused_whatever_the_pattern_allows(
    door: str, sites: tuple[Site, Site], tmp_path: Path
) -> None:
    for site in sites:
        site.asked.clear()
    with served(made(tmp_path, sites, ".*"), door, KEY=KEY, BASE_URL="") as call:
        for value in LEAVING:
            said = call("read_log", tenant=value)
            assert said.startswith("read_log was not called"), value
            assert "tenant: expected text that matches" in said, value
        others: list[Any] = [None, 2.5, ["2"], {}]
        for other in others:
            assert call("read_log", tenant=other).startswith("read_log was not called"), other
        assert call("read_log").startswith("read_log was not called")
        assert "must be a URL" not in call("read_log", tenant="2.example.com")
    assert not any(site.asked for site in sites)


@pytest.mark.parametrize("door", DOORS)
def test_a_value_outside_of_its_pattern_is_refused(door: str, sites: tuple[Site, Site], tmp_path: Path) -> None:
    for site in sites:
        site.asked.clear()
    with served(made(tmp_path, sites, "1|12"), door, KEY=KEY, BASE_URL="") as call:
        for value in ("2", "21", "122", "112"):
            assert "tenant: expected text that matches ^(?:1|12)$" in call("read_log", tenant=value)
    assert not any(site.asked for site in sites)


def test_no_redirect_takes_a_credential_to_another_tenant(sites: tuple[Site, Site], tmp_path: Path) -> None:
    first, second = sites
    first.says["/v1/log"] = moved(f"{second.url}/v1/log")
    second.asked.clear()
    with served(made(tmp_path, sites, "[12]"), "stdio", KEY=KEY) as call:
        assert "302" in call("read_log", tenant="1")
    assert not second.asked
    first.says.clear()


def test_a_base_url_of_the_operator_stands_for_all_tenants(sites: tuple[Site, Site], tmp_path: Path) -> None:
    first, second = sites
    second.asked.clear()
    with served(made(tmp_path, sites, "[12]"), "stdio", KEY=KEY, BASE_URL=f"{first.url}/x") as call:
        first.says["/x/find"] = answer(b"here", "text/plain")
        assert call("find", tenant="2") == "here"
    assert not second.asked


SESSION = """\
base_url: http://127.0.0.{{tenant}}:{port}
variables: {{tenant: {{default: '1', argument: true, enum: ['1', '2']}}}}
security: {{session: {{type: apiKey, in: cookie, name: sid}}}}
login:
  operation: POST /login
  scheme: session
  token: cookie:sid
  fields: {{name: USERNAME, word: PASSWORD}}
tools:
  - {{name: read_log, description: Reads the log., request: GET /log}}
  - name: login
    description: Logs in.
    request: POST /login
    security: none
    arguments: {{name: string, word: string}}
"""


def test_the_cookie_of_a_login_goes_to_no_other_tenant(sites: tuple[Site, Site], tmp_path: Path) -> None:
    first, second = sites
    first.asked.clear()
    second.asked.clear()
    first.says["/login"] = answer(b"{}", "application/json", "200 OK", "Set-Cookie: sid=s3ss10n")
    project = generated(tmp_path, SESSION.format(port=first.url.rpartition(":")[2]))
    variables = {"SESSION_USERNAME": "ann", "SESSION_PASSWORD": "pass-w0rd"}
    with served(project, "stdio", **variables) as call:
        assert call("read_log", tenant="1") == "whole"
        assert "which no other origin gets" in call("read_log", tenant="2")
    assert "Cookie: sid=s3ss10n" in first.asked[-1]
    assert not second.asked
