"""Test `context.progress` and `context.log` in generated servers that run as processes, over a raw pipe.

A hook waits at the API until the test has heard its progress, so no test depends on time.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from mcpgen.cli import main
from tests.leaks import SECRET
from tests.runtime.process import Server
from tests.runtime.revisions import ENVELOPE, META, R4

TOOLS_FILE = """
mcpgen: 1
server: {name: teller, version: 1.0.0, logging: true}
base_url: http://127.0.0.1:%d
security: {key: {type: apiKey, in: header, name: X-Key}}
tools:
  - {name: get_text, description: Get the text., request: GET /text}
  - {name: get_more, description: Get more text., request: GET /more}
  - {name: get_last, description: Get the last text., request: GET /last}
  - name: start
    description: Start the job.
    request: POST /jobs
    task: {poll: GET /jobs/1, done: /status == finished}
"""
HOOKS = """
import asyncio
import os
from http.client import HTTPConnection

from .runtime.hooks import context


def waited():
    api = HTTPConnection(os.environ["TELLER_BASE_URL"].removeprefix("http://"))
    api.request("GET", "/gate")
    api.getresponse().read()
    api.close()


def before_get_text(arguments):
    context.log("notice", "Looks at " + os.environ["TELLER_KEY"], {"key": os.environ["TELLER_KEY"]})
    context.progress(1, 3, "reading " + os.environ["TELLER_KEY"])
    waited()


async def after_get_text(result):
    context.progress(2, 3, "almost")
    await asyncio.to_thread(waited)
    context.log("info", "Done.")


async def instead_of_get_more(arguments):
    context.progress(5, message="thinking")
    await asyncio.to_thread(waited)
    return "more"


def before_get_last(arguments):
    context.progress(7, 8, "asking the store")
    context.log("warn", "This level is wrong.")


def request_start(request):
    context.progress(1, 2, "starting " + os.environ["TELLER_KEY"])
