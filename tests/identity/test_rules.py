"""Test the rules A1 to A9 at a raw socket, over aiohttp and ASGI: responses to callers with valid and with invalid
tokens.
"""

from __future__ import annotations

import json
import time
from typing import Any, NamedTuple

import pytest

from tests.identity.guarded import CHALLENGE, METADATA, PAGE, SCOPES, URL, Guarded, challenge
from tests.identity.issuer import HOUR
from tests.streamable.client import Fields
from tests.streamable.messages import (
    JSON,
    Session,
    call,
    calling,
    encoded,
    mirrored,
    notification,
    request,
    said,
    stateless,
)
from tests.streamable.upstream import PATIENCE

STREAM: Fields = {"Accept": "text/event-stream"}
UNKNOWN = {**JSON, "Mcp-Session-Id": "x" * 40}


class Bare(NamedTuple):
    """A request without a token.

    Rule A1: the response is 401 with a challenge, for every method, body and revision (with a handshake or stateless).
    """

    name: str
    method: str
    fields: Fields
    body: bytes


LIST = stateless("tools/list")
BARE = [
    Bare("a call", "POST", mirrored(calling("echo")), encoded(calling("echo"))),
    Bare("discovery", "POST", mirrored(stateless("server/discover")), encoded(stateless("server/discover"))),
    Bare("initialize", "POST", JSON, encoded(request("initialize"))),
    Bare("a notification", "POST", JSON, encoded(notification("notifications/initialized"))),
    Bare("no JSON", "POST", JSON, b"{"),
    Bare("a wrong type", "POST", {"Content-Type": "text/plain"}, b"x"),
    Bare("a wrong method", "PUT", {}, b""),
    Bare("a stream", "GET", {**STREAM, "Mcp-Session-Id": "x" * 40}, b""),
    Bare("the end of a session", "DELETE", UNKNOWN, b""),
]


@pytest.mark.parametrize("row", BARE, ids=lambda row: row.name)
def test_a1_without_a_token_there_is_a_challenge(guarded: Guarded, row: Bare) -> None:
    answer = guarded.server.ask(row.method, "/mcp", row.fields, row.body)
    assert answer.status == 401
    told = challenge(answer)
    assert CHALLENGE in told
    assert f'scope="{SCOPES}"' in told
    assert "error" not in told


def test_a1_the_challenge_comes_before_the_body(guarded: Guarded) -> None:
    with guarded.connect() as connection:
        connection.send("POST", fields={**mirrored(LIST), "Content-Length": "1000"})
        assert connection.answer().status == 401


def test_a2_the_metadata_of_the_resource(guarded: Guarded) -> None:
    answer = guarded.server.ask("GET", METADATA)
    assert answer.status == 200
    assert answer.field("content-type") == "application/json"
    assert answer.message == {
        "resource": URL,
        "authorization_servers": [guarded.first.name, guarded.second.name],
        "bearer_methods_supported": ["header"],
        "scopes_supported": SCOPES.split(),
    }
    assert guarded.server.ask("HEAD", METADATA).status == 200
    assert guarded.server.ask("POST", METADATA).status == 405
    assert guarded.server.ask("GET", METADATA + "/").status == 404
    assert guarded.server.ask("GET", METADATA, {"Host": "evil.example.com"}).status == 421
    assert guarded.server.ask("GET", METADATA, {"Origin": "https://evil.example.com"}).status == 403
    page = guarded.server.ask("GET", METADATA, {"Origin": PAGE})
    assert (page.status, page.field("access-control-allow-origin")) == (200, PAGE)
    before = guarded.server.ask("OPTIONS", METADATA, {"Origin": PAGE, "Access-Control-Request-Method": "GET"})
    assert (before.status, before.field("access-control-allow-origin")) == (204, PAGE)


def test_a2_a_page_reads_the_challenge(guarded: Guarded) -> None:
    answer = guarded.call({"Origin": PAGE})
    assert (answer.status, answer.field("access-control-allow-origin")) == (401, PAGE)
    assert "WWW-Authenticate" in (answer.field("access-control-expose-headers") or "")


class In(NamedTuple):
    """A time, given in seconds after the beginning of the test."""

    seconds: float


ACCEPTED: dict[str, dict[str, Any]] = {
    "one audience": {"aud": URL},
    "several audiences": {"aud": ["x", URL]},
    "no client": {"client_id": None},
    "no subject": {"sub": None},
    "scopes as a list": {"scope": None, "scp": SCOPES.split()},
    "ended within the leeway": {"exp": In(-1)},
    "not before within the leeway": {"nbf": In(30)},
    "a time with a fraction": {"exp": In(HOUR + 0.25)},
}


@pytest.mark.parametrize("claims", ACCEPTED.values(), ids=ACCEPTED)
def test_a3_a_valid_token_is_accepted(guarded: Guarded, claims: dict[str, Any]) -> None:
    now = int(time.time())
    told: dict[str, Any] = {name: now + each.seconds if isinstance(each, In) else each for name, each in claims.items()}
    bearer = guarded.bearer(**told)
    for _ in range(2):  # the first call checks the token, the second finds it in the cache
        assert said(guarded.call(bearer).message) == "/echo/hi"


@pytest.mark.parametrize("kind", ["at+jwt", "JWT", "AT+JWT", "application/at+jwt", None])
def test_a3_an_access_token_says_so(guarded: Guarded, kind: str | None) -> None:
    token = guarded.first.signer.token(guarded.first.claims(URL, scope=SCOPES), typ=kind)
    assert guarded.call(guarded.bearer(token)).status == 200


