"""Send mutated raw upstream responses to a real server.

Each call must end within its deadline. Its result must hold no error text of a library, and not the credential that the
response repeats. The next call must find a working connection, and get its own response.
"""

from __future__ import annotations

import asyncio
import base64
import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from urllib.parse import quote

from tests.hostile.fuzz.codings import coded, transferred
from tests.hostile.fuzz.limits import MOST_MEMORY, peak, serving
from tests.hostile.fuzz.lines import events
from tests.hostile.fuzz.mutation import mutated, text, torn, tree_of
from tests.hostile.subject import playing
from tests.leaks import SECRET
from tests.runtime.process import Server
from tests.runtime.upstream import Connection, Play

AT_ONCE = 16
MOMENT, AGES = 0.05, 60.0
SECONDS = "1"
"""Deadline of each call in seconds. A few of the responses make a call wait for it."""

CPU_SECONDS, CPU_SECONDS_PER_THOUSAND = 20, 60
"""Limits on the CPU seconds of the server: for its start, and for each thousand responses."""

TOOLS = ("get_case", "get_case", "get_case_structured", "post_case")
KEY = b"%KEY%"
VALUE: Any = {
    "a": "text",
    "b": 7,
    "list": [1, 2.5, None, {"x": "\u00e9"}],
    "next": "/api/v1/case?n=2&page=2",
    "key": "%KEY%",
}
PROBLEM = {"type": "about:blank", "title": "Wrong", "status": 422, "detail": "no %KEY%", "errors": [{"field": "n"}]}
ROWS = [{"id": number, "name": f"row {number}", "note": "x" * 40} for number in range(900)]
KINDS = [
    *("application/json", "application/json; charset=utf-8", "text/plain", "text/html; charset=iso-8859-1", "text/csv"),
    *("application/problem+json", "text/event-stream", "application/x-ndjson", "image/png", "audio/mpeg", "x", ""),
    *(
        "application/octet-stream",
        "application/xml",
        "text/plain; charset=utf-16",
        "text/plain; charset=utf-7",
        "a/b;=",
    ),
    *("application/json; charset=no-such", "multipart/mixed; boundary=x", "application/vnd.api+json", "image/svg+xml"),
]
STATUSES = [
    *(b"200 OK", b"200 OK", b"200 OK", b"201 Created", b"202 ", b"204 No Content", b"206 Partial", b"304 Not Modified"),
    *(b"301 Moved", b"307 Temporary", b"400 Bad", b"401 Unauthorized", b"403 F", b"404 Not Found", b"409 C", b"422 U"),
    *(
        b"429 Too Many",
        b"500 Oh %KEY%",
        b"503 Un\x1b[31mavailable",
        b"599",
        b"100 Continue",
        b"103 Early",
        b"999 X",
        b"0",
    ),
]
FIELDS = [
    *(b"Connection: close", b"Connection: keep-alive", b"Connection: upgrade\r\nUpgrade: websocket", b"Retry-After: 1"),
    *(
        b"Retry-After: 99999999999",
        b"Set-Cookie: a=%KEY%; Path=/",
        b"Location: http://127.0.0.1:1/%KEY%",
        b"X: \xff\xfe",
    ),
    *(b'Link: </api/v1/case?n=2&page=2>; rel="next"', b"Link: <>;;", b"Content-Length: 3", b"Content-Length: -1"),
    *(b"Transfer-Encoding: chunked", b"Transfer-Encoding: gzip, chunked", b"Content-Encoding: br", b"Trailer: X"),
    *(b"Content-Encoding: gzip", b"Content-Encoding: gzip, gzip", b"Content-Type: text/plain", b"X-Total-Count: 9"),
    *(b"X-Long: " + b"y" * 9000, b" folded: line", b"No-Colon", b": no name", b"WWW-Authenticate: Bearer realm=%KEY%"),
    *(b'Content-Disposition: attachment; filename="../../%KEY%"', b"ETag: \x00", b"Date: now", b"Server: x"),
]


