"""Test access tokens by client credentials at raw sockets: the requests to the token endpoint, and who never sees
tokens.
"""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from package.runtime.calls.execution import ToolExecutor
from package.runtime.core.wire_formats import Result
from package.runtime.http import sending
from package.runtime.oauth.tokens import EARLY
from package.runtime.settings import settings

from tests.runtime.client_scene import silence
from tests.runtime.table_stub import Catalog
from tests.runtime.test_calls import quiet, text
from tests.runtime.upstream import OK, Connection, Play, Upstream, answer, answer_ok, serving
from tests.scheme_entries import oauth

CLIENT, SECRET = "client 7", "s3cret/with+signs&=%"
ENVIRON = {"PETSTORE_OAUTH_CLIENT_ID": CLIENT, "PETSTORE_OAUTH_CLIENT_SECRET": SECRET}
VARIABLES = {
    "value": "PETSTORE_OAUTH",
    "client_id": "PETSTORE_OAUTH_CLIENT_ID",
    "client_secret": "PETSTORE_OAUTH_CLIENT_SECRET",
    "token_url": "PETSTORE_OAUTH_TOKEN_URL",
}
TOOLS: dict[str, dict[str, Any]] = {
    name: {"binding": {"method": method, "path": [f"/{name}"], "security": [["oauth"]], **more}}
    for name, method, more in [
        ("look", "GET", {"scopes": {"oauth": ["read"]}}),
        ("look_again", "GET", {"scopes": {"oauth": ["read"]}}),
        ("write", "POST", {"scopes": {"oauth": ["read", "write"]}}),
        ("put", "PUT", {}),
    ]
}
LOGIN = b"Authorization: Basic " + base64.b64encode(b"client+7:s3cret%2Fwith%2Bsigns%26%3D%25")
UNAUTHORIZED = b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n"
Scene = Callable[[ToolExecutor, Upstream, Upstream], Awaitable[None]]


def said(status: int, **content: Any) -> bytes:
    body = json.dumps(content).encode()
    head = f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def tokens(*names: str, **more: Any) -> Play:
    """Return a token endpoint that issues the next of the tokens `names` at each request."""
    return answer(*(said(200, access_token=name, token_type="bearer", **more) for name in names))


