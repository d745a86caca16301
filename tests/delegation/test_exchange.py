"""Test token exchange (RFC 8693) and on-behalf-of (RFC 7523): each call has its caller's rights at the API.

The caller's own token is sent only to the token endpoint.
"""

from __future__ import annotations

import concurrent.futures
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.delegation.authority import URN, Authority, callers, refusal
from tests.delegation.servers import Api, Server, exchange
from tests.streamable.messages import meta


def _behalf(**more: str) -> dict[str, str]:
    return {**exchange(), "OAUTH_AS": "on-behalf-of", **more}


@pytest.mark.parametrize("settings", [exchange, _behalf], ids=["exchange", "on behalf of"])
def test_two_callers_are_two_subjects(
    project: Path, tmp_path: Path, api: Api, authority: Authority, settings: Callable[[], dict[str, str]]
) -> None:
    with Server(project, tmp_path, api, authority, settings()) as server:
        for user in ("alice", "bob", "alice", "bob"):
            assert server.as_user(user, "list_pets")["result"]["isError"] is False
        assert callers(api.requests) == ["alice", "bob", "alice", "bob"]
        assert len(authority.forms) == 2, "one token a caller"
        for each in api.requests:
            server.search(each.raw)
        assert [each["user"] for each in server.audited()] == ["alice", "bob", "alice", "bob"]


def test_what_the_token_endpoint_is_asked(project: Path, tmp_path: Path, api: Api, authority: Authority) -> None:
    more = {"OAUTH_AUDIENCE": "pets-api", "OAUTH_RESOURCE": "https://pets.example.com", "OAUTH_SUBJECT_TYPE": "jwt"}
    settings = exchange(**more, OAUTH_ACTOR_TOKEN="the-actor-token")
    with Server(project, tmp_path, api, authority, settings) as server:
        server.as_user("alice", "list_pets")
        server.as_user("alice", "add_pet")
        proof = server.token("alice")
    asked = {
        "grant_type": f"{URN}grant-type:token-exchange",
        "subject_token": proof,
        "subject_token_type": f"{URN}token-type:jwt",
        "requested_token_type": f"{URN}token-type:access_token",
        "actor_token": "the-actor-token",
        "actor_token_type": f"{URN}token-type:access_token",
        "audience": "pets-api",
        "resource": "https://pets.example.com",
    }
    assert authority.forms == [asked | {"scope": "pets:read"}, asked | {"scope": "pets:write"}]


def test_the_callers_rights_go_before_the_servers_own(
    project: Path, tmp_path: Path, api: Api, authority: Authority
) -> None:
    """Call operations that accept the caller's token or the server's own key.

    The key must be used only where no token of the caller is accepted.
    """
    with Server(project, tmp_path, api, authority, exchange(KEY="the-key-of-the-server")) as server:
        server.as_user("alice", "read_either")
        server.as_user("alice", "read_keyed")
    assert callers(api.requests) == ["alice", ""]
    assert [each.fields.get("x-key") for each in api.requests] == [None, "the-key-of-the-server"]


def test_a_caller_who_is_refused_stops_nobody_else(
    project: Path, tmp_path: Path, api: Api, authority: Authority
) -> None:
    """Refuse a token for one caller.

    Other callers get their tokens, and no second request for the first caller follows at once.
    """
    authority.refused.add("alice")
    with Server(project, tmp_path, api, authority, exchange()) as server:
        first, again = (server.as_user("alice", "list_pets") for _ in range(2))
        assert server.as_user("bob", "list_pets")["result"]["isError"] is False
    text = first["result"]["content"][0]["text"]
    assert text == f"list_pets was not called. 127.0.0.1:{authority.port} gave no access token for the caller: " + (
        "HTTP 400, invalid_grant."
    )
    assert "The next attempt is made in" in again["result"]["content"][0]["text"]
    assert callers(api.requests) == ["bob"]
    assert len(authority.forms) == 2


