"""Test upstream responses end to end: a socket sends raw bytes, and a client of a real server gets the result.

Each row of ROWS begins with the id of its attack case. After the response of a row, the next call must succeed (UP-13).
"""

from __future__ import annotations

import asyncio
import gzip
import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hostile.subject import compiled, playing, started
from tests.leaks import SECRET
from tests.runtime.process import Server
from tests.runtime.upstream import Connection

JSON, TEXT = "application/json", "text/plain"
BIG = b"x" * 2**20


def whole(content: bytes, kind: str = TEXT, status: str = "200 OK", *fields: str) -> bytes:
    head = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", f"Content-Length: {len(content)}", *fields, "", ""]
    return "\r\n".join(head).encode("latin-1") + content


def raw_deflate(content: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(content) + packer.flush()


def nested_gzip(times: int) -> bytes:
    content = b"x"
    for _ in range(times):
        content = gzip.compress(content)
    return whole(content, TEXT, "200 OK", *["Content-Encoding: gzip"] * times)


def transferred(coding: str) -> bytes:
    """Return a response with this Transfer-Encoding. Its body is chunked if the coding says so."""
    content = gzip.compress(b"ok")
    chunks = b"%x\r\n%b\r\n0\r\n\r\n" % (len(content), content) if "hunked" in coding else content
    return b"HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: %b\r\n\r\n%b" % (coding.encode(), chunks)


UNASKED = "transfer coding that was not asked for|did not answer in HTTP that can be read"
TRANSFER_CODINGS = ("gzip, chunked", "deflate,chunked", "x-gzip , Chunked", "gzip", "br, chunked", "chunked, gzip")
CODED = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n"
NOTHING_CODED = {
    "a length of 0": CODED + b"Content-Length: 0\r\n\r\n",
    "no chunk": CODED + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "an end": CODED + b"\r\n",
}
CUT = r"Only the first [\d,]+ bytes of the answer were read"
UNREADABLE = "did not answer in HTTP that can be read"
ROWS: list[tuple[str, str, bytes, bool, str]] = [
    (
        "UP-02",
        "deflate without a header",
        whole(raw_deflate(b"ok"), TEXT, "200 OK", "Content-Encoding: deflate"),
        False,
        "ok$",
    ),
    (
        "UP-02",
        "gzip that ends early",
        whole(gzip.compress(b"ok")[:-4], TEXT, "200 OK", "Content-Encoding: gzip"),
        True,
        "ends too early",
    ),
    (
        "UP-02",
        "a bomb in an error",
        whole(gzip.compress(bytes(2**25)), TEXT, "500 Oh", "Content-Encoding: gzip"),
        True,
        "HTTP 500",
    ),
    (
        "UP-03",
        "br",
        whole(b"\x0b\x02\x80ok\x03", TEXT, "200 OK", "Content-Encoding: br"),
        True,
        "coding br, which was not asked for",
    ),
    ("UP-04", "two hundred gzips", nested_gzip(200), True, "coding that was not asked for"),
    ("UP-05", "a head of many fields", b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200_000 + b"\r\n", True, UNREADABLE),
    ("UP-07", "a hundred thousand deep", whole(b"[" * 100_000 + b"]" * 100_000, JSON), False, r"\[\[\["),
    ("UP-07", "never closed", whole(b"[" * 100_000, JSON), False, r"\[\[\["),
    ("UP-08", "Infinity", whole(b'{"a":Infinity,"b":1e400}', JSON), False, re.escape('{"a":Infinity,"b":1e400}')),
    ("UP-09", "five thousand digits", whole(b'{"b":' + b"7" * 5000 + b"}", JSON), False, "7" * 5000),
    ("UP-09", "-0 and many decimals", whole(b"[-0,0.1" + b"0" * 1000 + b"]", JSON), False, r"\[-0,0\.10{1000}\]"),
    ("UP-10", "a lone surrogate", whole(b'{"a":"\\ud800"}', JSON), False, r'\{"a":"\\ud800"\}'),
    ("UP-10", "a bad byte", whole(b'{"a":"\xff"}', JSON), False, "\ufffd"),
    ("UP-10", "a charset with a line break", whole(b"ok", "text/plain; charset=x\ty"), False, "ok"),
    ("UP-11", "a member twice", whole(b'{"a":"1","a":"2"}', JSON), False, '"a":"2"'),
    ("UP-11", "HTML as JSON", whole(b"<html>", JSON), False, "<html>"),
    ("UP-11", "JSON as HTML", whole(b'{"a":"1"}', "text/html"), False, '"a":"1"'),
    ("UP-11", "nothing, and 204", b"HTTP/1.1 204 No Content\r\n\r\n", False, "Done"),
    ("UP-11", "nothing, and 200", b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", False, "Done"),
    ("UP-12", "a hundred kilobytes of error", whole(b"Oh. " * 25_000, TEXT, "500 No"), True, "HTTP 500"),
    ("UP-13", "two lengths", b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 9\r\n\r\nok", True, UNREADABLE),
    (
        "UP-13",
        "a length and chunks",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
        True,
        UNREADABLE,
    ),
    ("UP-13", "HTTP/0.9", b"<html>hello</html>", True, UNREADABLE),
    ("UP-13", "HTTP/1.0", b"HTTP/1.0 200 OK\r\n\r\nok", False, "ok"),
    (
        "UP-14",
        "a picture of five megabytes",
        whole(b"\x89PNG" + bytes(5 * 2**20), "image/png"),
        False,
        "too large to be passed on",
    ),
    ("UP-16", "escapes in a reason", whole(b"", TEXT, "599 a\x1b[31mb"), True, r"HTTP 599"),
    ("UP-16", "escapes in a body", whole(b"a\x1b]8;;http://evil\x07b\x1b[2J"), False, r"a\]8;;http://evilb\[2J"),
    ("UP-17", "a line of the protocol", whole(b'\n{"jsonrpc":"2.0","id":1,"result":{}}\n'), False, '"jsonrpc"'),
    ("UP-18", "tag characters in an error", whole("a\U000e0041b\u202e".encode(), TEXT, "400 No"), True, "ab"),
    (
        "UP-19",
        "an extension of a megabyte",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x=" + BIG + b"\r\nok\r\n0\r\n\r\n",
        False,
        "ok$",
    ),
    ("UP-20", "Retry-After of a megabyte", whole(b"", TEXT, "429 No", "Retry-After: " + "9" * 2**20), True, UNREADABLE),
    (
        "UP-20",
        "Retry-After of ages",
        whole(b"", TEXT, "503 No", "Retry-After: 999999999"),
        True,
        "Wait 3600 seconds or more",
    ),
    (
        "CRED-02",
        "a redirect of a megabyte",
        whole(b"", TEXT, "302 No", "Location: http://evil/" + "x" * 2**20),
        True,
        UNREADABLE,
    ),
    *(("HARD-22", f"{coding} as a transfer coding", transferred(coding), True, UNASKED) for coding in TRANSFER_CODINGS),
    (
        "HARD-22",
        "chunks in capitals",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
        False,
        "ok$",
    ),
    *(("HARD-22", f"{what} without a byte", answer, True, "ends too early") for what, answer in NOTHING_CODED.items()),
    ("HARD-22", "a coded 204", b"HTTP/1.1 204 No\r\nContent-Encoding: gzip\r\n\r\n", False, "Done"),
    ("HARD-22", "a coded 304", b"HTTP/1.1 304 No\r\nContent-Encoding: gzip\r\n\r\n", False, "Not modified"),
    ("HARD-22", "a coded error", whole(b"", TEXT, "503 No", "Content-Encoding: gzip"), True, "HTTP 503"),
    ("HARD-22", "gzip of nothing", whole(gzip.compress(b""), TEXT, "200 OK", "Content-Encoding: gzip"), False, "Done"),
    (
        "HARD-10",
        "what nobody sees",
        whole("a\u200bb\u2062c\ufe01d\U000e0101e\ufefff\u2060g\u00adh".encode()),
        False,
        "abcdefgh\n7 invisible or control characters were taken out",
    ),
    (
        "HARD-10",
        "what emoji need",
        whole("\u2764\ufe0f \U0001f469\u200d\U0001f4bb".encode()),
        False,
        "^\u2764\ufe0f .\u200d.$",
    ),
    (
        "HARD-18",
        "a page that is called an image",
        whole(b"<html>no picture</html>", "image/png"),
        False,
        "application/octet-stream, labelled image/png, 23 bytes",
    ),
    (
        "HARD-18",
        "a type that few take",
        whole(b"II*\0" + bytes(9), "image/tiff"),
        False,
        "image/tiff, 13 bytes",
    ),
    (
        "HARD-18",
        "an image of seven megabytes of base64",
        whole(b"\x89PNG\r\n\x1a\n" + bytes(21 * 2**18), "image/png"),
        False,
        "too large to be passed on. All that came",
    ),
    ("CRED-06", "the credential in pieces", whole(f"a {SECRET} b".encode(), TEXT), False, r"a \[redacted\] b"),
]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("answers"))


async def play(connection: Connection) -> None:
    """Answer call number n with the response in row n of ROWS, and any other call with the text `well`.

    A response that holds a credential is sent in two pieces.
    """
    request = await connection.request()
    if not request:
        return
    number = int(re.search(rb"\?n=(\d+)", request)[1])  # type: ignore[index]
    if number >= len(ROWS):
        await connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nwell")
        return
    answer = ROWS[number][2]
    middle = answer.find(SECRET.encode()) + 10
    for piece in (answer[:middle], answer[middle:]) if middle > 10 else (answer,):
        await connection.send(piece)
        await turns()


async def turns() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


@pytest.fixture(scope="module")
def server(project: Path) -> Iterator[Server]:
    with playing(play) as upstream, started(project, upstream) as server:
        yield server


def told(server: Server, tool: str, number: int) -> tuple[bool, str]:
    """Call a tool. Return True if the call failed, and the text of its result."""
    server.call(tool, n=number)
    while "method" in (message := server.message()):
        continue
    texts = [block["text"] for block in message["result"]["content"] if block["type"] == "text"]
    return message["result"]["isError"], "\n".join(texts)


@pytest.mark.parametrize("number", range(len(ROWS)), ids=[f"{row[0]} {row[1]}" for row in ROWS])
@pytest.mark.parametrize("tool", ["get_case", "get_case_structured"])
def test_what_is_told(server: Server, tool: str, number: int) -> None:
    _, what, _, is_error, pattern = ROWS[number]
    failed, text = told(server, tool, number)
    assert failed is is_error, text[:500]
    if tool == "get_case" and what != "a member twice":
        assert re.search(pattern, text), text[:500]
    assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202e\U000e0041]", text)
    assert len(text) < 40_000
    assert "Traceback" not in text
    assert told(server, "get_case", 10**6) == (False, "well")


def test_up_06_calls_that_hang_hold_up_no_others(project: Path) -> None:
    """Check that calls without a response delay no other calls.

    The deadline of the hanging calls is long, so the other calls must be answered first.
    """

    async def silent(connection: Connection) -> None:
        while request := await connection.request():
            if b"n=1 " in request:
                await connection.closed()
            await connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nwell")

    with playing(silent) as upstream, started(project, upstream) as server:
        hanging = [server.call("get_case", n=1) for _ in range(20)]
        others = {server.call("get_case", n=2) for _ in range(40)}
        while others:
            message = server.message()
            assert message.get("id") not in hanging
            others.discard(message.get("id"))
        for each in hanging:
            server.cancel(each)
        server.end()
        assert server.ended() == 0


def test_up_01_a_length_that_no_disk_holds_is_read_as_far_as_is_kept(project: Path) -> None:
    async def endless(connection: Connection) -> None:
        await connection.request()
        await connection.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n" % 10**18)
        while True:
            await connection.send(BIG)

    with playing(endless) as upstream, started(project, upstream, HOSTILE_MAX_RESULT="1 MiB") as server:
        failed, text = told(server, "get_case", 0)
        assert not failed
        assert re.search(CUT, text)
        assert json.dumps(text).count("x") < 40_000
    assert upstream.bytes_sent < 64 * 2**20


def test_hard_18_what_is_passed_on_follows_what_is_shown(project: Path) -> None:
    """Check that an image over 256,000 bytes is stored as a resource, not returned inline, if the limit on results is
    `2k tokens`.
    """
    sizes = (256_000, 256_001, 2_700_000)

    async def pictures(connection: Connection) -> None:
        while request := await connection.request():
            number = int(re.search(rb"n=(\d+)", request)[1])  # type: ignore[index]
            await connection.send(whole(b"\x89PNG\r\n\x1a\n".ljust(sizes[number], b"\0"), "image/png"))

    with playing(pictures) as upstream, started(project, upstream, HOSTILE_MAX_RESULT="2k tokens") as server:
        contents = [server.result("get_case", n=number)["content"] for number in range(len(sizes))]
    assert [block["type"] for block in contents[0]] == ["image"]
    assert [[block["type"] for block in content] for content in contents[1:]] == [["text", "resource_link"]] * 2