def test_a3_the_second_issuer_has_its_own_keys_and_metadata_of_rfc_8414(guarded: Guarded) -> None:
    token = guarded.second.token(URL, scope=SCOPES)
    assert guarded.call(guarded.bearer(token)).status == 200


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER", "bEaReR"])
def test_a4_the_scheme_in_any_case(guarded: Guarded, scheme: str) -> None:
    token = guarded.bearer()["Authorization"].removeprefix("Bearer ")
    assert guarded.call({"Authorization": f"{scheme} {token}"}).status == 200


def test_a4_two_fields_are_refused(guarded: Guarded) -> None:
    bearer = guarded.bearer()
    assert guarded.call({**bearer, "authorization": bearer["Authorization"]}).status == 400


@pytest.mark.parametrize("value", ["Basic YTpi", "Bearer", "Bearer ", "Token x", ""])
def test_a4_another_scheme_is_no_token(guarded: Guarded, value: str) -> None:
    answer = guarded.call({"Authorization": value})
    assert answer.status == 401
    assert 'error="invalid_token"' in challenge(answer)


def test_a5_a_token_in_the_query_counts_for_nothing(guarded: Guarded) -> None:
    token = guarded.bearer()["Authorization"].removeprefix("Bearer ")
    assert guarded.call({}, path=f"/mcp?access_token={token}").status == 401
    assert guarded.call(guarded.bearer(), path="/mcp?access_token=x").status == 200


@pytest.mark.parametrize(
    "scope", [None, "", "pets:read", "pets:write x", "pets:readpets:write", "PETS:READ pets:write"]
)
def test_a6_too_few_scopes(guarded: Guarded, scope: str | None) -> None:
    """Check that a call with too few scopes gets 403 with all required scopes, before a stream begins.

    The call is made in a revision with a handshake, in the stateless revision, and in a batch.
    """
    bearer = guarded.bearer(scope=scope)
    before = len(guarded.server.upstream.requests)
    answers = [guarded.call(bearer, calling("echo", token="p", text="hi"))]
    session = Session(guarded.server, fields=bearer)
    answers.append(session.ask(call("echo", text="hi")))
    batch = Session(guarded.server, "2025-03-26", fields=bearer)
    answers.append(batch.ask([request("ping", 1), call("echo", 2, text="hi")]))
    for answer in answers:
        assert answer.status == 403
        told = challenge(answer)
        assert 'error="insufficient_scope"' in told
        assert f'scope="{SCOPES}"' in told
        assert CHALLENGE in told
    assert guarded.server.upstream.requests[before:] == []
    listed = guarded.call(bearer, LIST)
    assert listed.status == 200, "what calls nothing needs no scope"


PEOPLE: dict[str, dict[str, Any]] = {
    "another user": {"sub": "bob"},
    "another client": {"client_id": "other"},
}


@pytest.mark.parametrize("claims", PEOPLE.values(), ids=PEOPLE)
def test_a7_what_one_has_another_does_not_see(guarded: Guarded, claims: dict[str, Any]) -> None:
    """Check that only the same issuer, subject and client can use a session, a confirmation state or a stream."""
    mine, theirs = guarded.bearer(), guarded.bearer(**claims)
    session = Session(guarded.server, fields=mine)
    again = guarded.bearer(iat=1)  # another token of the same caller
    for fields, status in ((mine, 200), (again, 200), (theirs, 404)):
        told = guarded.server.ask("POST", "/mcp", {**session.fields, **fields}, encoded(request("ping", 5)))
        assert told.status == status
    foreign = {**session.fields, **theirs}
    assert guarded.server.ask("GET", "/mcp", {**foreign, **STREAM}).status == 404
    assert guarded.server.ask("DELETE", "/mcp", foreign).status == 404
    asked = guarded.call(mine, calling("remove", id="1")).message["result"]
    state, answer = asked["requestState"], {next(iter(asked["inputRequests"])): {"action": "accept", "content": {}}}
    repeated = calling("remove", id="1")
    repeated["params"] |= {"requestState": state, "inputResponses": answer}
    refused = guarded.call(theirs, repeated)
    assert refused.status == 400
    assert refused.message["error"]["code"] == -32602
    assert said(guarded.call(mine, repeated).message) == "/things/1"


def test_a7_the_same_subject_of_another_issuer_is_another(guarded: Guarded) -> None:
    session = Session(guarded.server, fields=guarded.bearer())
    other = guarded.bearer(guarded.second.token(URL, scope=SCOPES))
    assert guarded.server.ask("POST", "/mcp", {**session.fields, **other}, encoded(request("ping"))).status == 404


def test_a9_only_the_servers_own_credential_goes_upstream(guarded: Guarded) -> None:
    heads = guarded.server.upstream.heads
    fields = {**guarded.bearer(), "Cookie": "session=abc", "X-Forwarded-User": "root", "X-Secret": "s3cr3t"}
    before = len(heads)
    assert guarded.call(fields).status == 200
    [head] = heads[before:]
    lines = {line.partition(":")[0].strip().lower() for line in head.decode("latin-1").split("\r\n")[1:] if line}
    assert "x-key" in lines
    assert not lines & {"authorization", "cookie", "x-forwarded-user", "x-secret"}
    assert fields["Authorization"].partition(" ")[2].encode() not in head


def test_a9_the_audit_names_subject_and_client(guarded: Guarded) -> None:
    bearer = guarded.bearer(sub="carol", client_id="desk")
    assert guarded.call(bearer, calling("echo", text="audited")).status == 200
    line: dict[str, Any] = {}
    while line.get("user") != "carol":
        written = guarded.server.lines.get(timeout=PATIENCE)
        assert written is not None
        line = json.loads(written) if written.startswith(b'{"audit"') else {}
    assert line["client"]["id"] == "desk"
    assert line["issuer"] == guarded.first.name
    assert line["principal"].startswith("token:")
    assert (line["tool"], line["outcome"]) == ("echo", "ok")