class Case(NamedTuple):
    """One case: the bytes of a response, and for how many seconds the connection then stays open."""

    answer: bytes
    open: float


def bodies(chance: Random) -> bytes:
    """Return a random body: mostly JSON that was mutated as a tree."""
    source = chance.choice([VALUE] * 6 + [PROBLEM] * 3 + [ROWS, [], "text", 7, None])
    tree = mutated(chance, tree_of(source), chance.choice((0, 1, 2, 4))) if source is not ROWS else tree_of(source)
    content = text(chance, tree).encode("utf-8", "surrogatepass")
    kind = chance.randrange(12)
    others = {
        0: b"",
        1: b"data: " + content + b"\n\nevent: x\ndata: 2\n\n",
        2: content + b"\n" + content + b"\n",
        3: b"\x89PNG\r\n\x1a\n" + bytes(chance.randrange(256) for _ in range(200)),
        4: b"<html><body><h1>Oh</h1><pre>%KEY%</pre></body></html>",
        5: content.decode("utf-8", "replace").encode("utf-16"),
    }
    return others.get(kind, content)


def cases(chance: Random, count: int) -> Iterator[Case]:
    """Yield random responses of every kind, most of them nearly valid."""
    before = b""
    for _ in range(count):
        content = bodies(chance)
        fields = [b"Content-Type: " + chance.choice(KINDS).encode()] if chance.random() < 0.9 else []
        if chance.random() < 0.25:
            content, more = coded(chance, content)
            fields += more
        if chance.random() < 0.3:
            content, field = transferred(chance, content)
            fields.append(field)
        elif chance.random() < 0.9:
            fields.append(b"Content-Length: %d" % (len(content) + chance.choice((0,) * 20 + (1, -1, 1000))))
        fields += chance.sample(FIELDS, chance.choice((0, 0, 0, 0, 1, 1, 3)))
        chance.shuffle(fields)
        version = chance.choice((b"HTTP/1.1",) * 60 + (b"HTTP/1.0", b"HTTP/2", b"HTTP/9.9", b"ICY", b"http/1.1"))
        head = b"\r\n".join((version + b" " + chance.choice([*STATUSES, *(b"200 OK",) * 20]), *fields))
        answer = head + b"\r\n\r\n" + content
        if chance.random() < 0.3:
            answer = torn(chance, answer, chance.choice((1, 1, 1, 2, 4)), before)
        if chance.random() < 0.03:
            answer = chance.choice((b"HTTP/1.1 103 Early\r\n\r\n", b"HTTP/1.1 100 Continue\r\n\r\n")) * 3 + answer
        if chance.random() < 0.03:
            answer += answer
        before = answer
        yield Case(answer, chance.choices((0, MOMENT, AGES), (50, 50, 0.3))[0])


LIBRARY = re.compile(
    r"Traceback|aiohttp|yarl|multidict|Client[A-Z]|Exception|NoneType|object at 0x|<class |codec can't|Expecting "
    r"|[Ii]nvalid (start |continuation )?(byte|header|character|HTTP)|zlib|Errno|Bad status"
    r"|LineTooLong|Not enough data|Can not"
)
"""Words of libraries and of Python that no result may show. No response holds them, so they can come only from an error
of the server.
"""


class Found(AssertionError):
    """A response that shows a fault, with a description of the fault."""

    def __init__(self, case: Case, problem: object) -> None:
        super().__init__(f"{problem}\n{case.answer[:3000]!r} open={case.open}")
        self.case = case


def play(cases: dict[int, Case]) -> Play:
    """Return an upstream that answers request number n with case n.

    A request without a case gets its own number as the response.
    """

    async def answer(connection: Connection) -> None:
        patience = AGES
        with suppress(TimeoutError):
            while request := await asyncio.wait_for(connection.request(), patience):
                patience = await one(connection, request)

    async def one(connection: Connection, request: bytes) -> float:
        """Answer one request. Return the seconds for which to wait for the next request."""
        number = int(re.search(rb"\?n=(\d+)", request)[1])  # type: ignore[index]
        case = cases.get(number)
        if case is None:
            content = b'{"a":"number %d"}' % number
            head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(content)
            await connection.send(head + content)
            return AGES
        key = re.search(rb"(?i)x-key: (\S+)", request)[1]  # type: ignore[index]
        await connection.send(case.answer.replace(KEY, shapes(key)[number % 4]))
        return case.open

    return answer


