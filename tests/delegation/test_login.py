"""Test logins by the browser: only the user gets the link, and the login counts for the user who started it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

import pytest

from tests.delegation.authority import CLIENT, SECRET, Authority, callers
from tests.delegation.browser import open_page, submit, ticket_of
from tests.delegation.endpoint import PATIENCE
from tests.delegation.servers import USERS, Api, Server
from tests.streamable.client import Connection
from tests.streamable.messages import JSON, call, encoded, request

LINKS: dict[str, Any] = {"url": {}}
ACCEPT = {"login": {"action": "accept"}}


def login(authority: Authority, **more: str) -> dict[str, str]:
    """Return the settings of a server whose users log in."""
    client = {"OAUTH_CLIENT_ID": CLIENT, "OAUTH_CLIENT_SECRET": SECRET}
    return {"OAUTH_AS": "user", "OAUTH_ISSUER": authority.origin, **client, **more}


class Shared(NamedTuple):
    """The API, the authorization server and the server that the tests of this module share."""

    api: Api
    authority: Authority
    server: Server


@pytest.fixture(scope="module")
def shared(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shared]:
    """Yield one server. Its callers have tokens of the authorization server at which they also log in for the API."""
    with Api() as api, Authority() as authority:
        folder = tmp_path_factory.mktemp("login")
        with Server(project, folder, api, authority, login(authority)) as server:
            yield Shared(api, authority, server)


@pytest.fixture
def authority(shared: Shared) -> Authority:
    """Return the authorization server. It has not seen any user of this test."""
    shared.authority.begin_again()
    return shared.authority


@pytest.fixture
def api(shared: Shared) -> Api:
    """Forget the requests that the API has recorded, and return the API."""
    shared.api.requests.clear()
    shared.api.unaccepted.clear()
    return shared.api


@pytest.fixture
def one(shared: Shared, api: Api, authority: Authority) -> Server:
    """Return the shared server. Each test has users of its own, so that no login of an earlier test counts."""
    shared.server.begin_again()
    return shared.server


@pytest.fixture
def other(project: Path, tmp_path: Path, api: Api, authority: Authority) -> Iterator[Server]:
    """Yield a server whose callers have static tokens, so that an ID token cannot tell which caller has logged in."""
    with Server(project, tmp_path, api, None, login(authority)) as server:
        yield server


def link(server: Server, user: str, tool: str = "list_pets") -> str:
    """Return the login link that a call of the stateless revision 2026-07-28 gets. Check that the model sees nothing of
    the link.
    """
    result = server.as_user(user, tool, LINKS)["result"]
    assert result["resultType"] == "input_required", result
    asked = result["inputRequests"]["login"]
    assert (asked["method"], asked["params"]["mode"]) == ("elicitation/create", "url")
    assert "content" not in result
    return str(asked["params"]["url"])


def again(server: Server, user: str, **more: Any) -> Any:
    """Repeat the call after the login, and return its result."""
    return server.as_user(user, "list_pets", LINKS, inputResponses=ACCEPT, **more)["result"]


def with_query(url: str, **changed: str) -> str:
    """Return the URL with changed query parameters. An empty value removes a parameter."""
    fields = {**dict(parse_qsl(urlsplit(url).query)), **changed}
    return f"{url.partition('?')[0]}?{urlencode({name: value for name, value in fields.items() if value})}"


def test_two_users_log_in(one: Server, api: Api, authority: Authority) -> None:
    for user in ("alice", "bob"):
        page = open_page(one, authority.authorize(link(one, user), user))
        assert (page.status, b"You are logged in" in page.body) == (200, True)
        assert again(one, user)["isError"] is False
        assert one.as_user(user, "add_pet")["result"]["isError"] is False, "also by a client that shows no links"
    assert callers(api.requests) == ["alice", "alice", "bob", "bob"]
    assert [each["grant_type"] for each in authority.forms] == ["authorization_code"] * 2
    users = [each["user"] for each in one.audited()]
    assert users.count(authority.subject("alice")) == users.count(authority.subject("bob")) == 3
    assert api.requests[0].fields["authorization"].split("|")[2] == "openid pets:read pets:write"


def test_a_link_that_another_user_opens_is_of_no_use(one: Server, api: Api, authority: Authority) -> None:
    """Let another user open the login link.

    The ID token shows that it is another user than the one who started the login.
    """
    page = open_page(one, authority.authorize(link(one, "alice"), "bob"))
    assert page.status == 400
    assert b"Another user has logged in" in page.body
    assert link(one, "alice")
    assert link(one, "bob")
    assert api.requests == []


def test_id_tokens_that_are_not_of_the_user(one: Server, authority: Authority) -> None:
    authority.audience = "another-client"
    assert open_page(one, authority.authorize(link(one, "alice"), "alice")).status == 400
    authority.audience, authority.subject_of = "", {"alice": "alice "}
    assert open_page(one, authority.authorize(link(one, "alice"), "alice")).status == 400
    assert link(one, "alice")


def test_where_no_id_token_says_who_it_is_a_page_asks(other: Server, api: Api, authority: Authority) -> None:
    location = authority.authorize(link(other, "alice"), "bob")
    page = open_page(other, location)
    assert page.status == 200
    assert b"Are you alice?" in page.body
    assert authority.forms == [], "nothing is redeemed before the answer"
    assert link(other, "alice"), "and nobody is logged in"
    ticket = ticket_of(page)
    for fields in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example.com"}):
        assert submit(other, location, fields, ticket=ticket).status == 403
    assert submit(other, location, {"Origin": f"http://127.0.0.1:{other.port}"}, ticket=ticket).status == 200
    assert submit(other, location, ticket=ticket).status == 400, "a ticket is good for one use"
    assert again(other, "alice")["isError"] is False
    assert link(other, "bob")
    assert callers(api.requests) == ["bob"]


ATTACKS = {
    "no state": {"state": ""},
    "a state of nobody": {"state": "x" * 200},
    "a state that was changed": {"state": "CHANGED"},
    "another issuer": {"iss": "https://evil.example.com"},
    "no issuer": {"iss": ""},
    "an empty code": {"code": ""},
    "a long code": {"code": "x" * 5000},
    "an error": {"error": "access_denied"},
    "a code of nobody": {"code": "code-0-0"},
}
"""Changes to the redirect with which a user's browser returns to the server."""