def test_a_token_that_the_api_refuses_is_fetched_again_for_the_same_caller(
    project: Path, tmp_path: Path, api: Api, authority: Authority
) -> None:
    with Server(project, tmp_path, api, authority, exchange()) as server:
        server.as_user("alice", "list_pets")
        api.unaccepted.add(api.requests[-1].fields["authorization"].removeprefix("Bearer "))
        assert server.as_user("alice", "list_pets")["result"]["isError"] is False
    assert callers(api.requests) == ["alice"] * 3
    assert len(authority.forms) == 2


ANSWERS: list[tuple[tuple[int, bytes], str]] = [
    (refusal("invalid_client", 401), "does not let this server act for its callers with PETS_OAUTH_CLIENT_ID and"),
    ((302, b""), "redirects requests for access tokens, which is not followed"),
    ((200, b"<html>"), "answered without an access token that can be sent"),
    ((200, b'{"access_token":"a\\nb"}'), "answered without an access token that can be sent"),
    ((200, json.dumps({"access_token": "x" * 20_000}).encode()), "without an access token that can be sent"),
    ((200, b'{"access_token":"abc","token_type":"mac"}'), "gave an access token that is no bearer token"),
    ((200, b" " * 70_000 + b'{"access_token":"abc"}'), "answered without an access token that can be sent"),
    ((200, b'{"error":"bad_verification_code"}'), "gave no access token for the caller, and no reason of the standard"),
    ((500, b'{"error":"<script>"}'), "gave no access token for the caller: HTTP 500."),
]
"""Responses of a token endpoint that contain no usable token, and a part of the error that the model gets for each."""


def test_answers_that_give_no_token(project: Path, tmp_path: Path, api: Api, authority: Authority) -> None:
    names = tuple(f"user{number}" for number in range(len(ANSWERS)))
    with Server(project, tmp_path, api, authority, exchange(), names) as server:
        for name, (authority.strange, told) in zip(names, ANSWERS, strict=True):
            result = server.as_user(name, "list_pets")["result"]
            assert result["isError"] is True
            assert told in result["content"][0]["text"]
    assert api.requests == []


def test_metadata_of_another_issuer_are_not_believed(
    project: Path, tmp_path: Path, api: Api, authority: Authority
) -> None:
    with Server(project, tmp_path, api, authority, exchange()) as server:
        server.until_ready()
        token = server.token("alice")
        authority.said = "https://another.example.com"
        result = server.as_user("alice", "list_pets")["result"]
        assert token == server.token("alice")
    assert "are of another issuer" in result["content"][0]["text"]
    assert authority.forms == []


@pytest.mark.parametrize("users", [pytest.param(2, id="two"), pytest.param(50, marks=pytest.mark.slow, id="fifty")])
def test_no_token_serves_another_caller(
    project: Path, tmp_path: Path, api: Api, authority: Authority, users: int
) -> None:
    """Interleave calls of several callers, each on its own connection. Fifty callers make 10,000 calls.

    The trace context tells the API which caller made each request.
    """
    names = tuple(f"user{number}" for number in range(users))
    turns = 200 if users > 2 else 20
    with Server(project, tmp_path, api, authority, exchange(), names) as server:

        def calls(name: str) -> None:
            with server.connect() as connection:
                for turn in range(turns):
                    tool = ("list_pets", "add_pet")[turn % 2]
                    said = server.by(connection, name, tool, _meta=_traced(name))
                    assert said["result"]["isError"] is False

        with concurrent.futures.ThreadPoolExecutor(users) as pool:
            list(pool.map(calls, names))
    traced = [int(each.fields["traceparent"].split("-")[1], 16) for each in api.requests]
    assert len(api.requests) == users * turns
    assert callers(api.requests) == [f"user{number - 1}" for number in traced]
    wanted = {"GET": "pets:read", "POST": "pets:write"}
    assert all(each.fields["authorization"].split("|")[2] == wanted[each.method] for each in api.requests)
    for each in api.requests:
        server.search(each.raw)
    assert len(authority.forms) == 2 * users, "one token for each caller and set of scopes"


def _traced(name: str) -> dict[str, Any]:
    """Return the `_meta` of a call with a trace context that identifies the caller independently of credentials."""
    number = int(name.removeprefix("user")) + 1
    return meta(traceparent=f"00-{number:032x}-{1:016x}-01")
