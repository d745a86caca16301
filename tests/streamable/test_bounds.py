"""Test requirement E6 for Streamable HTTP: limits on what a client may send and make the server store.

A slow client delays no other client.
"""

from __future__ import annotations

import select
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.streamable.client import Connection
from tests.streamable.messages import Session, call, calling, encoded, mirrored, post, request, said, stateless
from tests.streamable.servers import DOORS, Server
from tests.streamable.upstream import PATIENCE, Upstream

LIST = stateless("tools/list", "list")
LISTEN = stateless("subscriptions/listen", "listen", notifications={})
GOOD = mirrored(LIST)
MEGABYTE = 2**20
MANY = 60
"""Number of responses of a megabyte that exceed all buffers between client and server."""
SMALL = {
    "http_server.doors.aiohttp_door.HEAD_SECONDS": 0.3,
    "http_server.doors.aiohttp_door.BODY_SECONDS": 0.3,
    "http_server.doors.asgi_door.BODY_SECONDS": 0.3,
    "http_server.streamable.exchange.MOST_CALLS": 4,
    "http_server.streamable.exchange.MOST_STREAMS": 4,
    "http_server.service.MOST_BODIES": 6 * MEGABYTE,
}


@pytest.fixture(scope="module", params=DOORS)
def small(request: pytest.FixtureRequest, project: Path) -> Iterator[Server]:
    """Yield a server with short timeouts and low limits."""
    upstream = Upstream()
    with Server(project, upstream, request.param, SMALL) as found:
        yield found
    upstream.close()


def test_a_head_that_does_not_come_is_not_waited_for(small: Server) -> None:
    """Close a connection whose request head does not arrive in time.

    Not tested with uvicorn, which reads heads itself.
    """
    if small.door != "aiohttp":
        pytest.skip("uvicorn has no such bound; the proxy before it has")
    with small.connect() as connection:
        connection.write(b"POST /mcp HTTP/1.1\r\nHost: localh")
        assert connection.answer().status == 408
        assert connection.is_closed()


def test_a_body_that_does_not_come_is_not_waited_for(small: Server) -> None:
    """Refuse a request whose body does not arrive in time. Other requests are answered meanwhile."""
    with small.connect() as slow:
        slow.send("POST", fields={**GOOD, "Content-Length": "100"})
        slow.write(b"{")
        assert small.ask("POST", fields=GOOD, body=encoded(LIST)).status == 200
        answer = slow.answer()
        assert (answer.status, answer.message["error"]["code"]) == (408, -32600)
        assert slow.is_closed()