def test_redirects_that_log_nobody_in(one: Server, api: Api, authority: Authority) -> None:
    for name, changed in ATTACKS.items():
        location = authority.authorize(link(one, "alice"), "alice")
        if changed.get("state") == "CHANGED":
            state = parse_qs(urlsplit(location).query)["state"][0]
            changed = {"state": state[:40] + ("A" if state[40] != "A" else "B") + state[41:]}
        page = open_page(one, with_query(location, **changed))
        assert page.status == 400, name
        assert b"evil" not in page.body
        assert link(one, "alice"), name
    assert api.requests == []


def test_a_caller_who_repeats_a_login_fills_no_log(
    project: Path, tmp_path: Path, api: Api, authority: Authority
) -> None:
    with Server(project, tmp_path, api, authority, login(authority)) as server:
        for user in USERS:
            location = authority.authorize(link(server, user), user)
            assert open_page(server, with_query(location, iss="https://other.example")).status == 400
            assert open_page(server, authority.authorize(link(server, user), "dave")).status == 400
            assert open_page(server, authority.authorize(link(server, user), user)).status == 200
    written = b"".join(server.written)
    for name in (b"login_mixed_up", b"login_of_another", b"login"):
        assert written.count(b'"event":"%b"' % name) == 1, name


def test_a_state_is_good_for_one_use_one_path_and_one_parameter(one: Server, authority: Authority) -> None:
    location = authority.authorize(link(one, "alice"), "alice")
    assert open_page(one, location.replace("/callback/pets-oauth", "/callback/pets-key")).status == 400
    assert open_page(one, location.replace("?", "?state=x&")).status == 400
    assert open_page(one, f"{location}&redirect_uri=https://evil.example.com/").status == 200
    assert open_page(one, location).status == 400
    assert len(authority.forms) == 1


def test_a_callback_obeys_the_rules_of_host_and_method(one: Server, authority: Authority) -> None:
    location = authority.authorize(link(one, "alice"), "alice")
    assert open_page(one, location, Host="evil.example.com").status == 421
    path = urlsplit(location).path
    assert one.ask("DELETE", path).status == 405
    assert one.ask("POST", path, fields=JSON, body=b"{}").status == 415
    assert one.ask("GET", "/mcp/callbacks").status == 404
    assert open_page(one, location).status == 200


def test_a_login_that_takes_too_long(project: Path, tmp_path: Path, api: Api, authority: Authority) -> None:
    late = {"delegation.login_links.SECONDS": -1.0}
    with Server(project, tmp_path, api, authority, login(authority), constants=late) as server:
        assert open_page(server, authority.authorize(link(server, "alice"), "alice")).status == 400
    assert authority.forms == []


def test_answers_without_a_login(one: Server, api: Api) -> None:
    cases: list[tuple[object, str]] = [
        ({"action": "decline"}, "The user does not want to log in"),
        ({"action": "cancel"}, "The user closed the question"),
        ({"action": "perhaps"}, "The user must log in first, and could not be asked"),
        ("accept", "The user must log in first, and could not be asked"),
    ]
    for reply, told in cases:
        result = one.as_user("alice", "list_pets", LINKS, inputResponses={"login": reply})["result"]
        assert result["isError"] is True
        assert told in result["content"][0]["text"]
    assert api.requests == []


