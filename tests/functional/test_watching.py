"""Test logs and audit records of a server process: each call has one audit record, however it ends.

All log lines of a call have the same id.
"""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from mcpgen.cli import main
from tests.runtime.process import Server
from tests.runtime.revisions import ENVELOPE

DOCUMENT = """
openapi: 3.1.0
info: {title: Store, version: '1'}
servers: [{url: %s}]
security: [{key: []}]
paths:
  /items/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get: {operationId: get_item, parameters: [{name: q, in: query, schema: {type: string}}]}
    delete: {operationId: delete_item, x-mcp: {confirm: always}}
  /slow: {get: {operationId: get_slow}}
components: {securitySchemes: {key: {type: apiKey, in: query, name: api_key}}}
"""
HOOKS = """
def before_get_item(arguments):
    if arguments.get("id") == "raise":
        raise ValueError("words of a hook")
def request_get_item(request):
    if "moved" in request.segments:
        return request.with_path("missing")
    return request.with_query("seen", "1")
def after_get_item(result):
    if "refused" in str(result.content):
        raise SystemExit(1)
"""
SECRET = "s3cret-of-the-test"
ARGUMENT = "value-of-an-argument"
TRACE = "0af7651916cd43dd8448eb211c80319c"


class Api(BaseHTTPRequestHandler):
    """API that answers at once. At a path with `slow` it sets `begun`, and never answers."""

    begun = threading.Event()
    ends = threading.Event()

    def do_GET(self) -> None:
        if self.path.startswith("/slow"):
            self.begun.set()
            self.ends.wait()
            return
        body = json.dumps(dict(self.headers)).encode()
        self.send_response(404 if "missing" in self.path else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Write no log."""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield the folder of a generated server `mirror` with a running API."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Api)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    folder = tmp_path_factory.mktemp("store")
    (folder / "openapi.yaml").write_text(DOCUMENT % f"http://127.0.0.1:{server.server_port}")
    with pytest.raises(SystemExit):
        main(["generate", str(folder / "openapi.yaml"), "-o", str(folder / "out"), "--name", "mirror"])
    (folder / "out" / "mirror_mcp" / "hooks.py").write_text(HOOKS)
    yield folder / "out"
    Api.ends.set()
    server.shutdown()
    server.server_close()


@pytest.fixture(autouse=True)
def _not_begun() -> None:
    Api.begun.clear()


def started(store: Path, audit: Path | str, **more: str) -> Server:
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME")}
    return Server(store, env={**kept, "MIRROR_KEY": SECRET, "MIRROR_AUDIT": str(audit), **more})


def ask(server: Server, tool: object, arguments: dict[str, Any], **meta: str) -> Any:
    """Call a tool, and return its result. Skip progress notifications."""
    params = {"name": tool, "arguments": arguments, "_meta": {**ENVELOPE, **meta}}
    server.say(json.dumps({"jsonrpc": "2.0", "id": "c", "method": "tools/call", "params": params}).encode() + b"\n")
    message = server.message()
    return message.get("result", message)


def lines(audit: Path) -> list[dict[str, Any]]:
    text = audit.read_text(encoding="ascii")
    assert SECRET not in text
    return [json.loads(line) for line in text.splitlines()]


def test_what_a_line_says(store: Path, tmp_path: Path) -> None:
    audit = tmp_path / "audit.jsonl"
    with started(store, audit) as server:
        found = ask(server, "get_item", {"id": ARGUMENT, "q": ARGUMENT})
        server.end()
        assert server.ended() == 0
    [line] = lines(audit)
    size = len(found["content"][0]["text"])
    assert {key: line.pop(key) for key in ("audit", "server", "tool", "request", "outcome", "status", "requests")} == {
        "audit": 1,
        "server": "mirror",
        "tool": "get_item",
        "request": "GET /items/{id}",
        "outcome": "ok",
        "status": 200,
        "requests": 1,
    }
    assert line["client"] == ENVELOPE.get("io.modelcontextprotocol/clientInfo")
    assert (line["sent"], line["received"] >= size, line["ms"] >= 0) == (0, True, True)
    assert ARGUMENT not in audit.read_text()
    assert stat.S_IMODE(audit.stat().st_mode) == 0o600


CALLS: list[tuple[str, dict[str, Any], str, int | None]] = [
    ("get_item", {"id": "missing"}, "error", 404),
    ("get_item", {"id": "raise"}, "error", None),
    ("get_item", {}, "refused", None),
    ("get_item", {"id": "x", "nonsense": 1}, "refused", None),
    ("delete_item", {"id": "x"}, "refused", None),
]


@pytest.mark.parametrize(("tool", "arguments", "outcome", "status"), CALLS)
def test_one_line_whatever_comes_of_it(
    store: Path, tmp_path: Path, tool: str, arguments: dict[str, Any], outcome: str, status: int | None
) -> None:
    with started(store, tmp_path / "audit") as server:
        ask(server, tool, arguments)
        server.end()
        server.ended()
    [line] = lines(tmp_path / "audit")
    assert (line["tool"], line["outcome"], line["status"]) == (tool, outcome, status)
    assert line["requests"] == int(status is not None)
    assert line.get("confirmation") == ("unable" if tool == "delete_item" else None)


@pytest.mark.parametrize("name", ["nothing_such", SECRET + "x" * 200, 7])
def test_a_call_of_what_is_not_there(store: Path, tmp_path: Path, name: Any) -> None:
    with started(store, tmp_path / "audit") as server:
        ask(server, name, {})
        server.end()
        server.ended()
    [line] = lines(tmp_path / "audit")
    told = name.replace(SECRET, "[redacted]")[:240] if isinstance(name, str) else ""
    assert (line["outcome"], line["tool"], line["request"]) == ("rejected", told, "")


def test_a_setting_that_is_missing_is_a_refusal(store: Path, tmp_path: Path) -> None:
    with started(store, tmp_path / "audit", MIRROR_KEY="") as server:
        ask(server, "get_item", {"id": "x"})
        server.end()
        server.ended()
    assert [line["outcome"] for line in lines(tmp_path / "audit")] == ["refused"]


def slow(server: Server) -> int:
    """Start a call whose request reaches the API but is not answered, and return its id."""
    id_ = server.call("get_slow")
    assert Api.begun.wait(120)
    return id_


def test_a_call_that_is_cancelled(store: Path, tmp_path: Path) -> None:
    with started(store, tmp_path / "audit") as server:
        server.cancel(slow(server))
        server.end()
        server.ended()
    assert [line["outcome"] for line in lines(tmp_path / "audit")] == ["cancelled"]


def test_a_call_that_the_end_of_stdin_cuts_short(store: Path, tmp_path: Path) -> None:
    with started(store, tmp_path / "audit") as server:
        slow(server)
        server.end()
        server.ended()
    assert [line["outcome"] for line in lines(tmp_path / "audit")] == ["cut"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_call_that_a_signal_cuts_short(store: Path, tmp_path: Path, number: int) -> None:
    with started(store, tmp_path / "audit") as server:
        slow(server)
        server.process.send_signal(number)
        assert server.ended() == 128 + number
    assert [line["outcome"] for line in lines(tmp_path / "audit")] == ["cut"]


def test_the_arguments_only_where_they_are_asked_for_and_without_secrets(store: Path, tmp_path: Path) -> None:
    with started(store, tmp_path / "audit", MIRROR_AUDIT_ARGUMENTS="1") as server:
        ask(server, "get_item", {"id": SECRET, "q": 'x"' * 3000})
        server.end()
        server.ended()
    [line] = lines(tmp_path / "audit")
    assert line["arguments"].startswith('{"id":"[redacted]","q":"x')
    assert len((tmp_path / "audit").read_bytes()) <= 4096


def test_on_stderr_between_the_lines_of_the_log(store: Path) -> None:
    with started(store, "stderr", MIRROR_LOG_LEVEL="debug") as server:
        ask(server, "get_item", {"id": ARGUMENT, "q": ARGUMENT})
        server.end()
        said = [json.loads(line) for line in server.complaints()]
    request, line = said
    assert (request["event"], request["method"], request["status"], request["request"]) == ("request", "GET", 200, 1)
    assert request["url"].endswith("/items/{id}")
    assert (line["outcome"], line["call"]) == ("ok", request["call"])
    assert ARGUMENT not in str(said)
    assert SECRET not in str(said)


def test_the_upstream_hears_of_the_trace_under_the_id_of_the_call(store: Path, tmp_path: Path) -> None:
    parent = f"00-{TRACE}-b7ad6b7169203331-01"
    with started(store, tmp_path / "audit") as server:
        heard = json.loads(ask(server, "get_item", {"id": "x"}, traceparent=parent)["content"][0]["text"])
        server.end()
        server.ended()
    [line] = lines(tmp_path / "audit")
    assert heard["traceparent"] == f"00-{TRACE}-{line['call']}-01"


def test_a_stderr_that_is_closed_ends_the_start(store: Path) -> None:
    """Check that a server with a closed stderr does not start. Otherwise log lines would be lost without notice."""
    done = subprocess.run(
        ["/bin/sh", "-c", 'exec "$0" -m mirror_mcp 2>&-', sys.executable],
        cwd=store,
        env={"MIRROR_KEY": SECRET, "MIRROR_AUDIT": "stderr"},
        input=b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
        stdout=subprocess.PIPE,
        check=False,
    )
    assert (done.returncode, done.stdout) == (78, b"")


def test_a_path_that_a_hook_gave_is_not_taken_for_that_of_the_tool(store: Path, tmp_path: Path) -> None:
    with started(store, tmp_path / "audit", MIRROR_LOG_LEVEL="debug") as server:
        ask(server, "get_item", {"id": "moved"})
        server.end()
        [request] = [json.loads(line) for line in server.complaints()]
    [line] = lines(tmp_path / "audit")
    assert line["status"] == 404
    assert line["rewritten"] == request["rewritten"] == "request_get_item"
    assert "missing" not in f"{line}{request}"


@pytest.mark.parametrize("kind", ["link", "folder", "nowhere", "pipe"])
def test_what_cannot_be_written_ends_the_start(store: Path, tmp_path: Path, kind: str) -> None:
    place = tmp_path / "audit"
    if kind == "link":
        place.symlink_to(tmp_path / "elsewhere")
    elif kind == "folder":
        place.mkdir()
    elif kind == "pipe":
        os.mkfifo(place)
    else:
        place = tmp_path / "none" / "audit"
    with started(store, place) as server:
        assert server.ended() == 78
        [said] = server.complaints()
        assert said.startswith("MIRROR_AUDIT must name a ")
    assert not (tmp_path / "elsewhere").exists()


def test_a_file_that_was_moved_away_is_begun_anew(store: Path, tmp_path: Path) -> None:
    audit, rotated = tmp_path / "audit", tmp_path / "audit.1"
    with started(store, audit) as server:
        for turn in range(2):
            ask(server, "get_item", {"id": str(turn)})
            if not turn:
                audit.rename(rotated)
        server.end()
        server.ended()
    assert (len(lines(rotated)), len(lines(audit))) == (1, 1)


def test_what_cannot_be_recorded_any_more_is_not_called(store: Path, tmp_path: Path) -> None:
    """Refuse calls while the audit file cannot be written.

    The record of the call during which writing failed is delayed: it is written once the file can be written again.
    """
    audit, kept = tmp_path / "audit", tmp_path / "kept"
    with started(store, audit) as server:
        ask(server, "get_item", {"id": "0"})
        audit.rename(kept)
        audit.mkdir()
        ask(server, "get_item", {"id": "1"})
        refused = ask(server, "get_item", {"id": "2"})
        assert refused["isError"]
        assert refused["content"][0]["text"].startswith("get_item was not called. This server must keep a record")
        assert json.loads(server.complaint())["event"] == "audit_unwritable"
        audit.rmdir()
        assert not ask(server, "get_item", {"id": "3"})["isError"]
        assert json.loads(server.complaint())["event"] == "audit_written_again"
        server.end()
        server.ended()
    assert [line["outcome"] for line in lines(kept) + lines(audit)] == ["ok", "ok", "refused", "ok"]
