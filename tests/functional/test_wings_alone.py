"""Test each wing that the tables of a server can need, in a server without all others: it is generated from
a document in `wings/`, started, called, killed and doctored.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from mcpgen.emit.wings import CORE, WINGS
from tests.functional.test_choices_of_parts import asked
from tests.functional.test_plain_core import CLIENT, generated
from tests.leaks import planted, searched
from tests.streamable.messages import request
from tests.streamable.upstream import PATIENCE

FOLDER = Path(__file__).with_name("wings")

CALLS = {
    "accounts": ({"account": "eu"}, '{"id":"1","name":"Titanic"}'),
    "features": ({}, '{"id":"1","name":"Titanic"}'),
    "files": ({"photo": "aGVsbG8="}, '{"id":"1","name":"Titanic"}'),
    "jobs": ({}, '"name":"Titanic"'),
    "login": ({}, "things-mcp login"),
    "lookups": ({}, '"name":"Titanic"'),
    "oauth": ({}, "THINGS_MACHINE_CLIENT_ID"),
    "programs": ({}, '{"id":"1","name":"Titanic"}'),
    "questions": ({}, "The user must confirm it"),
    "results": ({}, "Titanic"),
    "skills": ({}, '{"id":"1","name":"Titanic"}'),
    "signing": ({}, "THINGS_PERSON_USERNAME"),
    "search": ({}, '{"id":"1","name":"Titanic"}'),
    "templates": ({"name": "a"}, '{"id":"1","name":"Titanic"}'),
    "tenants": ({"port": "2"}, '{"id":"1","name":"Titanic"}'),
    "workflows": ({}, '"name":"Titanic"'),
    "watching": ({}, '{"id":"1","name":"Titanic"}'),
    "views": ({}, '{"id":"1","name":"Titanic"}'),
}
"""Name of a wing → arguments of a call, and a text of its result. Servers without their credentials name them."""

OF_RESOURCES = ("skills", "watching")
"""Wings that need a resource, with which comes the wing of resources."""


class Things(BaseHTTPRequestHandler):
    """API with one thing, which is also its answer to each request."""

    def do_GET(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = b'{"id":"1","name":"Titanic"}'
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Log nothing."""


@pytest.fixture(scope="module")
def api() -> Iterator[str]:
    """Return the URL of the API."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Things) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def with_needs(name: str) -> set[str]:
    """Return the names of a wing and of all wings that it needs."""
    [wing] = [wing for wing in WINGS if wing.name == name]
    return {name}.union(*(with_needs(each) for each in wing.needs))


def test_each_wing_that_tables_need_has_a_case() -> None:
    needed = {wing.name for wing in WINGS if wing.fields}
    assert {path.name.partition(".")[0] for path in FOLDER.iterdir()} == needed == CALLS.keys()


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_a_wing_works_without_the_others(name: str, api: str, tmp_path: Path) -> None:
    [document] = FOLDER.glob(f"{name}.*.yaml")
    made = generated(document, tmp_path, "--parts=none")
    runtime = made / "things_mcp" / "runtime"
    wings = {path.name for path in runtime.iterdir() if path.is_dir()} - set(CORE)
    assert wings == with_needs(name) | (with_needs("features") if name in OF_RESOURCES else set())
    environ = {**planted("THINGS"), "THINGS_BASE_URL": api, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "things_mcp"]
    pipe = subprocess.PIPE
    arguments, text = CALLS[name]
    with subprocess.Popen(command, cwd=made, env=environ, text=True, stdin=pipe, stdout=pipe, stderr=pipe) as server:
        try:
            asked(server, request("initialize", 1, **CLIENT))
            assert "call_it" in {tool["name"] for tool in asked(server, request("tools/list", 2))["tools"]}
            called = asked(server, request("tools/call", 3, name="call_it", arguments=arguments))
        finally:
            server.kill()
        searched((server.stderr.read() if server.stderr else "").encode())
        assert server.wait(PATIENCE) == -9
    assert text in called["content"][0]["text"], json.dumps(called)
    doctored = subprocess.run(
        [*command, "--doctor"], cwd=made, env=environ, capture_output=True, text=True, check=False
    )
    assert "runtime: no accidental edits" in doctored.stdout
    assert "Traceback" not in doctored.stderr
