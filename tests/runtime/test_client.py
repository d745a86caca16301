"""The client at a raw socket: what it sends, byte for byte, and that no answer gets the better of it."""

from __future__ import annotations

import asyncio
import gzip
import random
import zlib
from collections.abc import Awaitable, Callable
from pathlib import Path

import aiohttp
import pytest
from aiohttp.client_reqrep import ConnectionKey
from package.runtime import client as module
from package.runtime.addresses import Address
from package.runtime.client import LIMIT, Client, Failure
from package.runtime.exchange import Response
from package.runtime.request import Request
from package.runtime.settings import Settings

from tests.runtime.upstream import OK, Connection, Play, Upstream, answer, answer_ok, serving

AGENT = "petstore-mcp/1.2.3"
SECRET = "sk-SECRET-in-the-query"
PATIENT = 20.0
BRIEF = 0.2
Scene = Callable[[Client, Upstream], Awaitable[None]]


def request(target: str = "/p", method: str = "GET", body: bytes | None = None, **headers: str) -> Request:
    path, mark, query = target.partition("?")
    made = Request(method, path)
    made.query = [query] if mark else []
    made.headers = [("Accept", "*/*"), *headers.items()]
    made.body = body
    return made


def settings(**changed: str) -> Settings:
    made = Settings("PETSTORE")
    for name, value in changed.items():
        setattr(made, name, value)
    return made


def run(scene: Scene, play: Play = answer_ok, **changed: str) -> None:
    async def main() -> None:
        client = Client(settings(**changed), AGENT)
        async with serving(play) as upstream:
            await asyncio.wait_for(scene(client, upstream), 60)
            await client.close()

    asyncio.run(main())


async def ask(client: Client, address: Address, seconds: float = PATIENT, **given: str) -> Response:
    return await client.send(request(f"/p?key={SECRET}", **given), address, seconds)  # type: ignore[arg-type]


async def fails(client: Client, address: Address, seconds: float = PATIENT, method: str = "GET") -> Failure:
    """The failure of a request with a secret in its query: its words are ours, so it holds neither secret nor URL."""
    with pytest.raises(Failure) as failed:
        await ask(client, address, seconds, method=method)
    reason = failed.value.reason
    assert SECRET not in reason
    assert "/p" not in reason
    assert failed.value.__cause__ is None
    return failed.value


# --- what is sent ------------------------------------------------------------------------------------------------


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


# --- what is not done --------------------------------------------------------------------------------------------


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
        client = Client(settings(proxy=f"http://user:pass@127.0.0.1:{upstream.port}"), AGENT)
        received = await client.send(request("/p?x=%5B"), Address("http", "api.example", 80, "/v1"), PATIENT)
        await client.close()
        assert received.content == b"ok"
        assert upstream.requests[0].startswith(b"GET http://api.example/v1/p?x=%5B HTTP/1.1\r\nHost: api.example\r\n")
        assert b"Proxy-Authorization: Basic dXNlcjpwYXNz\r\n" in upstream.requests[0]

    run(scene)


def test_rel_04_what_is_not_idempotent_is_sent_at_most_once() -> None:
    async def play(connection: Connection) -> None:
        await connection.request()
        await connection.send(OK)
        await connection.request()  # the second on this connection is never answered

    async def scene(client: Client, upstream: Upstream) -> None:
        for method in ("POST", "PATCH"):
            await ask(client, upstream.address(), method=method)
            before = len(upstream.requests)
            failure = await fails(client, upstream.address(), method=method)
            assert failure.reason.endswith("closed the connection without an answer")
            assert len(upstream.requests) == before + 1

    run(scene, play)


def test_rel_04_a_get_on_a_connection_that_died_is_sent_again() -> None:
    async def play(connection: Connection) -> None:
        await connection.request()
        await connection.send(OK)
        await connection.request()

    async def scene(client: Client, upstream: Upstream) -> None:
        await ask(client, upstream.address())
        assert (await ask(client, upstream.address())).content == b"ok"
        assert upstream.connections == 2

    run(scene, play)


# --- content codings ---------------------------------------------------------------------------------------------


