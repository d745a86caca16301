"""Test credentials from the document to the request: a generated server, and sockets that record what they receive."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from mcpgen.cli import main
from tests.leaks import searched, trap
from tests.runtime.process import call, line

SECRET = "s3cret/of+the-client"
DOCUMENT = """
openapi: 3.1.0
info: {title: Store, version: '1'}
servers: [{url: %s}]
security: [{machine: [items:read]}]
paths:
  /items: {get: {operationId: list_items}, delete: {operationId: delete_items, security: [{machine: ['items:write']}]}}
  /status: {get: {operationId: get_status, security: []}}
components:
  securitySchemes:
    machine: {type: oauth2, flows: {clientCredentials: {tokenUrl: /token, scopes: {}}}}
"""


class Api(BaseHTTPRequestHandler):
    """HTTP API that issues tokens, and echoes each request in its response."""

    heard: list[tuple[str, str, str]]

    def answer(self) -> None:
        said = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        self.heard.append((f"{self.command} {self.path}", self.headers.get("Authorization", ""), said))
        told = {"access_token": f"token-for-{said}", "you": [*self.headers.items()]}
        body = json.dumps(told).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        self.answer()

    def do_POST(self) -> None:
        self.answer()

    def do_DELETE(self) -> None:
        self.answer()

    def log_message(self, *_: object) -> None:
        """Write no log."""


@pytest.fixture
def api() -> Iterator[tuple[str, list[tuple[str, str, str]]]]:
    Api.heard = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Api)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", Api.heard
    server.shutdown()
    server.server_close()


def served(folder: Path, url: str, *calls: bytes, flags: tuple[str, ...] = (), **environ: str) -> tuple[Any, str]:
    """Generate and start a server, and call its tools. Return the responses by id, and all output of the server."""
    (folder / "openapi.yaml").write_text(DOCUMENT % url)
    with pytest.raises(SystemExit):
        main(["generate", str(folder / "openapi.yaml"), "-o", str(folder / "out")])
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME")}
    command, pipe = [sys.executable, "-m", "store_mcp", *flags], subprocess.PIPE
    environ = {**kept, **trap().environment(), **environ}
    with subprocess.Popen(command, cwd=folder / "out", env=environ, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"".join(calls))
        process.stdin.flush()
        # Read all responses before `communicate` closes stdin: the server ends soon after that.
        read = [process.stdout.readline() for _ in calls]
        rest, logged = process.communicate()
    assert process.returncode == 0
    printed = b"".join(read) + rest
    searched(printed + logged, SECRET)
    answers = {answer["id"]: answer for answer in map(json.loads, printed.splitlines())}
    return answers, printed.decode() + logged.decode()


def test_tokens_are_fetched_for_what_each_tool_needs_and_no_secret_comes_back(
    tmp_path: Path, api: tuple[str, list[tuple[str, str, str]]]
) -> None:
    url, heard = api
    (tmp_path / "secret").write_text(f"{SECRET}\n")
    answers, written = served(
        tmp_path,
        url,
        *(call(number, name) for number, name in enumerate(["get_status", "list_items", "delete_items"])),
        STORE_MACHINE_CLIENT_ID="the-client",
        STORE_MACHINE_CLIENT_SECRET_FILE=str(tmp_path / "secret"),
    )
    assert [answers[number]["result"]["isError"] for number in range(3)] == [False] * 3
    sent = {request: authorization for request, authorization, _ in heard if not request.startswith("POST")}
    token = "Bearer token-for-grant_type=client_credentials&scope=items%3A"
    assert sent == {"GET /status": "", "GET /items": f"{token}read", "DELETE /items": f"{token}write"}
    assert sorted(said for request, _, said in heard if request == "POST /token") == [
        "grant_type=client_credentials&scope=items%3Aread",
        "grant_type=client_credentials&scope=items%3Awrite",
    ]
    assert SECRET not in written
    assert "token-for-grant" not in written


def test_cred_13_without_the_client_nothing_is_sent_and_its_variables_are_named(
    tmp_path: Path, api: tuple[str, list[tuple[str, str, str]]]
) -> None:
    url, heard = api
    answers, _ = served(tmp_path, url, call(1, "list_items"), STORE_MACHINE_CLIENT_ID="the-client")
    [said] = answers[1]["result"]["content"]
    assert "set STORE_MACHINE, or STORE_MACHINE_CLIENT_ID with STORE_MACHINE_CLIENT_SECRET" in said["text"]
    assert heard == []


def test_read_only_leaves_what_reads(tmp_path: Path, api: tuple[str, list[tuple[str, str, str]]]) -> None:
    url, heard = api
    calls = line("tools/list"), call(1, "delete_items")
    answers, _ = served(tmp_path, url, *calls, flags=("--read-only",), STORE_MACHINE="ready-token")
    assert [tool["name"] for tool in answers["tools/list"]["result"]["tools"]] == ["get_status", "list_items"]
    assert answers[1]["error"]["code"] == -32602
    assert heard == []
