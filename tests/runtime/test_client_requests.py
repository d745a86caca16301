"""Test the requests of the HTTP client at a raw socket: exact bytes, what is never sent, and the effect of
cancellation.
"""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest
from package.runtime.core import spans
from package.runtime.http import connections
from package.runtime.http.client import Client, Failure
from package.runtime.text.addresses import Address

from tests.runtime.client_scene import AGENT, PATIENT, ask, fails, request, run, settings, silence, turns
from tests.runtime.upstream import OK, Connection, Play, Upstream, answer, serving

pytestmark = pytest.mark.usefixtures("either_way")

TARGETS = [
    "/p",
    "/a/%2E%2E/b",
    "/a/../b/./c",
    "/a//b/",
    "/c/;color=blue,black/.x.y/%E6%97%A5",
    "/p?q=:/?@!$'()*,;=[]&r=%7C%20+%2B",
    "/p?a%5Bb%5D=%26&empty=&flag",
    "/%C3%A9?%C3%A9=%c3%a9",
    "/~user/a%2fb?x=%zz",
]


@pytest.mark.parametrize("target", TARGETS)
def test_the_target_is_sent_byte_for_byte(target: str) -> None:
    async def scene(client: Client, upstream: Upstream) -> None:
        await client.send(request(target), upstream.address("/base/v1"), PATIENT)
        assert upstream.requests[0].split(b"\r\n")[0] == f"GET /base/v1{target} HTTP/1.1".encode()

    run(scene)


def test_a_request_is_exactly_its_bytes() -> None:
    async def scene(client: Client, upstream: Upstream) -> None:
        made = request("/p?x=1", "PATCH", b'{"a":1}', **{"Content-Type": "application/json", "X-Tag": "one, two"})
        made.cookies = ["a=1", "b=2"]
        received = await client.send(made, upstream.address(), PATIENT)
        assert upstream.requests == [
            (
                f"PATCH /p?x=1 HTTP/1.1\r\nHost: 127.0.0.1:{upstream.port}\r\nAccept: */*\r\n"
                "Content-Type: application/json\r\nX-Tag: one, two\r\nCookie: a=1; b=2\r\n"
                f"User-Agent: {AGENT}\r\nAccept-Encoding: gzip, deflate\r\nContent-Length: 7\r\n\r\n" + '{"a":1}'
            ).encode()
        ]
        assert (received.status, received.reason, received.content, received.cut) == (200, "OK", b"ok", False)
        assert received.header("content-type") == "text/plain"

    run(scene)


@pytest.mark.parametrize(
    ("method", "body", "length"),
    [
        ("GET", None, b""),
        ("HEAD", None, b""),
        ("POST", None, b"Content-Length: 0\r\n"),
        ("DELETE", None, b"Content-Length: 0\r\n"),
        ("POST", b"", b"Content-Length: 0\r\n"),
        ("GET", b"x", b"Content-Length: 1\r\n"),
    ],
)
def test_a_body_has_its_length_and_no_header_of_the_library(method: str, body: bytes | None, length: bytes) -> None:
    async def scene(client: Client, upstream: Upstream) -> None:
        await client.send(request("/p", method, body), upstream.address(), PATIENT)
        head, _, sent = upstream.requests[0].partition(b"\r\n\r\n")
        own = b"Accept: */*\r\nUser-Agent: petstore-mcp/1.2.3\r\nAccept-Encoding: gzip, deflate\r\n"
        assert (head + b"\r\n").partition(b"Accept:")[1:] == (b"Accept:", (own + length).partition(b"Accept:")[2])
        assert sent == (body or b"")

    async def play(connection: Connection) -> None:
        await connection.request()
        await connection.send(b"HTTP/1.1 204 No Content\r\n\r\n")

    run(scene, play)


_OURS = f"User-Agent: {AGENT}\r\nAccept-Encoding: gzip, deflate\r\n"