def coded(coding: str, content: bytes) -> bytes:
    head = f"HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\nContent-Length: {len(content)}\r\n\r\n"
    return head.encode() + content


def raw_deflate(content: bytes) -> bytes:
    deflater = zlib.compressobj(9, zlib.DEFLATED, -15)
    return deflater.compress(content) + deflater.flush()


TEXT = b"some text, " * 1000


@pytest.mark.parametrize(
    ("coding", "content"),
    [
        ("gzip", gzip.compress(TEXT)),
        ("X-GZIP", gzip.compress(TEXT)),
        ("deflate", zlib.compress(TEXT)),
        ("deflate", raw_deflate(TEXT)),
        ("identity", TEXT),
        ("gzip", gzip.compress(TEXT[:5000]) + gzip.compress(TEXT[5000:])),
        ("gzip", gzip.compress(TEXT) + b"\0" * 100),
        ("gzip", gzip.compress(b"") * 10_000 + gzip.compress(TEXT)),
    ],
)
def test_up_02_a_coded_answer_is_decoded(coding: str, content: bytes) -> None:
    async def scene(client: Client, upstream: Upstream) -> None:
        received = await ask(client, upstream.address())
        assert (received.content, received.cut) == (TEXT, False)

    run(scene, answer(coded(coding, content)))


@pytest.mark.parametrize(
    ("coding", "content", "reason"),
    [
        ("br", b"x", "has a content coding that was not asked for"),
        ("zstd", b"x", "has a content coding that was not asked for"),
        ("gzip, gzip", gzip.compress(gzip.compress(TEXT)), "has a content coding that was not asked for"),
        (", ".join(["gzip"] * 1000), TEXT, "has a content coding that was not asked for"),
        ("gzip", TEXT, "is not compressed the way it says"),
        ("deflate", b"\xff" * 100, "is not compressed the way it says"),
        ("gzip", gzip.compress(TEXT)[:-10], "is compressed, and ends too early"),
        ("gzip", gzip.compress(TEXT)[:30], "is compressed, and ends too early"),
    ],
)
def test_up_03_an_answer_that_cannot_be_decoded_is_a_failure(coding: str, content: bytes, reason: str) -> None:
    async def scene(client: Client, upstream: Upstream) -> None:
        failure = await fails(client, upstream.address())
        assert failure.reason == f"the answer of 127.0.0.1:{upstream.port} {reason}"

    run(scene, answer(coded(coding, content)))


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_up_02_a_bomb_is_cut_at_the_limit(coding: str) -> None:
    compress = zlib.compressobj(9, zlib.DEFLATED, 31 if coding == "gzip" else 15)
    bomb = b"".join(compress.compress(bytes(2**20)) for _ in range(64)) + compress.flush()

    async def scene(client: Client, upstream: Upstream) -> None:
        received = await ask(client, upstream.address())
        assert (received.content, received.cut) == (bytes(LIMIT), True)

    run(scene, answer(coded(coding, bomb)))


@pytest.mark.parametrize(
    ("coding", "compress"), [("identity", bytes), ("gzip", gzip.compress), ("deflate", zlib.compress)]
)
@pytest.mark.parametrize("size", [999, 1000, 1001])
def test_an_answer_of_just_the_limit_is_whole(
    monkeypatch: pytest.MonkeyPatch, coding: str, compress: Callable[[bytes], bytes], size: int
) -> None:
    monkeypatch.setattr(module, "LIMIT", 1000)

    async def scene(client: Client, upstream: Upstream) -> None:
        received = await ask(client, upstream.address())
        assert (len(received.content), received.cut) == (min(size, 1000), size > 1000)

    run(scene, answer(coded(coding, compress(b"x" * size))))


# --- answers without end, and at no pace -----------------------------------------------------------------------


ENDLESS = {
    "a length of 1 GiB": b"HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n",
    "a length of 10^18": b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000000000000\r\n\r\n",
    "no length": b"HTTP/1.1 200 OK\r\n\r\n",
    "chunks": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
    "events": b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n",
}


