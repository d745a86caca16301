"""Test followed redirects: which requests go to the API's own origin, and which to another.

A server process runs, and two raw sockets stand for the two origins.
"""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from mcpgen.cli import main
from tests.functional.test_removed import answer
from tests.runtime.process import Server

KEY = "k3y-0123456789abcdef"
TOOLS = """
mcpgen: 1
server: {name: moving}
base_url: https://api.example.com
security:
  key: {type: apiKey, in: query, name: key}
  session: {type: apiKey, in: cookie, name: session}
  bearer: {type: http, scheme: bearer}
tools:
  - name: read_log
    request: GET /log
    redirects: follow
    arguments: {part: string, X-Part: {type: string, in: header}}
    responses: {'302': {description: Elsewhere.}}
  - {name: read_other, request: GET /log, redirects: follow}
  - {name: read_plain, request: GET /log, responses: {'302': {description: Elsewhere.}}}
  - {name: start, request: POST /log, responses: {'302': {description: Elsewhere.}}}
"""
SECRETS = {"MOVING_KEY": KEY, "MOVING_SESSION": f"s{KEY}", "MOVING_BEARER": f"b{KEY}"}


def moved(location: str, status: str = "302 Found") -> bytes:
    return answer(b"gone", "text/plain", status, f"Location: {location}")


class Site:
    """Raw HTTP server that answers each path with given bytes, and records its requests."""

    def __init__(self, host: str, address: tuple[str, int] = ("127.0.0.1", 0)) -> None:
        self.listening = socket.create_server(address)
        self.url = f"http://{host}:{self.listening.getsockname()[1]}"
        self.says: dict[str, bytes] = {}
        self.asked: list[str] = []
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self.listening.accept()
                with connection, suppress(ConnectionError):
                    asked = connection.recv(65536).decode()
                    self.asked.append(asked)
                    connection.sendall(
                        self.says.get(asked.split()[1].partition("?")[0], answer(b"whole", "text/plain"))
                    )


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("moving")
    (folder / "t.tools.yaml").write_text(TOOLS)
    with pytest.raises(SystemExit) as ended:
        main(["generate", str(folder / "t.tools.yaml"), "-o", str(folder / "out")])
    assert ended.value.code == 0
    return folder / "out"


@contextmanager
def served(project: Path, **environ: str) -> Iterator[tuple[Server, Site, Site]]:
    api, other = Site("127.0.0.1"), Site("localhost")
    with (
        api.listening,
        other.listening,
        Server(project, package="moving_mcp", env={**SECRETS, "MOVING_BASE_URL": api.url, **environ}) as server,
    ):
        yield server, api, other


def told(result: dict[str, Any]) -> str:
    return "\n".join(block["text"] for block in result["content"])


@pytest.mark.parametrize("status", ["301 X", "302 X", "303 X", "307 X", "308 X"])
def test_the_own_origin_gets_what_the_call_carried(project: Path, status: str) -> None:
    with served(project) as (server, api, other):
        api.says["/log"] = moved("/files/1?sign=a%2Fb&key=old#x", status)
        assert told(server.result("read_log", part="a b", X_Part="p")) == "whole"
        first, second = api.asked
        assert not other.asked
    assert f"\r\nAuthorization: Bearer b{KEY}\r\n" in second
    assert f"\r\nCookie: session=s{KEY}\r\n" in second
    assert second.startswith(f"GET /files/1?sign=a%2Fb&key={KEY} HTTP/1.1\r\n")
    assert first.partition("\r\n")[2] == second.partition("\r\n")[2]