@pytest.mark.parametrize(
    ("fields", "sent"),
    [
        ([], f"Host: HERE\r\n{_OURS}"),
        ([("X-A", "1")], f"Host: HERE\r\nX-A: 1\r\n{_OURS}"),
        ([("X-A", "1"), ("X-B", "2"), ("X-A", "3")], f"Host: HERE\r\nX-A: 1\r\nX-B: 2\r\nX-A: 3\r\n{_OURS}"),
        ([("user-agent", "mine")], "Host: HERE\r\nuser-agent: mine\r\nAccept-Encoding: gzip, deflate\r\n"),
        ([("ACCEPT-ENCODING", "identity")], f"Host: HERE\r\nACCEPT-ENCODING: identity\r\nUser-Agent: {AGENT}\r\n"),
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_the_fields_are_ours_alone_and_in_their_order(fields: list[tuple[str, str]], sent: str, method: str) -> None:
    async def scene(client: Client, upstream: Upstream) -> None:
        made = request("/p", method)
        made.headers = fields
        await client.send(made, upstream.address(), PATIENT)
        length = "" if method == "GET" else "Content-Length: 0\r\n"
        here = sent.replace("HERE", f"127.0.0.1:{upstream.port}")
        assert upstream.requests == [f"{method} /p HTTP/1.1\r\n{here}{length}\r\n".encode()]

    run(scene)


@pytest.mark.parametrize("name", ["Host", "content-length", "Transfer-Encoding", "Connection"])
def test_arg_01_a_credential_in_a_field_that_delimits_messages_is_not_sent(name: str) -> None:
    async def scene(client: Client, upstream: Upstream) -> None:
        made = request("/p", "POST", b"{}")
        made.headers.append((name, "3"))
        with pytest.raises(Failure) as failed:
            await client.send(made, upstream.address(), PATIENT)
        assert (failed.value.reason, failed.value.sent) == ("a header field of the request cannot be sent", False)
        assert upstream.connections == 0

    run(scene)


def test_the_answer_to_head_has_no_content_whatever_length_it_names() -> None:
    async def play(connection: Connection) -> None:
        while await connection.request():
            await connection.send(OK.removesuffix(b"ok"))

    async def scene(client: Client, upstream: Upstream) -> None:
        for _ in range(2):
            received = await ask(client, upstream.address(), method="HEAD")
            assert (received.status, received.content, received.cut) == (200, b"", False)
        assert upstream.connections == 1

    run(scene, play)


def test_a_long_line_long_fields_and_many_of_them_are_read() -> None:
    reason, field = "x" * 16_000, "y" * 32_000
    many = "".join(f"X-{number}: 1\r\n" for number in range(250))
    long = f"HTTP/1.1 200 {reason}\r\nX-Long: {field}\r\n{many}Content-Length: 0\r\n\r\n".encode()

    async def scene(client: Client, upstream: Upstream) -> None:
        received = await ask(client, upstream.address())
        assert (received.reason, received.header("x-long"), received.header("x-249")) == (reason, field, "1")

    run(scene, answer(long))


def test_a_connection_is_used_again() -> None:
    async def scene(client: Client, upstream: Upstream) -> None:
        for _ in range(3):
            assert (await ask(client, upstream.address())).content == b"ok"
        assert (len(upstream.requests), upstream.connections) == (3, 1)

    run(scene)


def test_the_phases_are_reported_in_order() -> None:
    async def scene(client: Client, upstream: Upstream) -> None:
        phases: list[str] = []
        await client.send(request("/p", "POST", b"x" * 200_000), upstream.address(), PATIENT, phases.append)
        assert phases == ["sent", "headers", "body"]

    run(scene)


def test_the_span_says_how_much_of_the_response_has_come() -> None:
    async def scene(client: Client, upstream: Upstream) -> None:
        span = spans.Span()
        spans.enter(span)
        task = asyncio.ensure_future(client.send(request(), upstream.address(), PATIENT))
        while span.reads is None or not span.reads.received:
            await asyncio.sleep(0)
        assert (span.reads.began, span.reads.received, span.reads.expected) == (True, len("half"), 100)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert span.reads is None

    run(scene, half_an_answer)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_cred_02_a_redirect_is_not_followed(status: int) -> None:
    async def scene(client: Client, upstream: Upstream) -> None:
        async with serving() as evil:
            location = f"http://127.0.0.1:{evil.port}/steal"
            moved = f"HTTP/1.1 {status} Moved\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n".encode()
            async with serving(answer(moved)) as moving:
                received = await ask(client, moving.address())
            assert (received.status, received.header("location")) == (status, location)
            assert evil.connections == 0

    run(scene)


def test_cred_08_a_cookie_is_not_kept() -> None:
    async def play(connection: Connection) -> None:
        while await connection.request():
            await connection.send(OK.replace(b"\r\n\r\n", b"\r\nSet-Cookie: evil=1; Path=/\r\n\r\n"))

    async def scene(client: Client, upstream: Upstream) -> None:
        await ask(client, upstream.address())
        await ask(client, upstream.address())
        assert b"ookie" not in upstream.requests[1]

    run(scene, play)


def test_cfg_06_proxies_and_netrc_of_the_environment_are_ignored(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".netrc").write_text("default login someone password hunter22\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))

    async def scene(client: Client, upstream: Upstream) -> None:
        async with serving() as evil:
            for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
                monkeypatch.setenv(name, f"http://127.0.0.1:{evil.port}")
            await ask(client, upstream.address())
            assert evil.connections == 0
        assert b"uthorization" not in upstream.requests[0]

    run(scene)


def test_a_proxy_that_the_operator_names_is_used() -> None:
    async def scene(client: Client, upstream: Upstream) -> None:
        client = Client(settings(PROXY=f"http://user:pass@127.0.0.1:{upstream.port}"), AGENT)
        received = await client.send(request("/p?x=%5B"), Address("http", "api.example", 80, "/v1"), PATIENT)
        await client.close()
        assert received.content == b"ok"
        assert upstream.requests[0].startswith(b"GET http://api.example/v1/p?x=%5B HTTP/1.1\r\nHost: api.example\r\n")
        assert b"Proxy-Authorization: Basic dXNlcjpwYXNz\r\n" in upstream.requests[0]

    run(scene)


async def one_answer(connection: Connection) -> None:
    await connection.request()
    await connection.send(OK)
    await connection.request()  # read the second request, and never answer it


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "POST", "PATCH"])
def test_rel_04_the_client_sends_at_most_once_and_says_how_the_connection_ended(method: str) -> None:
    async def scene(client: Client, upstream: Upstream) -> None:
        await ask(client, upstream.address(), method="GET")
        failure = await fails(client, upstream.address(), method=method)
        assert failure.reason.endswith("closed the connection without an answer")
        assert (failure.sent, failure.end) == (True, "stale")
        assert len(upstream.requests) == 2

    run(scene, one_answer)


async def hang_up(connection: Connection) -> None:
    await connection.request()


async def reset(connection: Connection) -> None:
    await connection.request()
    connection.reset()


async def half_a_head(connection: Connection) -> None:
    await connection.request()
    await connection.send(b"HTTP/1.1 200 OK\r\nContent-Le")


async def reset_inside(connection: Connection) -> None:
    await connection.request()
    await connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
    connection.reset()


@pytest.mark.parametrize(
    ("play", "end"), [(hang_up, "closed"), (reset, "closed"), (half_a_head, "closed"), (reset_inside, "")]
)
def test_rel_04_a_new_connection_that_died_is_none_that_was_kept(play: Play, end: str) -> None:
    async def scene(client: Client, upstream: Upstream) -> None:
        failure = await fails(client, upstream.address(), method="DELETE")
        assert (failure.sent, failure.end) == (True, end)
        assert len(upstream.requests) == 1

    run(scene, play)


def test_rel_04_where_the_library_does_not_tell_all_counts_as_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count a request as sent if aiohttp does not show whether it was sent, for example because another release of
    aiohttp calls its internal methods differently.
    """
    monkeypatch.setattr(connections, "KNOWN", ())
    monkeypatch.setattr(connections, "_TELLS", False)

    async def scene(client: Client, upstream: Upstream) -> None:
        monkeypatch.delattr(connections._ReportingRequest, "send")
        failure = await fails(client, upstream.address(), method="POST")
        assert (failure.sent, failure.end) == (True, "closed")

    run(scene, hang_up)


def test_rel_04_nobody_there_is_a_refusal() -> None:
    async def scene(client: Client, upstream: Upstream) -> None:
        async with serving() as gone:
            pass
        failure = await fails(client, gone.address(), method="POST")
        assert (failure.sent, failure.end) == (False, "refused")

    run(scene)


async def half_an_answer(connection: Connection) -> None:
    await connection.request()
    await connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
    await connection.closed()


@pytest.mark.parametrize("play", [silence, half_an_answer])
def test_io_17_cancelling_closes_the_connection(play: Play) -> None:
    closed = asyncio.Event()

    async def watched(connection: Connection) -> None:
        await play(connection)
        closed.set()

    async def scene(client: Client, upstream: Upstream) -> None:
        phases: list[str] = []
        task = asyncio.ensure_future(client.send(request(), upstream.address(), PATIENT, phases.append))
        while phases != (["sent"] if play is silence else ["sent", "headers"]):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await closed.wait()

    run(scene, watched)


def test_life_09_cancelled_calls_leave_the_pool_as_it_was() -> None:
    chance = random.Random(7)

    async def play(connection: Connection) -> None:
        while await connection.request():
            await turns(chance.randrange(20))
            await connection.send(OK)

    async def scene(client: Client, upstream: Upstream) -> None:
        for _ in range(20):
            tasks = [asyncio.ensure_future(ask(client, upstream.address())) for _ in range(20)]
            for task in chance.sample(tasks, 15):
                await turns(chance.randrange(4))
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        answers = await asyncio.gather(*(ask(client, upstream.address()) for _ in range(20)))
        assert [each.content for each in answers] == [b"ok"] * 20

    run(scene, play)