def test_a_chunked_body_is_not_read_beyond_the_limit(small: Server) -> None:
    """Test requirement P5: the server refuses a chunked body as soon as it exceeds the limit, before its end."""
    with small.connect() as connection:
        connection.send("POST", fields={**GOOD, "Transfer-Encoding": "chunked"})
        piece = b"10000\r\n" + b" " * 65536 + b"\r\n"
        for _ in range(4 * MEGABYTE // 65536 + 1):
            connection.write(piece)
        assert connection.answer().status == 413
        assert connection.is_closed()


@pytest.mark.parametrize("length", [4 * MEGABYTE, 4 * MEGABYTE + 1])
def test_a_body_has_a_limit(small: Server, length: int) -> None:
    """Test requirement P5: a body may have 4 MiB and no more."""
    body = encoded(LIST)
    with small.connect() as connection:
        connection.send("POST", fields={**GOOD, "Content-Length": str(length)})
        connection.write(body)
        if length <= 4 * MEGABYTE:  # the server refuses a body above this limit at once, and reads no more of it
            connection.write(b" " * (length - len(body)))
        assert connection.answer().status == (413 if length > 4 * MEGABYTE else 200)


def test_a_body_whose_framing_is_broken_is_refused(small: Server) -> None:
    with small.connect() as connection:
        connection.send("POST", fields={**GOOD, "Transfer-Encoding": "chunked"})
        connection.write(b'5\r\n{"jso\r\nxyz\r\n')
        # if the body arrives after the head, aiohttp does not report the broken framing, and the server waits for the
        # remaining body until a timeout (408)
        assert connection.answer().status in (400, 408)


@pytest.mark.parametrize("sizes", [(17_000,), (12_000, 12_000, 12_000), (1,) * 200], ids=["one", "three", "many"])
def test_a_head_has_a_limit(small: Server, sizes: tuple[int, ...]) -> None:
    fields = {f"X-{number}": "x" * size for number, size in enumerate(sizes)}
    if small.door == "asgi" and len(sizes) != 3:
        assert small.ask("POST", fields={**GOOD, **fields}, body=encoded(LIST)).status == 200
        return
    answer = small.ask("POST", fields={**GOOD, **fields}, body=encoded(LIST))
    assert answer.status == 431
    assert "32,768 bytes in 128 fields, and each field at most 16,384" in answer.message["error"]["message"]


def test_what_is_no_http_is_refused(small: Server) -> None:
    """Refuse bytes that are not HTTP, and write none of them to the log."""
    with small.connect() as connection:
        connection.write(b"\x16\x03\x01SECRET\r\n\r\n")
        assert connection.answer().status == 400
    assert b"SECRET" not in b"".join(small.written)


def test_streams_have_places(small: Server) -> None:
    """Test requirements M15 and L7: of the four streams that the server allows, one caller may open three, in a session
    or not.
    """
    with small.connect() as first, small.connect() as second, small.connect() as third, small.connect() as fourth:
        for connection in (first, second, third):
            post(connection, LISTEN)
            connection.stream()
            connection.event()
        post(fourth, LISTEN)
        refused = fourth.answer()
        assert (refused.status, refused.field("retry-after")) == (503, "1")
        session = Session(small)
        with small.connect() as other:
            session.listen(other)
            other.stream()
            third.close()
            assert any(_is_opened(small) for _ in range(100)), "the place was not given back"


def _is_opened(server: Server) -> bool:
    """Return True if another stream can be opened."""
    with server.connect() as connection:
        post(connection, LISTEN)
        return connection.head().status == 200


def test_calls_have_places(small: Server) -> None:
    """Limit concurrent calls: one caller may have three of four. Another caller gets the fourth."""
    connections = [small.connect() for _ in range(3)]
    for number, connection in enumerate(connections):
        post(connection, calling("hold", number, name=f"place {number}"))
        small.upstream.wait(f"place {number}")
    message = calling("echo", text="x")
    refused = small.ask("POST", fields=mirrored(message), body=encoded(message))
    assert (refused.status, refused.field("retry-after")) == (503, "1")
    assert said(Session(small).ask(call("echo", text="x")).message) == "/echo/x"
    for number, connection in enumerate(connections):
        small.upstream.release(f"place {number}")
        assert connection.answer().status == 200
        connection.close()
    assert small.ask("POST", fields=mirrored(message), body=encoded(message)).status == 200


def test_bytes_of_requests_have_places(small: Server) -> None:
    """Limit the request bytes that one caller sends at a time, of complete and incomplete requests."""
    with small.connect() as first, small.connect() as second:
        first.send("POST", fields={**GOOD, "Content-Length": str(4 * MEGABYTE)})
        first.write(b" ")
        for _ in range(1000):
            if small.ask("POST", fields={**GOOD, "Content-Length": str(MEGABYTE)}).status == 503:
                break
        else:
            raise AssertionError("there was room for all")
        second.send("POST", fields=GOOD, body=encoded(LIST))
        assert second.answer().status == 200


class FewFiles(Server):
    """A server that may have few file descriptors."""

    files = (128, 128)


class LowSoftLimit(Server):
    """A server whose soft limit of file descriptors may be raised."""

    files = (64, 1024)


PARTIAL = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\n"


@pytest.fixture
def crowded(project: Path, upstream: Upstream) -> Iterator[Server]:
    """Yield a server for sixteen connections, of which one address may open twelve. It waits long for heads."""
    constants = {
        "http_server.doors.aiohttp_door.MOST_CONNECTIONS": 16,
        "http_server.doors.aiohttp_door.HEAD_SECONDS": 600.0,
    }
    with Server(project, upstream, "aiohttp", constants) as found:
        yield found


def test_connections_that_are_served_have_places(crowded: Server) -> None:
    """Refuse the thirteenth connection of one address while its twelve others are served."""
    held = [crowded.connect() for _ in range(12)]
    for number, connection in enumerate(held):
        post(connection, calling("hold", number, name=f"place {number}"))
        crowded.upstream.wait(f"place {number}")
    with crowded.connect() as other:
        refused = other.answer()
        assert (refused.status, refused.field("retry-after")) == (503, "1")
        assert other.is_closed()
    with crowded.connect("127.0.0.2") as other:
        assert other.ask("GET", "/healthz").status == 200
    for number, connection in enumerate(held):
        crowded.upstream.release(f"place {number}")
        assert connection.answer().status == 200
    with crowded.connect() as other:
        assert other.ask("GET", "/healthz").status == 200, "an idle one gave way"
    for connection in held:
        connection.close()
    assert crowded.log("connections_full")


def test_connections_without_a_head_give_way(crowded: Server) -> None:
    """Open more connections that send nothing than there are places. A client of the same address is still served, and
    a client of another address loses nothing.
    """
    with crowded.connect("127.0.0.2") as user:
        assert user.ask("GET", "/healthz").status == 200
        silent = []
        for _ in range(40):
            silent.append(crowded.connect())
            silent[-1].write(PARTIAL)
            with crowded.connect() as other:
                assert other.ask("GET", "/healthz").status == 200
        assert silent[0].answer().status == 503
        for _ in range(8):  # now all places are taken, and the address with most connections loses some
            silent.append(crowded.connect("127.0.0.3"))
            silent[-1].write(PARTIAL)
            with crowded.connect("127.0.0.3") as other:
                assert other.ask("GET", "/healthz").status == 200
        assert user.ask("GET", "/healthz").status == 200, "it was closed for connections of others"
        written = [line for line in crowded.written if b"connections_full" in line]
        assert len(written) == 1, "a repeated cause is written once a minute"
        for connection in silent:
            connection.close()


def test_connections_are_bounded_by_descriptors(project: Path, upstream: Upstream) -> None:
    """Open more connections than the process may have descriptors. Clients are served, and the log stays small."""
    with FewFiles(project, upstream, "aiohttp", {"http_server.doors.aiohttp_door.HEAD_SECONDS": 600.0}) as server:
        silent = [server.connect() for _ in range(200)]
        message = calling("echo", text="hi")
        for _ in range(5):
            answer = server.ask("POST", fields=mirrored(message), body=encoded(message))
            assert said(answer.message) == "/echo/hi"
        for connection in silent:
            connection.close()
        assert len(server.written) < 10
        assert b"OSError" not in b"".join(server.written)


def test_the_soft_limit_of_descriptors_is_raised(project: Path, upstream: Upstream) -> None:
    with LowSoftLimit(project, upstream, "aiohttp") as server:
        limits = Path(f"/proc/{server.process.pid}/limits").read_text()
        line = next(line for line in limits.splitlines() if line.startswith("Max open files"))
        assert int(line.split()[3]) == 1024


@pytest.mark.parametrize("door", DOORS)
def test_a_body_has_one_deadline_however_it_comes(project: Path, upstream: Upstream, door: str) -> None:
    """Send a short body in pieces that come quickly after each other, but never all of them."""
    constants = {
        "http_server.doors.aiohttp_door._BODY_FOLLOWS": 0.2,
        "http_server.doors.aiohttp_door.BODY_SECONDS": 0.5,
        "http_server.doors.asgi_door.BODY_SECONDS": 0.5,
    }
    with Server(project, upstream, door, constants) as server, server.connect() as connection:
        connection.send("POST", fields={**GOOD, "Content-Length": "15000"})
        connection.socket.settimeout(0.01)  # the pause between two pieces
        for _ in range(3000):
            connection.socket.sendall(b" ")
            with suppress(TimeoutError):
                assert connection.socket.recv(12) == b"HTTP/1.1 408"
                return
        raise AssertionError("the server went on reading")


@pytest.fixture(params=DOORS)
def impatient(request: pytest.FixtureRequest, project: Path, upstream: Upstream) -> Iterator[Server]:
    """Yield a server that buffers at most one megabyte of unread responses, for all clients together."""
    with Server(
        project, upstream, request.param, {"http_server.requests.response_writer.MOST": MEGABYTE + 2000}
    ) as found:
        yield found


def test_who_does_not_read_is_given_up(impatient: Server) -> None:
    """Drop the responses of a client that does not read. A client that reads gets its complete response.

    The limit on unread bytes is for all clients together.
    """
    message = calling("large", size=2 * MEGABYTE)
    answer = impatient.ask("POST", fields=mirrored(message), body=encoded(message))
    links = [each for each in answer.message["result"]["content"] if each["type"] == "resource_link"]
    read = stateless("resources/read", "read", uri=f"{links[0]['uri']}?size={MEGABYTE}")
    with _without_reading(impatient, read) as idle:
        whole = 0
        for _ in range(100):
            # While network buffers accept bytes for the idle client, the server believes that this client reads. It may
            # then close the connection of this request instead of the idle client's.
            whole = whole + 1 if _is_whole(impatient, read) else 0
            if whole == 3:
                break
        assert whole == 3, "three in a row"
        assert _read_on(idle) < MANY - 1


@pytest.mark.parametrize("door", DOORS)
def test_who_is_given_up_at_once_is_told_to_come_again(project: Path, upstream: Upstream, door: str) -> None:
    """Test requirement E6: a response that exceeds the limit on unread bytes before its head is written is dropped.

    The ASGI application then answers 503 with Retry-After. The aiohttp server closes the connection.
    """
    with Server(project, upstream, door, {"http_server.requests.response_writer.MOST": 50_000}) as server:
        session = Session(server)
        found = session.ask(call("large", size=MEGABYTE)).message["result"]["content"]
        uri = next(each["uri"] for each in found if each["type"] == "resource_link")
        with server.connect() as connection:
            session.post(connection, request("resources/read", uri=f"{uri}?size=100000"))
            if door == "asgi":
                answer = connection.answer()
                assert (answer.status, answer.field("retry-after")) == (503, "1")
            else:
                assert connection.is_closed()
        assert session.ask(request("resources/read", uri=f"{uri}?size=1000")).status == 200


def test_who_takes_nothing_is_not_waited_for(project: Path, upstream: Upstream) -> None:
    """Close a connection whose client reads nothing for a while, even if the limit on unread bytes is not reached.

    Not tested with ASGI: an ASGI application cannot close a connection, and only cancels the request to free memory.
    """
    with Server(project, upstream, "aiohttp", {"http_server.doors.aiohttp_door.WRITE_SECONDS": 0.3}) as server:
        message = calling("large", size=2 * MEGABYTE)
        answer = server.ask("POST", fields=mirrored(message), body=encoded(message))
        links = [each for each in answer.message["result"]["content"] if each["type"] == "resource_link"]
        read = stateless("resources/read", "read", uri=f"{links[0]['uri']}?size={MEGABYTE}")
        with _without_reading(server, read) as idle:
            broken = select.poll()
            broken.register(idle.socket, 0)  # registered for no event: poll always reports the end of the connection
            assert broken.poll(PATIENCE * 1000)
            assert _read_on(idle) < MANY - 1


def _without_reading(server: Server, message: dict[str, object]) -> Connection:
    """Open a connection, and request more than all buffers hold, without reading.

    Return once the server has begun to respond.
    """
    connection = server.connect()
    for _ in range(MANY):
        post(connection, message)
    connection.head()
    return connection


def _is_whole(server: Server, message: dict[str, object]) -> bool:
    """Send a request and read at once. Return True if the complete response arrived."""
    with server.connect() as connection:
        try:
            post(connection, message)
            answer = connection.answer()
        except (ConnectionError, AssertionError, ValueError):
            return False  # the server closed the connection before or during its response
        return answer.status == 200 and len(answer.body) > MEGABYTE


def _read_on(connection: Connection) -> int:
    """Return the number of further complete responses on the connection."""
    found = 0
    try:
        while len(connection._file.read(MEGABYTE)) == MEGABYTE:
            found += 1
    except ConnectionError:
        pass
    return found


def test_requests_of_one_client_run_at_the_same_time(small: Server) -> None:
    """Test requirements M16 and L8: two requests of one client run at the same time."""
    session = Session(small)
    with small.connect() as held, small.connect() as other:
        session.post(held, call("hold", 1, name="beside"))
        small.upstream.wait("beside")
        session.post(other, request("ping", 2))
        assert other.answer().message["id"] == 2
        small.upstream.release("beside")
        assert held.answer().message["id"] == 1
