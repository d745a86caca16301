"""Test servers with a low limit on open files and many large responses: each call is answered, and the memory is freed
afterwards.
"""

from __future__ import annotations

import asyncio
import resource
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.hostile.subject import BASE, PACKAGE, compiled, playing
from tests.runtime.process import PATIENCE, Server
from tests.runtime.upstream import Connection, Play, Upstream

MIB = 2**20
ROW = b'{"id":1,"name":"row","note":"' + b"x" * 80 + b'"},'
LARGE = b"[" + ROW * 66_000 + b"1]"
AT_ONCE = 64
MOST_MEMORY = 160 * MIB
"""Limit in bytes on the growth of peak memory over that after an ordinary call, with 64 responses of 8 MB at a time."""
MOST_LEFT = 48 * MIB
"""Limit in bytes on the memory that is still in use shortly after the last response."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("crowded"))


class Busy:
    """Upstream that answers after a pause. It records its requests, and the highest number that was open at a time."""

    def __init__(self, content: bytes = b'{"a":1}', turns: int = 40) -> None:
        self.reached: list[bytes] = []
        self.at_once = self.most = 0
        self._content, self._turns = content, turns

    async def __call__(self, connection: Connection) -> None:
        while request := await connection.request():
            self.reached.append(request)
            self.at_once += 1
            self.most = max(self.most, self.at_once)
            for _ in range(self._turns):
                await asyncio.sleep(0)
            self.at_once -= 1
            head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
            await connection.send(head % len(self._content) + self._content)


def serving(project: Path, upstream: Upstream, host: str = "127.0.0.1", **popen: Any) -> Server:
    environ = {"HOSTILE_BASE_URL": f"http://{host}:{upstream.port}{BASE}", **popen.pop("env", {})}
    return Server(project, package=PACKAGE, env=environ, **popen)


def answers(server: Server, tool: str, count: int) -> list[dict[str, Any]]:
    """Call the tool `count` times at once, and return the results."""
    left = {server.request("tools/call", name=tool, arguments=arguments(tool, number)) for number in range(count)}
    found = []
    while left:
        message = server.message()
        if message.get("id") in left:
            left.discard(message["id"])
            found.append(message["result"])
    return found


def arguments(tool: str, number: int) -> dict[str, Any]:
    return {"n": number, "name": "x"} if tool == "post_case" else {"n": number}


def descriptors(most: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
@pytest.mark.parametrize(
    ("most", "calls", "tool", "concurrency"),
    [(64, 80, "get_case", ""), (40, 80, "get_case", ""), (24, 80, "get_case", ""), (256, 300, "post_case", "256")],
)
def test_hard_11_with_few_descriptors_each_call_is_answered(
    project: Path, host: str, most: int, calls: int, tool: str, concurrency: str
) -> None:
    busy = Busy()
    environ = {"HOSTILE_CONCURRENCY": concurrency} if concurrency else {}
    with (
        playing(busy) as upstream,
        serving(project, upstream, host, env=environ, preexec_fn=descriptors(most)) as server,
    ):
        found = answers(server, tool, calls)
        server.end()
        server.rest()
        assert server.ended() == 0
        assert any('"event":"few_descriptors"' in line for line in server.complaints()), "it says so"
    assert [each["isError"] for each in found] == [False] * calls
    assert len(busy.reached) == calls
    assert busy.most < most


WATCHED = """
import runpy, sys
def watch(event, given):
    if event == "import" or (event == "open" and isinstance(given[0], str)):
        if watching and watching[0]:
            print("late", event, given[0], file=sys.stderr, flush=True)
watching = []
sys.addaudithook(watch)
from hostile_mcp.runtime.http import client
sends = client.Client.send
async def send(self, *given, **named):
    watching[:] = [True]
    return await sends(self, *given, **named)