def test_clients_that_cannot_show_links(one: Server, api: Api) -> None:
    found = one.as_user("alice", "list_pets", {"form": {}})
    assert found["error"]["code"] == -32021
    assert found["error"]["data"] == {"requiredCapabilities": {"elicitation": {"url": {}}}}
    assert "this client cannot show the link" in found["error"]["message"]
    assert api.requests == []


class Client:
    """A client of revision 2025-11-25 with a session of the user alice."""

    def __init__(self, server: Server, can: dict[str, Any], user: str = "alice") -> None:
        self._server = server
        self._fields = {**JSON, "Authorization": f"Bearer {server.token(user)}"}
        capabilities = {"elicitation": can}
        hello = request("initialize", 0, clientInfo={}, protocolVersion="2025-11-25", capabilities=capabilities)
        answer = server.ask("POST", fields=self._fields, body=encoded(hello))
        self._fields["Mcp-Session-Id"] = answer.field("mcp-session-id") or ""

    def call(self, connection: Connection, tool: str = "list_pets") -> None:
        connection.send("POST", fields=self._fields, body=encoded(call(tool)))

    def answer(self, id_: str, action: str, server: Server | None = None) -> None:
        reply = {"jsonrpc": "2.0", "id": id_, "result": {"action": action}}
        assert (server or self._server).ask("POST", fields=self._fields, body=encoded(reply)).status == 202


def asked_of(connection: Connection) -> Any:
    """Return the elicitation request on the stream of a call: it must ask the user to open a link."""
    connection.stream()
    message = next(each.message for each in connection.events() if each.data)
    assert message["method"] == "elicitation/create"
    assert message["params"]["mode"] == "url"
    assert message["params"]["elicitationId"]
    return message


def test_a_call_of_the_older_era_waits_for_its_user(one: Server, api: Api, authority: Authority) -> None:
    client = Client(one, {"url": {}})
    with one.connect() as connection:
        client.call(connection)
        asked = asked_of(connection)
        client.answer(asked["id"], "accept")
        assert open_page(one, authority.authorize(asked["params"]["url"], "alice")).status == 200
        result = connection.messages()[-1]["result"]
    assert result["isError"] is False
    assert callers(api.requests) == ["alice"]


def test_a_call_of_the_older_era_ends_if_its_user_does_not_want(one: Server, api: Api) -> None:
    client = Client(one, {"url": {}})
    with one.connect() as connection:
        client.call(connection)
        client.answer(asked_of(connection)["id"], "decline")
        assert "does not want to log in" in connection.messages()[-1]["result"]["content"][0]["text"]
    assert api.requests == []


def test_older_clients_that_cannot_show_links(one: Server) -> None:
    client = Client(one, {"form": {}})
    with one.connect() as connection:
        client.call(connection)
        result = connection.answer().message["result"]
    assert result["isError"] is True
    assert "this client cannot show the link" in result["content"][0]["text"]


def test_logins_are_renewed_for_their_user_until_they_are_revoked(one: Server, api: Api, authority: Authority) -> None:
    authority.seconds = 0  # each token has expired when it arrives
    for user in ("alice", "bob"):
        open_page(one, authority.authorize(link(one, user), user))
    for _ in range(3):
        for user in ("alice", "bob"):
            one.as_user(user, "list_pets", LINKS)
    assert callers(api.requests) == ["alice", "bob"] * 3
    authority.revoked.add("alice")
    assert link(one, "alice")
    assert one.as_user("bob", "list_pets", LINKS)["result"]["isError"] is False


def test_many_calls_renew_once(one: Server, api: Api, authority: Authority) -> None:
    open_page(one, authority.authorize(link(one, "alice"), "alice"))
    one.as_user("alice", "list_pets")
    stale = api.requests[-1].fields["authorization"].removeprefix("Bearer ")
    api.unaccepted.add(stale)
    threads = [threading.Thread(target=one.as_user, args=("alice", "list_pets")) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(PATIENCE)
    assert len([each for each in authority.forms if each["grant_type"] == "refresh_token"]) == 1
    assert one.as_user("alice", "list_pets")["result"]["isError"] is False


def test_a_link_says_nothing_to_whoever_reads_it(one: Server) -> None:
    """Check that a login link does not reveal the PKCE verifier or the caller: `state` contains both encrypted.

    The log and the audit file never contain the link.
    """
    url = link(one, "alice")
    asked = dict(parse_qsl(urlsplit(url).query))
    assert set(asked) == {
        *("response_type", "client_id", "redirect_uri", "state", "code_challenge", "code_challenge_method"),
        *("nonce", "scope"),
    }
    assert asked["redirect_uri"] == f"http://127.0.0.1:{one.port}/mcp/callback/pets-oauth"
    assert "alice" not in url
    assert asked["state"] not in b"".join(one.written).decode()
    assert json.dumps(url)[1:-1] not in one.audit.read_text()
