"""Test that a server asks its user to log in by a URL, if the client can open URLs. The model never sees the URL."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.login.station import META, Station, visit
from tests.runtime.process import Server

CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
CAN = {**META, CAPABILITIES: {"elicitation": {"url": {}, "form": {}}}}


def serve(store: Station) -> Server:
    return Server(store.project, package="store_mcp", env=store.env)


def message(id_: int, method: str, **params: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": id_, "method": method, "params": params}).encode() + b"\n"


def handshake(server: Server, capabilities: dict[str, Any], revision: str = "2025-11-25") -> None:
    client = {"name": "tests", "version": "1"}
    server.say(
        message(0, "initialize", protocolVersion=revision, capabilities=capabilities, clientInfo=client)
        + b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
    )
    server.message()


def asked(server: Server) -> dict[str, Any]:
    """Return the URL elicitation that the server sends while a call runs."""
    server.say(message(1, "tools/call", name="list_items", arguments={}))
    found: dict[str, Any] = server.message()
    assert found["method"] == "elicitation/create"
    return found


def reply(server: Server, question: dict[str, Any], action: str) -> None:
    server.say(json.dumps({"jsonrpc": "2.0", "id": question["id"], "result": {"action": action}}).encode() + b"\n")


def test_the_call_waits_for_the_login_and_goes_on(store: Station) -> None:
    with serve(store) as server:
        handshake(server, {"elicitation": {"url": {}}})
        question = asked(server)
        params = question["params"]
        assert params.keys() == {"mode", "elicitationId", "url", "message"}
        assert params["mode"] == "url"
        assert params["url"].startswith(f"{store.authority.origin}/authorize?")
        reply(server, question, "accept")
        assert visit(store.authority.agree(params["url"])).status_code == 200
        answer = server.message()
        assert answer["id"] == 1
        assert not answer["result"]["isError"]
        assert params["url"] not in json.dumps(answer)
        assert store.api.tokens == ["Bearer access-2"]
        assert store.authority.grants("refresh_token") == []
    assert "refresh-2" in store.file.read_text()


def test_in_the_stateless_era_the_call_comes_again(store: Station) -> None:
    with serve(store) as server:
        server.say(message(1, "tools/call", name="list_items", arguments={}, _meta=CAN))
        result = server.message()["result"]
        assert result["resultType"] == "input_required"
        (request,) = result["inputRequests"].values()
        assert request["params"].keys() == {"mode", "message", "url"}
        assert visit(store.authority.agree(request["params"]["url"])).status_code == 200
        again = {"inputResponses": {"login": {"action": "accept"}}, "requestState": result["requestState"]}
        server.say(message(2, "tools/call", name="list_items", arguments={}, _meta=CAN, **again))
        answer = server.message()["result"]
        assert (answer["resultType"], answer["isError"]) == ("complete", False)
        assert store.api.tokens == ["Bearer access-2"]


@pytest.mark.parametrize(
    ("action", "told"), [("decline", "does not want to log in"), ("cancel", "closed the question without logging in")]
)
def test_a_user_who_does_not_log_in_is_not_asked_again(store: Station, action: str, told: str) -> None:
    with serve(store) as server:
        handshake(server, {"elicitation": {"url": {}}})
        question = asked(server)
        reply(server, question, action)
        text = server.message()["result"]["content"][0]["text"]
        assert told in text
        assert question["params"]["url"] not in text
    assert store.api.heard == []


@pytest.mark.slow
def test_a_refused_login_ends_the_call_with_a_sentence(store: Station) -> None:
    with serve(store) as server:
        handshake(server, {"elicitation": {"url": {}}})
        question = asked(server)
        reply(server, question, "accept")
        redirect = store.authority.agree(question["params"]["url"]).replace("code=", "error=access_denied&x=")
        assert visit(redirect).status_code == 200
        assert "the login was refused" in server.message()["result"]["content"][0]["text"]


@pytest.mark.parametrize("capabilities", [{}, {"elicitation": {}}, {"elicitation": {"form": {}}}])
def test_a_client_that_opens_no_urls_hears_the_command(store: Station, capabilities: dict[str, Any]) -> None:
    with serve(store) as server:
        handshake(server, capabilities)
        server.say(message(1, "tools/call", name="list_items", arguments={}))
        text = server.message()["result"]["content"][0]["text"]
        assert "run `store-mcp login user`" in text
        assert "http" not in text


@pytest.mark.slow
def test_a_refresh_token_that_has_ended_is_replaced_by_asking(store: Station) -> None:
    store.log_in("--no-browser")
    store.authority.answer("POST", "/revoke", {}, b"token=refresh-2")
    with serve(store) as server:
        handshake(server, {"elicitation": {"url": {}}})
        question = asked(server)
        reply(server, question, "accept")
        assert visit(store.authority.agree(question["params"]["url"])).status_code == 200
        assert not server.message()["result"]["isError"]
        assert len(store.api.heard) == 1