def test_hard_06_another_origin_gets_nothing_of_the_call(project: Path) -> None:
    with served(project, MOVING_ALLOW_HOSTS="localhost", MOVING_TRACE="1") as (server, api, other):
        api.says["/log"] = moved(f"{other.url}/files/1?sign=x")
        other.says["/files/1"] = moved(f"{api.url}/admin")
        assert told(server.result("read_log", part="a b", X_Part="p")) == "whole"
        assert [line.split(" HTTP")[0] for line in api.asked] == [f"GET /log?part=a%20b&key={KEY}", "GET /admin"]
        assert len(other.asked) == 1
        for asked in (*other.asked, api.asked[1]):
            names = {line.partition(":")[0].lower() for line in asked.split("\r\n")[1:] if line}
            assert names == {"host", "accept", "user-agent", "accept-encoding"}
            assert KEY not in asked
        assert other.asked[0].startswith("GET /files/1?sign=x HTTP/1.1\r\n")
        assert "\r\nAccept: */*\r\n" in other.asked[0]


def test_hard_05_a_host_that_nobody_named_gets_nothing(project: Path) -> None:
    with served(project, MOVING_ALLOW_HOSTS="files.example") as (server, api, other):
        api.says["/log"] = moved(f"{other.url}/files/1")
        result = server.result("read_log")
        assert not result.get("isError")
        assert told(result) == (
            f"gone\nLocation: {other.url}/files/1\n"
            "Not followed: it leads to a host that MOVING_ALLOW_HOSTS does not name"
        )
        result = server.result("read_other")
        assert result["isError"]
        assert told(result).endswith(
            f"the upstream redirects to {other.url}, which is not followed: "
            "it leads to a host that MOVING_ALLOW_HOSTS does not name."
        )
        assert not other.asked


def test_only_a_get_is_followed_and_only_where_that_is_wanted(project: Path) -> None:
    with served(project) as (server, api, _):
        api.says["/log"] = moved("/files/1")
        for tool in ("read_plain", "start"):
            assert told(server.result(tool)) == "gone\nLocation: /files/1"
        assert len(api.asked) == 2


def test_a_circle_and_a_long_chain_end(project: Path) -> None:
    with served(project) as (server, api, _):
        api.says |= {"/log": moved("/a"), "/a": moved(f"/log?key={KEY}")}
        assert told(server.result("read_log")).endswith("Not followed: it leads in a circle")
        api.says |= {"/a": moved("/b"), "/b": moved("/c"), "/c": moved("/d")}
        api.asked.clear()
        assert told(server.result("read_log")).endswith("Location: /d\nNot followed: it is one more than 3 in a row")
        assert [asked.split()[1].partition("?")[0] for asked in api.asked] == ["/log", "/a", "/b", "/c"]


def test_the_last_answer_counts_and_every_request_is_counted(project: Path) -> None:
    with served(project, MOVING_LOG_LEVEL="debug", MOVING_AUDIT="stderr", MOVING_ALLOW_HOSTS="localhost") as (
        server,
        api,
        other,
    ):
        api.says["/log"] = moved("/a")
        api.says["/a"] = moved(f"{other.url}/secret-path?sign=x")
        other.says["/secret-path"] = answer(b"", "", "404 Not Found")
        result = server.result("read_log")
        assert result["isError"]
        assert told(result).startswith("HTTP 404 Not Found from GET /log")
        server.end()
        assert server.ended() == 0
        written = server.written.decode()
    assert len(re.findall(r'"event":"request"', written)) == 3
    assert f'"url":"{other.url}"' in written
    assert "secret-path" not in written
    assert re.search(r'"status":404[^\n]*"requests":3|"requests":3[^\n]*"status":404', written), written


def test_what_a_redirect_leads_to_is_saved(project: Path, tmp_path: Path) -> None:
    with served(project, MOVING_DOWNLOADS_DIR=str(tmp_path)) as (server, api, _):
        api.says |= {"/log": moved("/files/1"), "/files/1": answer(b"\x1f\x8bzip", "application/gzip")}
        assert told(server.result("read_log", save_as="log.gz")) == (
            f"The answer was written to {tmp_path / 'log.gz'}: application/gzip, 5 bytes."
        )
        api.says["/log"] = moved("https://other.example/files/1")
        assert "Not followed" in told(server.result("read_log", save_as="other.gz"))
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == {"log.gz": b"\x1f\x8bzip"}