@pytest.mark.parametrize("head", ENDLESS.values(), ids=ENDLESS)
def test_up_01_an_endless_answer_is_cut_and_its_connection_closed(head: bytes) -> None:
    stopped = asyncio.Event()
    piece = b"10000\r\n" + bytes(65536) + b"\r\n" if b"chunked" in head else bytes(65536)

    async def play(connection: Connection) -> None:
        await connection.request()
        await connection.send(head)
        try:
            while True:
                await connection.send(piece)
        finally:
            stopped.set()

    async def scene(client: Client, upstream: Upstream) -> None:
        received = await ask(client, upstream.address())
        assert (len(received.content), received.cut) == (LIMIT, True)
        await stopped.wait()
        assert upstream.bytes_sent < LIMIT + 8 * 2**20  # what the sockets of both sides hold is not ours to bound

    run(scene, play)


async def silence(connection: Connection) -> None:
    await connection.request()
    await connection.closed()


def drip(head: bytes, piece: bytes) -> Play:
    async def play(connection: Connection) -> None:
        await connection.request()
        await connection.send(head)
        while True:
            await connection.send(piece)
            await asyncio.sleep(0.01)

    return play


SLOW = {
    "nothing": silence,
    "headers in drips": drip(b"HTTP/1.1 200 OK\r\nX-Slow: ", b"x"),
    "a body in drips": drip(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", b"x"),
    "a body that stops": drip(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nx", b""),
    "early hints for ever": drip(b"", b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"),
    "events for ever": drip(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n", b"data: x\n\n"),
}


@pytest.mark.parametrize("play", SLOW.values(), ids=SLOW)
def test_up_06_the_deadline_covers_everything(play: Play) -> None:
    async def scene(client: Client, upstream: Upstream) -> None:
        failure = await fails(client, upstream.address(), BRIEF)
        assert failure.reason == f"127.0.0.1:{upstream.port} gave no complete answer within 0.2 seconds"
        assert failure.sent

    run(scene, play)


def test_up_06_waiting_for_a_connection_counts_against_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CONNECTIONS", 1)

    async def scene(client: Client, upstream: Upstream) -> None:
        holding = asyncio.ensure_future(ask(client, upstream.address()))
        while not upstream.requests:
            await asyncio.sleep(0)
        failure = await fails(client, upstream.address(), BRIEF)
        assert (failure.sent, len(upstream.requests)) == (False, 1)
        holding.cancel()

    run(scene, silence)


def test_up_19_ten_thousand_tiny_chunks_are_one_answer() -> None:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    async def scene(client: Client, upstream: Upstream) -> None:
        assert (await ask(client, upstream.address())).content == b"x" * 10_000

    run(scene, answer(head + b"1\r\nx\r\n" * 10_000 + b"0\r\n\r\n"))


# --- answers that are none -----------------------------------------------------------------------------------------


async def reset_at_once(connection: Connection) -> None:
    await connection.request()
    connection.reset()


async def reset_in_the_body(connection: Connection) -> None:
    await connection.request()
    await connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome")
    connection.reset()


WITHOUT, INCOMPLETE = "closed the connection without an answer", "closed the connection before its answer was complete"
UNREADABLE = "did not answer in HTTP that can be read"
BROKEN: dict[str, tuple[Play, str]] = {
    "nothing": (answer(b""), WITHOUT),
    "a reset": (reset_at_once, WITHOUT),
    "a reset in the body": (reset_in_the_body, INCOMPLETE),
    "half a head": (answer(b"HTTP/1.1 200 OK\r\nContent-Le"), WITHOUT),
    "a short body": (answer(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort"), INCOMPLETE),
    "a chunk too few": (answer(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nshort\r\n"), INCOMPLETE),
    "chunks that are none": (answer(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"), UNREADABLE),
    "garbage": (answer(b"\x00\x01garbage\r\n\r\n"), UNREADABLE),
    "HTTP/0.9": (answer(b"<html>hello</html>"), UNREADABLE),
    "HTTP/9.9": (answer(b"HTTP/9.9 200 OK\r\nContent-Length: 0\r\n\r\n"), UNREADABLE),
    "TLS": (answer(bytes.fromhex("15030300020228")), UNREADABLE),
    "two lengths": (answer(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok!"), UNREADABLE),
    "a length that is none": (answer(b"HTTP/1.1 200 OK\r\nContent-Length: two\r\n\r\nok"), UNREADABLE),
    "a long header": (answer(b"HTTP/1.1 200 OK\r\nX: " + b"x" * 70_000 + b"\r\n\r\n"), UNREADABLE),
    "many headers": (answer(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200_000 + b"\r\n"), UNREADABLE),
    "a long reason": (answer(b"HTTP/1.1 200 " + b"x" * 2**20 + b"\r\n\r\n"), UNREADABLE),
}


@pytest.mark.parametrize(("play", "reason"), BROKEN.values(), ids=BROKEN)
def test_up_13_what_is_no_answer_is_a_failure_and_the_next_call_works(play: Play, reason: str) -> None:
    async def scene(client: Client, upstream: Upstream) -> None:
        failure = await fails(client, upstream.address(), method="POST")
        assert failure.reason == f"127.0.0.1:{upstream.port} {reason}"
        assert failure.sent
        async with serving() as healthy:
            assert (await ask(client, healthy.address())).content == b"ok"

    run(scene, play)


LENIENT = {
    "HTTP/1.0": b"HTTP/1.0 200 OK\r\n\r\nok",
    "no length": b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nok",
    "no reason": b"HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok",
    "early hints first": b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + OK,
}


@pytest.mark.parametrize("received", LENIENT.values(), ids=LENIENT)
def test_up_13_what_can_be_read_is_read(received: bytes) -> None:
    async def scene(client: Client, upstream: Upstream) -> None:
        assert (await ask(client, upstream.address())).content == b"ok"

    run(scene, answer(received))


def test_cred_09_a_refused_connection_is_a_failure_before_anything_was_sent() -> None:
    async def scene(client: Client, upstream: Upstream) -> None:
        async with serving() as gone:
            address = gone.address()
        failure = await fails(client, address)
        assert (failure.reason, failure.sent) == (f"{address.authority} refused the connection", False)

    run(scene)


KEY = ConnectionKey("api.example", 443, True, True, None, None, None)


@pytest.mark.parametrize(
    ("problem", "reason"),
    [
        (aiohttp.ClientConnectorDNSError(KEY, OSError(-2, SECRET)), "the name api.example:8443 is not known"),
        (aiohttp.ClientConnectorError(KEY, OSError(101, SECRET)), "api.example:8443 could not be reached"),
        (
            aiohttp.ClientProxyConnectionError(KEY, ConnectionRefusedError(111, SECRET)),
            "the proxy did not let it through to api.example:8443",
        ),
        (aiohttp.ClientError(SECRET), "api.example:8443 did not answer in HTTP that can be read"),
        (ValueError(SECRET), "api.example:8443 did not answer in HTTP that can be read"),
        (OSError(5, SECRET), "api.example:8443 closed the connection without an answer"),
    ],
)
def test_cred_09_what_the_library_says_is_never_passed_on(problem: Exception, reason: str) -> None:
    assert module._reason(problem, Address("https", "api.example", 8443, "/v1")) == reason


# --- cancelling ------------------------------------------------------------------------------------------------------


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


def test_life_09_cancelled_calls_leave_the_pool_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CONNECTIONS", 5)
    chance = random.Random(7)

    async def play(connection: Connection) -> None:
        while await connection.request():
            await asyncio.sleep(chance.random() * 0.004)
            await connection.send(OK)

    async def scene(client: Client, upstream: Upstream) -> None:
        for _ in range(20):
            tasks = [asyncio.ensure_future(ask(client, upstream.address())) for _ in range(20)]
            for task in chance.sample(tasks, 15):
                await asyncio.sleep(chance.random() * 0.001)
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        answers = await asyncio.gather(*(ask(client, upstream.address()) for _ in range(20)))
        assert [each.content for each in answers] == [b"ok"] * 20

    run(scene, play)