"""


class Api(BaseHTTPRequestHandler):
    """API whose `/gate` answers once a test has opened it."""

    gate = threading.Semaphore(0)
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self.path == "/gate":
            assert Api.gate.acquire(timeout=60)
        self._answer(200, b'{"status": "working"}' if "/jobs" in self.path else b"text")

    def do_POST(self) -> None:
        self._answer(202, b"{}")

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json" if body[:1] == b"{" else "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture(scope="module")
def api() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Api) as api:
        threading.Thread(target=api.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{api.server_port}"
        api.shutdown()


@contextmanager
def running(folder: Path, api: str, *flags: str) -> Iterator[Server]:
    """Generate a server with hooks, and run it."""
    (folder / "tools.yaml").write_text(TOOLS_FILE % int(api.rpartition(":")[2]))
    with pytest.raises(SystemExit) as ended:
        main(["generate", str(folder / "tools.yaml"), "-o", str(folder / "out"), *flags])
    assert ended.value.code == 0
    (folder / "out" / "teller_mcp" / "hooks.py").write_text(HOOKS)
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME")}
    environment = {**kept, "TELLER_KEY": SECRET, "TELLER_BASE_URL": api}
    with Server(folder / "out", package="teller_mcp", env=environment) as server:
        server.checker.offered = ("logging", "tasks")
        yield server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, api: str) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("reports"), api) as made:
        yield made


def heard(server: Server, tool: str, *opens: str, meta: Any = None, **arguments: Any) -> list[dict[str, Any]]:
    """Call a tool, and return the params of each notification, and at last the result.

    Hooks send requests to `/gate` of the API, and wait for the responses. For each text in `opens`, the API answers one
    of these requests when a progress notification arrives whose message begins with that text.
    """
    meta, shut = {"progressToken": "t", **(meta or {})}, {*opens}
    said = asked(server, "tools/call", name=tool, arguments=arguments, _meta=meta)
    found = []
    while "id" not in said:
        found.append(said["params"])
        for each in {begun for begun in shut if said["params"].get("message", "").startswith(begun)}:
            shut.remove(each)
            Api.gate.release()
        said = server.message()
    return [*found, said["result"]]


def asked(server: Server, method: str, **params: Any) -> Any:
    """Send a request, and return the next message."""
    server.say(json.dumps({"jsonrpc": "2.0", "id": method, "method": method, "params": params}).encode() + b"\n")
    return server.message()


def logged(server: Server) -> dict[str, Any]:
    """Return the next message of a hook in the log of the server."""
    while (found := json.loads(server.complaint()))["event"] != "hook_log":
        continue
    return dict(found)


LOUD = {**ENVELOPE, META + "logLevel": "info"}


@pytest.mark.parametrize("era", ["older", "stateless"])
def test_progress_and_messages_of_hooks_reach_the_client(server: Server, era: str) -> None:
    if era == "older":
        asked(server, "initialize", protocolVersion=R4, capabilities={})
        asked(server, "logging/setLevel", level="info")
    *told, result = heard(server, "get_text", "reading", "almost", meta=LOUD if era == "stateless" else None)
    progress = [each for each in told if "progress" in each]
    assert (progress[0]["progress"], progress[0]["total"], progress[0]["message"]) == (1, 3, "reading [redacted]")
    assert "almost" in [each["message"] for each in progress]
    numbers = [each["progress"] for each in progress]
    assert numbers == sorted({*numbers})
    messages = [each for each in told if "level" in each]
    assert [each["level"] for each in messages] == ["notice", "info"]
    first, second = (each["data"] for each in messages)
    assert first == {"tool": "get_text", "message": "Looks at [redacted]", "data": {"key": "[redacted]"}}
    assert second == {"tool": "get_text", "message": "Done."}
    assert result["content"][0]["text"] == "text"


def test_the_log_of_the_server_has_what_no_client_asked_for(server: Server) -> None:
    *told, _ = heard(server, "get_text", "reading", "almost", meta=ENVELOPE)
    assert [each for each in told if "level" in each] == []
    first, second = logged(server), logged(server)
    assert (first["level"], first["message"], first["data"]) == ("info", "Looks at [redacted]", '{"key":"[redacted]"}')
    assert (second["hook"], second["tool"], second["message"]) == ("after_get_text", "get_text", "Done.")
    assert first["call"] == second["call"]


def test_a_hook_in_place_of_the_request_reports(server: Server) -> None:
    first, *_, result = heard(server, "get_more", "thinking", meta=ENVELOPE)
    assert (first["progress"], first["message"]) == (5, "thinking")
    assert result["content"][0]["text"] == "more"


def test_a_wrong_level_fails_the_call_and_a_quick_call_sends_no_progress(server: Server) -> None:
    [result] = heard(server, "get_last", meta=ENVELOPE)
    assert result["isError"]
    assert "The hook before_get_last of this server cannot report: context.log takes a level (" in str(result)


def test_what_hooks_said_is_the_first_status_of_a_task(server: Server) -> None:
    able: dict[str, Any] = {META + "clientCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}}}
    *_, task = heard(server, "start", meta={**ENVELOPE, **able})
    assert (task["resultType"], task["status"], task["statusMessage"]) == ("task", "working", "starting [redacted]")


def test_inside_a_search(tmp_path: Path, api: str) -> None:
    with running(tmp_path, api, "--tools", "search") as server:
        first, *_, result = heard(server, "call_tool", "thinking", meta=LOUD, name="get_more", arguments={})
        assert (first["progress"], first["message"]) == (5, "thinking")
        assert result["content"][0]["text"] == "more"


def test_inside_a_program(tmp_path: Path, api: str) -> None:
    pytest.importorskip("pydantic_monty")
    with running(tmp_path, api, "--tools", "search", "--programs", "all") as server:
        *told, result = heard(
            server, "run_program", "thinking", "reading", "almost", meta=LOUD, code="get_more() + get_text()"
        )
        assert next(each["message"] for each in told if "progress" in each) == "thinking"
        assert [each["data"]["tool"] for each in told if "level" in each] == ["get_text", "get_text"]
        numbers = [each["progress"] for each in told if "progress" in each]
        assert numbers == sorted({*numbers})
        assert "moretext" in result["content"][0]["text"]
