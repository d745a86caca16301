"""Test the HTTP client with hostile responses from a raw socket: no crash, bounded memory, no leaked text."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from collections.abc import Callable

import aiohttp
import pytest
from aiohttp.client_reqrep import ConnectionKey
from package.runtime.http import client as module
from package.runtime.http.client import BEGINNING, Client, InflateDecoder
from package.runtime.http.exchange import Spool
from package.runtime.settings.sizes import Sizes
from package.runtime.text.addresses import Address

from tests.runtime.client_scene import SECRET, Deadlines, ask, fails, run, silence, turns
from tests.runtime.upstream import OK, Connection, Play, Upstream, answer, serving

pytestmark = pytest.mark.usefixtures("either_way")


def coded(coding: str, content: bytes) -> bytes:
    head = f"HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\nContent-Length: {len(content)}\r\n\r\n"
    return head.encode() + content


def gzipped(content: bytes) -> bytes:
    """Compress `content` with gzip and without a timestamp, so that the ids of parametrized tests are the same in every
    process.
    """
    return gzip.compress(content, mtime=0)


def raw_deflate(content: bytes) -> bytes:
    deflater = zlib.compressobj(9, zlib.DEFLATED, -15)
    return deflater.compress(content) + deflater.flush()


KEPT = 10 * 2**20
TEXT = b"some text, " * 1000


@pytest.mark.parametrize(
    ("coding", "content"),
    [
        ("gzip", gzipped(TEXT)),
        ("X-GZIP", gzipped(TEXT)),
        ("deflate", zlib.compress(TEXT)),
        ("deflate", raw_deflate(TEXT)),
        ("identity", TEXT),
        ("gzip", gzipped(TEXT[:5000]) + gzipped(TEXT[5000:])),
        ("gzip", gzipped(TEXT) + b"\0" * 100),
        ("gzip", gzipped(b"") * 10_000 + gzipped(TEXT)),
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
        ("br", b"x", "has the content coding br, which was not asked for"),
        ("zstd", b"x", "has the content coding zstd, which was not asked for"),
        # UP-04: a response may have one content coding, not several
        ("hunter22", b"x", "has a content coding that was not asked for"),
        ("gzip, gzip", gzipped(gzipped(TEXT)), "has a content coding that was not asked for"),
        (", ".join(["gzip"] * 1000), TEXT, "has a content coding that was not asked for"),
        ("gzip", TEXT, "is not compressed as its Content-Encoding says"),
        ("deflate", b"\xff" * 100, "is not compressed as its Content-Encoding says"),
        ("gzip", gzipped(TEXT)[:-10], "is compressed, and ends too early"),
        ("gzip", gzipped(TEXT)[:30], "is compressed, and ends too early"),
    ],
)
def test_up_03_an_answer_that_cannot_be_decoded_is_a_failure(coding: str, content: bytes, reason: str) -> None:
    async def scene(client: Client, upstream: Upstream) -> None:
        failure = await fails(client, upstream.address())
        assert failure.reason == f"the answer of 127.0.0.1:{upstream.port} {reason}"

    run(scene, answer(coded(coding, content)))


@pytest.mark.parametrize("content", [gzipped(bytes(2**20)), gzipped(bytes(600)) * 1000])
def test_up_02_no_more_than_the_limit_is_ever_decoded(content: bytes) -> None:
    taken = bytearray()
    inflate = InflateDecoder("gzip", 1000, taken.extend)
    for _ in range(3):
        inflate.feed(content)
        assert inflate._size == 1001  # the client reads one byte more than the limit, to notice a longer body
    assert (bytes(taken), inflate.full) == (bytes(1000), True)


def test_up_02_a_piece_from_the_wire_is_decoded_in_pieces() -> None:
    """Decode a large chunk in pieces. If it were decoded at once, memory would hold it several times."""
    sizes: list[int] = []
    InflateDecoder("gzip", 2**26, lambda data: sizes.append(len(data))).feed(gzipped(bytes(2**24)))
    assert (sum(sizes), max(sizes)) == (2**24, 2**18)


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_up_02_a_bomb_is_cut_at_the_limit(coding: str) -> None:
    compress = zlib.compressobj(9, zlib.DEFLATED, 31 if coding == "gzip" else 15)
    bomb = b"".join(compress.compress(bytes(2**20)) for _ in range(64)) + compress.flush()

    async def scene(client: Client, upstream: Upstream) -> None:
        received = await ask(client, upstream.address())
        assert received.spool is not None
        assert (received.size, received.cut, received.content) == (KEPT, True, bytes(BEGINNING))
        assert not any(received.spool.read(KEPT - 100, 1000))
        received.spool.close()

    run(scene, answer(coded(coding, bomb)), sizes=Sizes(kept=KEPT))


@pytest.mark.parametrize(("coding", "compress"), [("identity", bytes), ("gzip", gzipped), ("deflate", zlib.compress)])
@pytest.mark.parametrize("size", [999, 1000, 1001])
def test_an_answer_of_just_the_limit_is_whole(
    monkeypatch: pytest.MonkeyPatch, coding: str, compress: Callable[[bytes], bytes], size: int
) -> None:
    monkeypatch.setattr(module, "LIMIT", 500)

    async def scene(client: Client, upstream: Upstream) -> None:
        received = await ask(client, upstream.address())
        assert (received.size, received.cut) == (min(size, 1000), size > 1000)
        assert received.spool is not None
        received.spool.close()

    run(scene, answer(coded(coding, compress(b"x" * size))), sizes=Sizes(kept=1000))


@pytest.mark.parametrize(("status", "size", "in_file"), [(200, 1000, False), (200, 1001, True), (500, 1001, False)])
def test_what_is_no_success_is_never_in_a_file(
    monkeypatch: pytest.MonkeyPatch, status: int, size: int, in_file: bool
) -> None:
    monkeypatch.setattr(module, "LIMIT", 1000)

    async def scene(client: Client, upstream: Upstream) -> None:
        received = await ask(client, upstream.address())
        assert (received.spool is not None, received.cut) == (in_file, status == 500)
        if received.spool is not None:
            assert received.spool.read(0, 5000) == b"x" * size
            received.spool.close()

    run(scene, answer(coded("identity", b"x" * size).replace(b"200", str(status).encode(), 1)))


def test_up_01_what_a_full_disk_does_not_take_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(spool: Spool, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Spool, "write", full)
    monkeypatch.setattr(module, "LIMIT", 1)

    async def scene(client: Client, upstream: Upstream) -> None:
        received = await ask(client, upstream.address())
        assert (received.content, received.cut) == (b"", True)

    run(scene)


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
        assert (received.size, received.cut) == (KEPT, True)
        await stopped.wait()
        # 8 MiB for what socket buffers hold, which this test cannot limit
        assert upstream.bytes_sent < KEPT + 8 * 2**20

    run(scene, play, sizes=Sizes(kept=KEPT))


def drip(head: bytes, piece: bytes) -> Play:
    async def play(connection: Connection) -> None:
        await connection.request()
        await connection.send(head)
        while True:
            await connection.send(piece)
            await asyncio.sleep(0)

    return play


@pytest.mark.parametrize("limit", [module.LIMIT, 5], ids=["in memory", "in a file"])
def test_up_15_of_a_stream_without_an_end_what_came_before_the_deadline_is_the_answer(
    limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LIMIT", limit)

    async def scene(client: Client, upstream: Upstream) -> None:
        deadlines = Deadlines(monkeypatch)
        asking = asyncio.ensure_future(ask(client, upstream.address()))
        while upstream.bytes_sent < 10_000:
            await asyncio.sleep(0)
        deadlines.pass_now()
        received = await asking
        assert (received.status, received.cut) == (200, True)
        assert received.content.startswith(b"data: x\n\ndata: x\n\n")
        assert (received.spool is not None) == (limit == 5)
        if received.spool is not None:
            received.spool.close()

    run(scene, drip(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n", b"data: x\n\n"))


async def a_body_that_stops(connection: Connection) -> None:
    await connection.request()
    await connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nx")
    await connection.closed()


SLOW = {
    "nothing": silence,
    "headers in drips": drip(b"HTTP/1.1 200 OK\r\nX-Slow: ", b"x"),
    "a body in drips": drip(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", b"x"),
    "a body that stops": a_body_that_stops,
    "early hints for ever": drip(b"", b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"),
    "an error in events": drip(b"HTTP/1.1 500 No\r\nContent-Type: text/event-stream\r\n\r\n", b"data: x\n\n"),
}


@pytest.mark.parametrize("play", SLOW.values(), ids=SLOW)
def test_up_06_rel_02_the_deadline_covers_everything(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene(client: Client, upstream: Upstream) -> None:
        deadlines = Deadlines(monkeypatch)
        failing = asyncio.ensure_future(fails(client, upstream.address(), 7.5))
        while not upstream.requests:
            await asyncio.sleep(0)
        await turns()
        assert not failing.done()
        deadlines.pass_now()
        failure = await failing
        assert failure.reason == f"127.0.0.1:{upstream.port} gave no complete answer within 7.5 seconds"
        assert (failure.sent, deadlines.seconds) == (True, [7.5])

    run(scene, play)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.0, "0.1 seconds"), (0.04, "0.1 seconds"), (-0.01, "0.1 seconds"), (0.96, "1 second"), (29.9971, "30 seconds")],
)
def test_up_06_a_deadline_is_told_in_tenths_and_never_as_none(
    seconds: float, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene(client: Client, upstream: Upstream) -> None:
        deadlines = Deadlines(monkeypatch)
        failing = asyncio.ensure_future(fails(client, upstream.address(), seconds))
        await turns()
        deadlines.pass_now()
        assert (await failing).reason.endswith(f" gave no complete answer within {said}")

    run(scene, silence)


def test_up_19_ten_thousand_tiny_chunks_are_one_answer() -> None:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    async def scene(client: Client, upstream: Upstream) -> None:
        assert (await ask(client, upstream.address())).content == b"x" * 10_000

    run(scene, answer(head + b"1\r\nx\r\n" * 10_000 + b"0\r\n\r\n"))


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
    # UP-05: headers have size limits
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