class Clock:
    """Replacement for the event loop's clock. It moves only when the test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def run(
    scene: Scene,
    issue: Play,
    api: Play = answer_ok,
    environ: dict[str, str] = ENVIRON,
    clock: Clock | None = None,
    path: str = "/token/?tenant=1",
    key: str = "token_url",
) -> None:
    async def main() -> None:
        async with serving(api) as upstream, serving(issue) as issuer:
            entry = oauth(VARIABLES, **{key: str(issuer.address()) + path})
            servers = [{"url": str(upstream.address("/v1"))}]
            catalog: Any = Catalog(TOOLS, servers, security={"oauth": entry})
            caller = ToolExecutor(catalog, settings.load(catalog, environ))
            if clock is not None:
                caller.lasting.sender._fetched()._clock = clock
            await asyncio.wait_for(scene(caller, upstream, issuer), 30)
            await caller.close()

    asyncio.run(main())


def bearers(upstream: Upstream) -> list[str]:
    """Return the tokens that the API received, in order."""
    heads = [request.decode().partition("\r\n\r\n")[0].split("\r\n") for request in upstream.requests]
    return [field.removeprefix("Authorization: Bearer ") for head in heads for field in head if "Bearer" in field]


async def look(caller: ToolExecutor, name: str = "look") -> Result:
    return await caller.call(name, {}, quiet)


def test_the_grant_as_it_is_asked_for_and_the_token_as_it_is_used() -> None:
    async def scene(caller: ToolExecutor, upstream: Upstream, issuer: Upstream) -> None:
        assert text(await look(caller)) == "ok"
        head, _, body = issuer.requests[0].partition(b"\r\n\r\n")
        assert head.startswith(b"POST /token/?tenant=1 HTTP/1.1\r\n")
        assert LOGIN in head.split(b"\r\n")
        assert b"Content-Type: application/x-www-form-urlencoded" in head.split(b"\r\n")
        assert body == b"grant_type=client_credentials&scope=read"
        assert bearers(upstream) == ["token-one"]
        assert b"s3cret" not in b"".join(upstream.requests)

    run(scene, tokens("token-one"))


def test_a_token_is_kept_and_there_is_one_for_each_set_of_scopes() -> None:
    async def scene(caller: ToolExecutor, upstream: Upstream, issuer: Upstream) -> None:
        for name in ("look", "look", "look_again", "write", "put", "write"):
            await look(caller, name)
        assert bearers(upstream) == ["token-1", "token-1", "token-1", "token-2", "token-3", "token-2"]
        assert [request.partition(b"\r\n\r\n")[2] for request in issuer.requests] == [
            b"grant_type=client_credentials&scope=read",
            b"grant_type=client_credentials&scope=read+write",
            b"grant_type=client_credentials",
        ]

    run(scene, tokens("token-1", "token-2", "token-3"))


def test_a_ready_token_wins_and_nothing_is_fetched() -> None:
    async def scene(caller: ToolExecutor, upstream: Upstream, issuer: Upstream) -> None:
        await look(caller)
        assert bearers(upstream) == ["ready-token"]
        assert issuer.connections == 0

    run(scene, tokens("never"), environ={**ENVIRON, "PETSTORE_OAUTH": "ready-token"})


@pytest.mark.parametrize(
    ("life", "good", "over"),
    [
        ({"expires_in": 3600}, 3600 - EARLY - 1, 3600 - EARLY),
        ({"expires_in": "100"}, 74, 75),
        ({"expires_in": 0}, None, 0),
        ({}, 10**9, None),
        ({"expires_in": "soon"}, 10**9, None),
        ({"expires_in": True}, 10**9, None),
    ],
)
def test_a_token_is_renewed_before_its_end(life: dict[str, Any], good: float | None, over: float | None) -> None:
    clock = Clock()

    async def scene(caller: ToolExecutor, upstream: Upstream, issuer: Upstream) -> None:
        await look(caller)
        began = clock.now
        for after, expected in ((good, "token-1"), (over, "token-2")):
            if after is not None:
                clock.now = began + after
                await look(caller)
                assert bearers(upstream)[-1] == expected

    run(scene, tokens("token-1", "token-2", **life), clock=clock)


def test_a_token_that_still_holds_is_used_where_no_other_can_be_had() -> None:
    clock = Clock()
    first = said(200, access_token="token-1", expires_in=3600)

    async def scene(caller: ToolExecutor, upstream: Upstream, issuer: Upstream) -> None:
        await look(caller)
        clock.now += 3599
        assert text(await look(caller)) == "ok"
        assert (bearers(upstream), len(issuer.requests)) == (["token-1", "token-1"], 2)
        clock.now += 1
        assert (await look(caller)).is_error
        assert len(upstream.requests) == 2

    run(scene, answer(first, said(503)), clock=clock)


def test_many_calls_wait_for_one_token_and_one_that_is_cancelled_leaves_it_to_the_others() -> None:
    gate = asyncio.Event()

    async def issue(connection: Connection) -> None:
        await connection.request()
        await gate.wait()
        await connection.send(said(200, access_token="token-1"))

    async def scene(caller: ToolExecutor, upstream: Upstream, issuer: Upstream) -> None:
        calls = [asyncio.ensure_future(look(caller)) for _ in range(50)]
        while not issuer.requests:
            await asyncio.sleep(0)
        calls[0].cancel()
        gate.set()
        results = await asyncio.gather(*calls, return_exceptions=True)
        assert isinstance(results[0], asyncio.CancelledError)
        assert [text(each) for each in results[1:] if isinstance(each, Result)] == ["ok"] * 49
        assert len(issuer.requests) == 1
        assert bearers(upstream) == ["token-1"] * 49

    run(scene, issue)


def refusing(*old: str) -> Play:
    """Return an API that answers requests with these tokens with 401."""

    async def play(connection: Connection) -> None:
        while request := await connection.request():
            known = any(f"Bearer {token}\r\n".encode() in request for token in old)
            await connection.send(UNAUTHORIZED if known else b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

    return play


@pytest.mark.parametrize("name", ["look", "put"])
def test_after_a_401_a_request_that_may_be_repeated_is_repeated_once_with_another_token(name: str) -> None:
    async def scene(caller: ToolExecutor, upstream: Upstream, issuer: Upstream) -> None:
        assert text(await look(caller, name)) == "ok"
        assert bearers(upstream) == ["token-1", "token-2"]

    async def in_vain(caller: ToolExecutor, upstream: Upstream, issuer: Upstream) -> None:
        result = await look(caller, name)
        assert result.is_error
        assert "HTTP 401" in text(result)
        assert bearers(upstream) == ["token-1", "token-2"]

    run(scene, tokens("token-1", "token-2"), refusing("token-1"))
    run(in_vain, tokens("token-1", "token-2", "token-3"), refusing("token-1", "token-2"))


def test_rel_04_a_post_is_not_repeated_but_the_next_one_has_another_token() -> None:
    async def scene(caller: ToolExecutor, upstream: Upstream, issuer: Upstream) -> None:
        assert (await look(caller, "write")).is_error
        assert bearers(upstream) == ["token-1"]
        assert text(await look(caller, "write")) == "ok"
        assert bearers(upstream) == ["token-1", "token-2"]

    run(scene, tokens("token-1", "token-2"), refusing("token-1"))


def test_calls_that_are_refused_together_share_the_next_token() -> None:
    async def scene(caller: ToolExecutor, upstream: Upstream, issuer: Upstream) -> None:
        results = await asyncio.gather(*(look(caller) for _ in range(20)))
        assert [text(each) for each in results] == ["ok"] * 20
        assert len(issuer.requests) == 2

    run(scene, tokens("token-1", "token-2", "token-3"), refusing("token-1"))


def test_a_server_that_wants_id_and_secret_in_the_body_is_given_them_there() -> None:
    async def issue(connection: Connection) -> None:
        request = await connection.request()
        good = b"client_secret=s3cret%2Fwith%2Bsigns%26%3D%25" in request and b"client_id=client+7&" in request
        await connection.send(said(200, access_token="x", expires_in=0) if good else said(401, error="invalid_client"))

    async def scene(caller: ToolExecutor, upstream: Upstream, issuer: Upstream) -> None:
        for _ in range(2):
            assert text(await look(caller)) == "ok"
        assert ["Authorization" in request.decode() for request in issuer.requests] == [True, False, False]

    run(scene, issue)


SERVER = "127.0.0.1:{port}"
NAMES = "PETSTORE_OAUTH_CLIENT_ID with PETSTORE_OAUTH_CLIENT_SECRET"
ECHO = f"bad {SECRET} {CLIENT}"


@pytest.mark.parametrize(
    ("issue", "sentence"),
    [
        (answer(said(401, error="invalid_client", error_description=ECHO)), f"for {NAMES}: HTTP 401, invalid_client."),
        (answer(said(400, error=ECHO)), f"{SERVER} gave no access token for {NAMES}: HTTP 400."),
        (answer(said(400, error="invalid_scope")), "no access token with the scopes read: HTTP 400, invalid_scope."),
        (answer(said(500, error=ECHO)), f"{SERVER} gave no access token: HTTP 500."),
        (answer(said(200, error=ECHO)), f"{SERVER} answered without an access token that can be sent."),
        (answer(said(200, access_token="a\nb")), f"{SERVER} answered without an access token that can be sent."),
        (answer(said(200, access_token="x" * 16_385)), f"{SERVER} answered without an access token that can be sent."),
        (answer(said(200, access_token="x", token_type="mac")), f"{SERVER} gave an access token that is no bearer"),
        (
            answer(b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n"),
            f"{SERVER} redirects requests for access tokens, which is not followed.",
        ),
        (answer(b"garbage\r\n\r\n"), f"No access token could be fetched: {SERVER} did not answer in HTTP"),
    ],
)  # fmt: skip
def test_what_the_token_endpoint_answers_wrongly_is_said_in_our_words(
    issue: Play, sentence: str, capfd: pytest.CaptureFixture[str]
) -> None:
    async def scene(caller: ToolExecutor, upstream: Upstream, issuer: Upstream) -> None:
        result = await look(caller)
        assert result.is_error
        assert text(result).startswith("look was not called. ")
        assert sentence.replace("{port}", str(issuer.port)) in text(result)
        assert SECRET not in text(result)
        assert CLIENT not in text(result)
        assert upstream.connections == 0

    run(scene, issue)
    assert SECRET not in capfd.readouterr().err


def test_up_06_one_deadline_covers_the_token_too() -> None:
    TOOLS["hurried"] = {"binding": {**TOOLS["look"]["binding"], "timeout": 0.05}}

    async def scene(caller: ToolExecutor, upstream: Upstream, issuer: Upstream) -> None:
        result = await look(caller, "hurried")
        assert text(result) == f"hurried was not called. 127.0.0.1:{issuer.port} gave no access token in time."

    run(scene, silence)


def test_cred_06_a_token_that_was_fetched_is_redacted_like_any_secret() -> None:
    token = "fetched-token-0123456789"

    async def api(connection: Connection) -> None:
        while request := await connection.request():
            body = json.dumps({"you": request.decode()}).encode()
            head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            await connection.send(head.encode() + body)

    async def scene(caller: ToolExecutor, upstream: Upstream, issuer: Upstream) -> None:
        said_ = text(await look(caller))
        assert "Bearer [redacted]" in said_
        assert token not in said_

    run(scene, tokens(token), api)


@pytest.mark.parametrize(
    ("url", "environ", "expected"),
    [
        ("/oauth/token", {}, "https://api.petstore.example/oauth/token"),
        ("token", {}, "https://api.petstore.example/v1/token"),
        ("./", {}, "https://api.petstore.example/v1/"),
        ("https://login.example/t/?a=b", {}, "https://login.example/t/?a=b"),
        ("https://login.example", {}, "https://login.example/"),
        ("https://api.petstore.example/t", {"PETSTORE_BASE_URL": "https://test.example/x"}, "https://test.example/t"),
        ("https://login.example/t", {"PETSTORE_OAUTH_TOKEN_URL": "https://other.example/u"}, "https://other.example/u"),
        ("http://login.example/t", {}, "must begin with https:// unless PETSTORE_ALLOW_HTTP is 1; PETSTORE_OAUTH"),
        ("https://169.254.169.254/t", {}, "must not be a link-local or metadata address; PETSTORE_OAUTH_TOKEN_URL can"),
        ("https://login.example/t?a b", {}, "must have a percent-encoded query; PETSTORE_OAUTH_TOKEN_URL can name"),
    ],
)  # fmt: skip
def test_where_tokens_are_fetched(url: str, environ: dict[str, str], expected: str) -> None:
    entry = oauth(VARIABLES, url)
    catalog: Any = Catalog(TOOLS, security={"oauth": entry})
    loaded = settings.load(catalog, environ)
    assert loaded.problems == []
    try:
        found = loaded.endpoint("oauth")
        shown = found.address.origin + found.target
    except settings.NotReady as reason:
        shown = str(reason)
    assert expected in shown if " " in expected else shown == expected


def test_a_token_url_of_the_operator_must_be_one() -> None:
    entry = oauth(VARIABLES, "/t")
    catalog: Any = Catalog(TOOLS, security={"oauth": entry})
    loaded = settings.load(catalog, {"PETSTORE_OAUTH_TOKEN_URL": "http://login.example/t"})
    assert loaded.problems == ["PETSTORE_OAUTH_TOKEN_URL must begin with https:// unless PETSTORE_ALLOW_HTTP is 1."]


def test_what_may_be_repeated_is_idempotent() -> None:
    assert sending.IDEMPOTENT.isdisjoint({"POST", "PATCH"})


def test_a_401_stays_the_answer_where_no_other_token_can_be_had() -> None:
    async def scene(caller: ToolExecutor, upstream: Upstream, issuer: Upstream) -> None:
        result = await look(caller)
        assert text(result).startswith("HTTP 401 Unauthorized from GET /look")
        assert bearers(upstream) == ["token-1"]

    run(scene, answer(said(200, access_token="token-1"), said(503)), refusing("token-1"))


def test_a_401_that_comes_late_is_answered_with_the_token_that_others_have_by_now() -> None:
    gate = asyncio.Event()

    async def api(connection: Connection) -> None:
        while request := await connection.request():
            old = b"token-1" in request
            if old and request.startswith(b"GET /v1/look HTTP"):
                await gate.wait()
            await connection.send(UNAUTHORIZED if old else OK)

    async def scene(caller: ToolExecutor, upstream: Upstream, issuer: Upstream) -> None:
        late = asyncio.ensure_future(look(caller))
        while not upstream.requests:
            await asyncio.sleep(0)
        assert text(await look(caller, "look_again")) == "ok"
        gate.set()
        assert text(await late) == "ok"
        assert len(issuer.requests) == 2

    run(scene, tokens("token-1", "token-2", "token-3"), api)