client.Client.send = send
sys.argv[:] = ["hostile_mcp"]
runpy.run_module("hostile_mcp", run_name="__main__")
"""
"""Program that runs the server. After its first request it prints the name of each file that is opened and each module
that is imported.
"""

FIELDS = "Content-Type: {}\r\nContent-Length: {}\r\n\r\n"
ANSWERS: list[bytes] = [
    b"HTTP/1.1 200 OK\r\n" + FIELDS.format("application/json", 7).encode() + b'{"a":1}',
    b"HTTP/1.1 422 No\r\n" + FIELDS.format("application/problem+json", 14).encode() + b'{"title":"no"}',
    b"HTTP/1.1 503 No\r\nRetry-After: 0\r\n" + FIELDS.format("text/plain", 2).encode() + b"no",
    b"HTTP/1.1 204 No Content\r\n\r\n",
    b"HTTP/1.1 200 OK\r\n" + FIELDS.format("text/plain; charset=latin-1", 3).encode() + b"\xe9\xe9\xe9",
    b"HTTP/1.1 200 OK\r\n" + FIELDS.format("text/plain; charset=utf-16", 6).encode() + b"\xff\xfea\0b\0",
    b"HTTP/1.1 200 OK\r\n" + FIELDS.format("image/png", 8).encode() + b"\x89PNG\r\n\x1a\n",
    b"HTTP/1.1 200 OK\r\n" + FIELDS.format("application/json", 100_002).encode() + b"[" + b"1," * 50_000 + b"]",
    b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n" + FIELDS.format("text/plain", 3).encode() + b"abc",
    b"no HTTP at all\r\n\r\n",
    b"",
]  # fmt: skip


async def one_of_each(connection: Connection) -> None:
    """Send the response whose number the request names, then close the connection."""
    if request := await connection.request():
        number = int(request.partition(b"?n=")[2].partition(b" ")[0] or b"0")
        await connection.send(ANSWERS[number % len(ANSWERS)])


def test_hard_11_no_answer_imports_or_opens(project: Path) -> None:
    with playing(one_of_each) as upstream, serving(project, upstream, program=("-c", WATCHED)) as server:
        answers(server, "get_case", 1)
        answers(server, "get_case_structured", len(ANSWERS))
        answers(server, "get_case", len(ANSWERS))
        for wrong in ({"n": "x"}, {"m": 1}, {"n": 1, "q": []}):
            assert server.result("get_case", **wrong)["isError"] is True
        server.end()
        server.rest()
        assert [line for line in server.complaints() if line.startswith("late ")] == []


SENDING = """
mcpgen: 1
server: {name: hostile}
base_url: https://api.hostile.example/api/v1
tools:
  - {name: get_case, request: GET /case}
  - name: upload
    request: POST /upload
    body:
      content:
        multipart/form-data:
          schema: {type: object, properties: {data: {type: string, contentEncoding: base64}}}
  - name: send
    request: POST /send
    body: {content: {application/octet-stream: {}}}
  - {name: sample, request: GET /case, requires: [sampling]}
"""


def test_hard_11_no_file_and_no_refusal_imports(tmp_path: Path) -> None:
    (tmp_path / "sending.yaml").write_text(SENDING, encoding="utf-8")
    project = compiled(tmp_path, tmp_path / "sending.yaml")
    with playing(Busy()) as upstream, serving(project, upstream, program=("-c", WATCHED)) as server:
        for tool, given in (("get_case", {}), ("upload", {"data": "AAAA"}), ("send", {"body": "AAAA"})):
            assert not server.result(tool, **given).get("isError"), tool
        server.call("sample")
        assert "sampling" in str(server.message()["error"])
        server.end()
        server.rest()
        assert [line for line in server.complaints() if line.startswith("late ")] == []


def memory(server: Server, name: str) -> int:
    status = Path(f"/proc/{server.process.pid}/status").read_text(encoding="utf-8")
    return int(status.partition(f"{name}:")[2].split()[0]) * 1024


@pytest.fixture
def large(project: Path) -> Iterator[Server]:
    async def play(connection: Connection) -> None:
        while request := await connection.request():
            content = b'{"a":1}' if b"?n=0 " in request else LARGE
            head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
            await connection.send(head % len(content) + content)

    chosen: Play = play
    with playing(chosen) as upstream, serving(project, upstream) as server:
        yield server


@pytest.mark.slow
def test_hard_19_many_large_answers_stay_within_a_bound_and_give_back_what_they_took(large: Server) -> None:
    large.result("get_case", n=0)
    before = memory(large, "VmRSS")
    for result in answers(large, "get_case", AT_ONCE)[1:]:
        assert result["isError"] is False
        assert f"of {len(LARGE):,} bytes" in result["content"][0]["text"] or "left out" in str(result["content"])
    assert memory(large, "VmHWM") - before < MOST_MEMORY
    end = time.monotonic() + PATIENCE
    while memory(large, "VmRSS") - before > MOST_LEFT:
        assert time.monotonic() < end, "it keeps what it took"
        large.result("get_case", n=0)
