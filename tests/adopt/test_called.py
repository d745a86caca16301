"""Run `mcpgen adopt` on each public configuration of another MCP generator, and start the generated server. Call each
tool by every name that the other generator gives to it.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from mcpgen.cli import main
from tests.adopt.configurations import SHOP, Configuration, configurations
from tests.adopt.test_configurations import NAMES, OTHER
from tests.leaks import SECRET
from tests.runtime.process import Server

INVENTORY = "/store/inventory"
"""The path of an operation without arguments. The names of its tools end in `inventory`."""


@contextmanager
def api() -> Iterator[tuple[str, list[str]]]:
    """Serve an API that answers every request. Yield its URL, and the list of requested paths."""
    heard: list[str] = []

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            heard.append(self.path.partition("?")[0])
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(b"{}")

        do_POST = do_PUT = do_DELETE = do_GET  # noqa: N815

        def log_message(self, *_: object) -> None:
            """Write no log."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/", heard
        finally:
            server.shutdown()
            thread.join()


def run(*arguments: str) -> object:
    with pytest.raises(SystemExit) as ended:
        main([*arguments])
    return ended.value.code


def variables(header: dict[str, Any], url: str) -> dict[str, str]:
    """Return the environment variables with which a server calls the API at `url`."""
    names = (name for scheme in header["security"].values() for name in scheme["variables"].values())
    return {**dict.fromkeys(names, SECRET), f"{header['environment']}_BASE_URL": url}


@pytest.mark.slow
@pytest.mark.parametrize("row", [each for each in configurations() if not each.refused], ids=lambda each: each.name)
def test_every_name_can_be_called(row: Configuration, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    documents = [str(each) for each in (SHOP, OTHER)][: row.documents]
    options = [word for each in documents for word in ("--document", each)]
    assert run("adopt", *options, *row.sources(tmp_path)) == 0
    assert run("generate", "mcpgen.yaml", "-o", "out") == 0
    (package,) = (path.parent for path in (tmp_path / "out").glob("*_mcp/bindings.json"))
    header = json.loads((package / "bindings.json").read_text(encoding="utf-8").partition("\n")[0] + "]}")
    with api() as (url, heard):
        environ = {key: value for key, value in variables(header, url).items() if not key.endswith("_CLIENT_ID")}
        with Server(tmp_path / "out", package=package.name, env=environ) as server:
            for name in NAMES[row.name]:
                answer = server.ask("tools/call", name=name, arguments={})
                assert "result" in answer, (name, answer)
                if name.lower().endswith("inventory"):
                    assert heard[-1] == INVENTORY
