"""Test requests of attackers to the port of a login, and responses of a hostile authorization server."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from package.runtime.http.exchange import Response
from package.runtime.login import answers, browser, loopback
from package.runtime.login.answers import Client
from package.runtime.login.browser import BrowserLogin
from package.runtime.login.endpoints import Endpoints
from package.runtime.login.errors import LoginFailed
from package.runtime.oauth import token_response
from package.runtime.settings.origins import Endpoint
from package.runtime.text.addresses import parse

ISSUER = "https://login.example.com"


class Flow:
    """A login in the browser. The function `give` returns the responses of its token endpoint."""

    def __init__(self, issuer: str = ISSUER, sends_issuer: bool = True) -> None:
        found = Endpoints()
        found.authorization = f"{ISSUER}/authorize"
        found.token = Endpoint(parse(ISSUER), "/token")
        found.issuer, found.sends_issuer = issuer, sends_issuer
        self.login = BrowserLogin(found, "store <b>")
        self.sent: list[bytes] = []
        self.give: Callable[[], Response] = lambda: response(200, b'{"access_token":"given"}')

    @property
    def state(self) -> str:
        return parse_qs(urlsplit(self.login.url(Client("app"), "")).query)["state"][0]

    async def send(self, request: Any, _: Any) -> Response:
        self.sent.append(request.body)
        return self.give()

    async def finish(self, seconds: float = 60) -> answers.Answer:
        return await self.login.finish(Client("app"), self.send, seconds)


def response(status: int, content: bytes, *fields: tuple[str, str]) -> Response:
    found = Response(status, "", [*fields])
    found.content = content
    found.cut = False
    return found


def run(work: Callable[[Flow], Awaitable[None]], **known: Any) -> Flow:
    """Run `work` with a login that listens for the redirect, and return the login."""

    async def main() -> Flow:
        flow = Flow(**known)
        await flow.login.listen(0)
        try:
            await work(flow)
        finally:
            flow.login.close()
        return flow

    return asyncio.run(main())


async def ask(flow: Flow, target: str, host: str = "", method: str = "GET", more: str = "") -> bytes:
    """Send one request as raw bytes, and return all bytes of the response."""
    host = host or f"127.0.0.1:{flow.login.receiver.port}"
    reader, writer = await asyncio.open_connection("127.0.0.1", flow.login.receiver.port)
    writer.write(f"{method} {target} HTTP/1.1\r\nHost: {host}\r\n{more}\r\n".encode())
    try:
        return await reader.read()
    finally:
        writer.close()
        await writer.wait_closed()


def answer_of(flow: Flow, **changes: str | None) -> str:
    """Return the target of the correct redirect, with changed parameters. A parameter that is None is left out."""
    given = {"code": "c0de", "state": flow.state, "iss": ISSUER, **changes}
    return "/callback?" + "&".join(f"{name}={quote(value)}" for name, value in given.items() if value is not None)


IGNORED: dict[str, tuple[Callable[[Flow], dict[str, str]], bytes]] = {
    "a foreign state": (lambda flow: {"target": answer_of(flow, state="other")}, b"400"),
    "an empty state": (lambda flow: {"target": answer_of(flow, state="")}, b"400"),
    "no state": (lambda flow: {"target": answer_of(flow, state=None)}, b"400"),
    "two states": (lambda flow: {"target": answer_of(flow) + "&state=other"}, b"400"),
    "two codes": (lambda flow: {"target": answer_of(flow) + "&code=other"}, b"400"),
    "another path": (lambda flow: {"target": answer_of(flow).replace("/callback", "/other")}, b"404"),
    "a path below": (lambda flow: {"target": answer_of(flow).replace("/callback", "/callback/")}, b"404"),
    "another Host": (lambda flow: {"target": answer_of(flow), "host": "evil.example"}, b"404"),
    "localhost as Host": (lambda flow: {"target": answer_of(flow), "host": "localhost"}, b"404"),
    "two Hosts": (lambda flow: {"target": answer_of(flow), "more": "Host: evil.example\r\n"}, b"404"),
    "POST": (lambda flow: {"target": answer_of(flow), "method": "POST"}, b"405"),
    "an absolute target": (lambda flow: {"target": "http://evil.example" + answer_of(flow)}, b"404"),
}


@pytest.mark.parametrize("name", IGNORED)
def test_what_is_not_the_answer_changes_nothing(name: str) -> None:
    made, status = IGNORED[name]

    async def work(flow: Flow) -> None:
        finishing = asyncio.ensure_future(flow.finish())
        assert (await ask(flow, **made(flow))).startswith(b"HTTP/1.1 " + status)
        assert not flow.sent
        assert (await ask(flow, answer_of(flow))).startswith(b"HTTP/1.1 200")
        assert (await finishing).text("access_token") == "given"

    flow = run(work)
    assert len(flow.sent) == 1
    assert b"code=c0de" in flow.sent[0]


REFUSED: dict[str, tuple[dict[str, str | None], str]] = {
    "a foreign issuer": ({"iss": "https://evil.example"}, "does not come from the authorization server"),
    "no issuer": ({"iss": None}, "does not come from the authorization server"),
    "an error with a code": ({"error": "access_denied"}, "the login was refused"),
    "an error of a foreign issuer": ({"error": "x", "iss": "https://evil.example"}, "does not come from"),
    "an unknown error": ({"error": "<script>", "code": None}, "an error without a known code"),
    "no code": ({"code": None}, "without a code"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_an_answer_that_is_wrong_ends_the_login_without_a_request(name: str) -> None:
    changes, told = REFUSED[name]

    async def work(flow: Flow) -> None:
        finishing = asyncio.ensure_future(flow.finish())
        await ask(flow, answer_of(flow, **changes))
        with pytest.raises(LoginFailed, match=told) as failed:
            await finishing
        assert "script" not in str(failed.value)

    assert run(work).sent == []


def test_an_issuer_need_not_be_named_where_the_server_does_not_say_so() -> None:
    async def work(flow: Flow) -> None:
        finishing = asyncio.ensure_future(flow.finish())
        await ask(flow, answer_of(flow, iss=None))
        await finishing

    run(work, sends_issuer=False)


def test_one_answer_counts() -> None:
    async def work(flow: Flow) -> None:
        assert (await ask(flow, answer_of(flow))).startswith(b"HTTP/1.1 200")
        assert (await ask(flow, answer_of(flow, code="second"))).startswith(b"HTTP/1.1 410")
        await flow.finish()

    assert b"c0de" in run(work).sent[0]


def test_the_page_runs_and_loads_nothing() -> None:
    async def work(flow: Flow) -> None:
        told = await ask(flow, answer_of(flow))
        assert b"Content-Security-Policy: default-src 'none'" in told
        assert b"store &lt;b&gt;" in told
        assert b"<b>" not in told
        assert b"c0de" not in told
        await flow.finish()

    run(work)
    assert "script" not in loopback.page("200 OK", "<script>", "<script>").decode().replace("&lt;script", "")


def test_only_this_machine_reaches_the_port() -> None:
    async def work(flow: Flow) -> None:
        assert flow.login.receiver._server is not None
        assert [each.getsockname()[0] for each in flow.login.receiver._server.sockets] == ["127.0.0.1"]

    run(work)


def test_a_closed_browser_ends_at_the_deadline() -> None:
    async def work(flow: Flow) -> None:
        with pytest.raises(LoginFailed, match="Nobody logged in within 1 minute"):
            await flow.finish(0.01)

    run(work)
    assert browser.SECONDS == 300


def test_a_connection_that_says_nothing_does_not_stop_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(flow: Flow) -> None:
        silent = [socket.create_connection(("127.0.0.1", flow.login.receiver.port)) for _ in range(3)]
        finishing = asyncio.ensure_future(flow.finish())
        await ask(flow, answer_of(flow))
        await finishing
        for each in silent:
            each.close()

    run(work)
    assert loopback.READ_SECONDS <= 10


TOKENS: dict[str, tuple[Callable[[], Response], str]] = {
    "a page": (lambda: response(200, b"<html>access_token"), "without an access token"),
    "a redirect": (lambda: response(302, b"", ("Location", "https://evil.example")), "redirects the request"),
    "too much": (
        lambda: response(200, b'{"access_token":"a","x":"' + b"x" * token_response.LARGEST + b'"}'),
        "without an access token",
    ),
    "a token with a line break": (lambda: response(200, b'{"access_token":"a\\r\\nX: y"}'), "without an access token"),
    "another type": (lambda: response(200, b'{"access_token":"a","token_type":"mac"}'), "no bearer token"),
    "a list": (lambda: response(200, b'["access_token"]'), "without an access token"),
}


@pytest.mark.parametrize("name", TOKENS)
def test_a_token_answer_that_is_none_is_a_sentence(name: str) -> None:
    give, told = TOKENS[name]

    async def work(flow: Flow) -> None:
        flow.give = give
        finishing = asyncio.ensure_future(flow.finish())
        await ask(flow, answer_of(flow))
        with pytest.raises(LoginFailed, match=told):
            answers.access_token(await finishing, "login.example.com")

    run(work)


def test_state_and_verifier_are_long_and_new_each_time() -> None:
    states = {Flow().state for _ in range(50)}
    assert len(states) == 50
    assert min(map(len, states)) >= 43  # 43 characters of base64 hold the 256 random bits of a state
