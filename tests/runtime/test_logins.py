"""Test how a server logs in with user name and password: which requests it sends to the token endpoint, and how often
it repeats a refused login. The token endpoint and the API are raw sockets.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from package.runtime.calls.execution import ToolExecutor
from package.runtime.core.wire_formats import Result
from package.runtime.oauth.backoff import FIRST, LONGEST, Backoff
from package.runtime.settings import settings

from mcpgen.model import Login
from tests.runtime.table_stub import Catalog
from tests.runtime.test_calls import text
from tests.runtime.test_tokens import UNAUTHORIZED, Clock, Scene, bearers, look, said
from tests.runtime.upstream import Play, Upstream, answer, answer_ok, serving
from tests.scheme_entries import login

ENVIRON = {"PETSTORE_USERNAME": "anna", "PETSTORE_PASSWORD": "s3cret&password"}
SCHEME = login(
    Login(
        "application/x-www-form-urlencoded",
        (("grant_type", "", "password"), ("username", "username", ""), ("password", "password", "")),
        "/access_token",
        "/expires_in",
    ),
    {
        "value": "PETSTORE_TOKEN",
        "username": "PETSTORE_USERNAME",
        "password": "PETSTORE_PASSWORD",
        "token_url": "PETSTORE_TOKEN_URL",
    },
)
TOOLS: dict[str, dict[str, Any]] = {
    name: {"binding": {"method": "GET", "path": [f"/{name}"], "security": [["login"]], "scopes": {"login": scopes}}}
    for name, scopes in (("look", ["read"]), ("list", ["list"]), ("count", ["count"]))
}
WRONG = said(401, error="invalid_grant")


def run(scene: Scene, issue: Play, clock: Clock) -> None:
    async def main() -> None:
        async with serving(answer_ok) as upstream, serving(issue) as issuer:
            scheme = {**SCHEME, "tokenUrl": str(issuer.address()) + "/token"}
            catalog: Any = Catalog(TOOLS, [{"url": str(upstream.address("/v1"))}], security={"login": scheme})
            caller = ToolExecutor(catalog, settings.load(catalog, ENVIRON))
            caller.lasting.sender._fetched()._clock = clock
            await asyncio.wait_for(scene(caller, upstream, issuer), 30)
            await caller.close()

    asyncio.run(main())


def test_a_login_sends_user_name_and_password_and_no_client() -> None:
    async def scene(caller: ToolExecutor, upstream: Upstream, issuer: Upstream) -> None:
        assert text(await look(caller)) == "ok"
        head, _, body = issuer.requests[0].partition(b"\r\n\r\n")
        assert b"Authorization" not in head
        assert body == b"grant_type=password&username=anna&password=s3cret%26password&scope=read"
        assert bearers(upstream) == ["token-1"]

    run(scene, answer(said(200, access_token="token-1")), Clock())


def test_a_refused_login_is_tried_again_after_a_pause_that_grows(capfd: pytest.CaptureFixture[str]) -> None:
    clock = Clock()

    async def scene(caller: ToolExecutor, upstream: Upstream, issuer: Upstream) -> None:
        for attempts, pause in enumerate((FIRST, 2 * FIRST, 4 * FIRST), 1):
            for name in ("look", "list", "look"):
                result = await look(caller, name)
                assert result.is_error
                assert "PETSTORE_USERNAME with PETSTORE_PASSWORD: HTTP 401, invalid_grant." in text(result)
            assert f"The next attempt is made in {pause:.0f} s." in text(result)
            clock.now += pause - 1
            await look(caller)
            assert len(issuer.requests) == attempts
            clock.now += 1
        assert upstream.connections == 0

    run(scene, answer(*[WRONG] * 9), clock)
    told = [json.loads(line) for line in capfd.readouterr().err.splitlines() if '"no_token"' in line]
    assert [each["refused"] for each in told] == [1, 2, 3]


def test_calls_at_once_make_one_refused_login_whatever_scopes_they_want() -> None:
    async def scene(caller: ToolExecutor, upstream: Upstream, issuer: Upstream) -> None:
        calls: list[Result] = await asyncio.gather(*(look(caller, name) for name in [*TOOLS] * 7))
        assert all(each.is_error for each in calls)
        assert len(issuer.requests) == 1

    run(scene, answer(*[WRONG] * 9), Clock())


def test_a_login_that_succeeds_forgets_the_refusals() -> None:
    clock = Clock()

    async def scene(caller: ToolExecutor, upstream: Upstream, issuer: Upstream) -> None:
        await look(caller)
        clock.now += FIRST
        assert text(await look(caller)) == "ok"
        clock.now += 100
        result = await look(caller)
        assert result.is_error
        assert f"in {FIRST:.0f} s." in text(await look(caller))

    issued = said(200, access_token="token-1", expires_in=50)
    run(scene, answer(WRONG, issued, WRONG), clock)


@pytest.mark.parametrize("play", [said(503), said(400, error="invalid_scope"), UNAUTHORIZED])
def test_only_a_refused_credential_makes_calls_wait(play: bytes) -> None:
    async def scene(caller: ToolExecutor, upstream: Upstream, issuer: Upstream) -> None:
        for _ in range(2):
            assert (await look(caller)).is_error
        assert len(issuer.requests) == (1 if play is UNAUTHORIZED else 2)

    run(scene, answer(*[play] * 2), Clock())


def test_pauses_are_bounded_and_each_credential_has_its_own() -> None:
    clock = Clock()
    backoff = Backoff(clock)
    assert [backoff.refused(("A",), "No.") for _ in range(2000)] == list(range(1, 2001))
    assert backoff.reason(("A",)) == f"No. The next attempt is made in {LONGEST:.0f} s."
    assert backoff.reason(("B",)) == ""
    clock.now += LONGEST
    assert backoff.reason(("A",)) == ""