def shapes(key: bytes) -> list[bytes]:
    """Return the encoded forms in which an upstream repeats a credential."""
    return [key, quote(key, safe="").encode(), base64.b64encode(b"me:" + key), json.dumps(key.decode())[1:-1].encode()]


def fuzz(project: Path, seed: int, count: int) -> None:
    """Run `count` cases. Raise Found if a response shows a fault of the server."""
    run(project, list(cases(Random(seed), count)))


def run(project: Path, given: list[Case]) -> None:
    """Answer calls with the cases in `given`, sixteen at a time, then some calls with valid responses.

    Raise Found for the first fault.

    The server runs under limits of CPU and memory, because it decodes several layers of content codings, and each layer
    may be a bomb.
    """
    numbered = dict(enumerate(given, 1))
    work = CPU_SECONDS + CPU_SECONDS_PER_THOUSAND * len(given) // 1000
    timeout = {"HOSTILE_TIMEOUT": SECONDS}
    with playing(play(numbered)) as upstream, serving(project, upstream, work, variables=timeout) as server:
        _calls(server, numbered, {10**9: TOOLS[0]}, check_well)
        before = peak(server)
        for first in range(1, len(given) + 1, AT_ONCE):
            numbers = range(first, min(first + AT_ONCE, len(given) + 1))
            _calls(server, numbered, {number: TOOLS[number % 4] for number in numbers}, check)
            well = {number: TOOLS[number % 4] for number in range(10**9 + first, 10**9 + first + 4)}
            _calls(server, numbered, well, check_well)
            if (grown := peak(server) - before) > MOST_MEMORY:
                raise Found(max((numbered[number] for number in numbers), key=_size), f"{grown:,} bytes of memory")
        server.end()
        server.rest()
        assert server.ended() == 0
        events(server)


def _size(case: Case) -> int:
    return len(case.answer)


def _calls(
    server: Server, cases: dict[int, Case], tools: dict[int, str], check: Callable[[int, dict[str, Any]], None]
) -> None:
    ids = {_asked(server, tool, number): number for number, tool in tools.items()}
    while ids:
        number = 0
        try:
            message = server.message()
            if "method" in message:
                continue
            number = ids.pop(message["id"])
            assert "result" in message, f"it broke: {message}"
            check(number, message["result"])
        except Exception as problem:
            last = [case for each, case in cases.items() if each <= max(tools) % 10**9]
            raise Found(cases.get(number, last[-1]), f"{type(problem).__name__}: {problem}") from problem


def _asked(server: Server, tool: str, number: int) -> int:
    arguments = {"n": number, "name": "x"} if tool == "post_case" else {"n": number}
    return server.request("tools/call", name=tool, arguments=arguments)


def check(number: int, result: dict[str, Any]) -> None:
    """Check that a result holds only the server's own texts and the upstream's content, and no credential."""
    shown = json.dumps(result)
    assert result["content"]
    assert SECRET not in shown
    assert not LIBRARY.search(shown), LIBRARY.search(shown)
    for block in result["content"]:
        if block["type"] == "text":
            assert block["text"]
            assert len(block["text"].encode("utf-8", "surrogatepass")) < 40_000
            assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]", block["text"]), block["text"][:500]


def check_well(number: int, result: dict[str, Any]) -> None:
    """Check that a call got its own response and no other.

    A failure is allowed if the upstream had just closed the connection.
    """
    if "closed the connection without an answer" in result["content"][0]["text"]:
        return
    assert result["isError"] is False, result
    assert json.loads(result["content"][0]["text"]) == {"a": f"number {number}"}, result
