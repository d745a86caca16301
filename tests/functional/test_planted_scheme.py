"""Plant a static HTTP scheme as one line of data, and look for it in everything that mcpgen and its servers write."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from mcpgen.model import HTTP_SCHEMES, CredentialText
from tests.bundle.releases import manifest, release
from tests.command import mcpgen
from tests.functional.test_credentials import Api
from tests.leaks import SECRET
from tests.runtime.process import Server

FRONT = "Authorization: Planted"


@pytest.fixture
def api() -> Iterator[str]:
    Api.heard = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Api)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(autouse=True)
def planted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(HTTP_SCHEMES, "planted", CredentialText("planted badge ({name})", "Planted"))


def document(url: str, scheme: str = "planted") -> str:
    """Return a document whose only operation declares the header of its credential as a parameter, too."""
    parameter = {"name": "Authorization", "in": "header", "schema": {"type": "string"}}
    value: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {"title": "Store", "version": "1"},
        "servers": [{"url": url}],
        "security": [{"badge": []}],
        "paths": {"/items": {"get": {"operationId": "list_items", "parameters": [parameter]}}},
        "components": {"securitySchemes": {"badge": {"type": "http", "scheme": scheme}}},
    }
    return json.dumps(value)


def generated(folder: Path, text: str, *, name: str = "out") -> Path:
    made = mcpgen("generate", "-", "-o", name, folder=folder, given=text)
    assert (made.returncode, made.stderr.count("invalid-security")) == (0, 0), made.stderr
    return folder / name


def printed(home: Path, *arguments: str, **environ: str) -> str:
    """Return what the server of the project in `home` prints."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("STORE_")}
    command = [sys.executable, "-m", "store_mcp", *arguments]
    run = subprocess.run(
        command, cwd=home, env={**kept, **environ}, capture_output=True, text=True, check=False, timeout=60
    )
    return run.stdout


def test_a_scheme_that_is_one_line_is_known_everywhere(tmp_path: Path, api: str) -> None:
    home = generated(tmp_path, document(api))
    assert "| `STORE_BADGE` | required: planted badge (badge) |" in (home / "README.md").read_text(encoding="utf-8")
    setting = manifest(release(home))["user_config"]["STORE_BADGE"]
    assert (setting["description"], setting["sensitive"], setting["required"]) == ("Planted badge (badge)", True, True)
    [listed] = json.loads((home / "store_mcp" / "tools.json").read_text(encoding="utf-8"))
    assert listed["inputSchema"]["properties"] == {}, "the header belongs to the credential"

    rows = [line.split("  ") for line in printed(home, "--doctor").splitlines() if line.startswith("STORE_BADGE ")]
    assert [[cell.strip() for cell in row if cell] for row in rows] == [
        ["STORE_BADGE", "missing", "planted badge (badge)"]
    ]
    assert f"{FRONT} <STORE_BADGE>" in printed(home, "--explain", "list_items", "{}", STORE_BADGE=SECRET)
    (tmp_path / ".cursor").mkdir()
    shown = printed(home, "install", "cursor", "--dry-run", STORE_BADGE=SECRET, HOME=str(tmp_path))
    assert '"STORE_BADGE": "${env:STORE_BADGE}"' in shown
    assert SECRET not in shown


@pytest.mark.parametrize("front", ["", "Planted "])
def test_it_is_sent_and_what_repeats_it_is_redacted(front: str, tmp_path: Path, api: str) -> None:
    home = generated(tmp_path, document(api))
    with Server(home, package="store_mcp", env={"STORE_BADGE": front + SECRET}) as server:
        result = json.dumps(server.result("list_items"))
    assert [(request, sent) for request, sent, _ in Api.heard] == [("GET /items", f"Planted {SECRET}")]
    assert '"Planted ' in result.replace("\\", ""), "the API has repeated the header"
    assert SECRET not in result


def test_a_tools_file_and_diff_know_it(tmp_path: Path) -> None:
    url = "https://api.example.com"
    scheme = "{badge: {type: http, scheme: Planted}}"
    tool = "[{name: list_items, description: Lists items., request: GET /items}]"
    (tmp_path / "store.tools.yaml").write_text(
        f"mcpgen: 1\nserver: {{name: store}}\nbase_url: {url}\nsecurity: {scheme}\ntools: {tool}\n", encoding="utf-8"
    )
    made = mcpgen("generate", "store.tools.yaml", "-o", "written", folder=tmp_path)
    assert made.returncode == 0, made.stderr
    new = generated(tmp_path, document(url), name="new")
    schemes = [json.loads((home / "store_mcp" / "bindings.json").read_text())["security"] for home in (
        tmp_path / "written", new
    )]  # fmt: skip
    assert schemes[0] == schemes[1]
    old = generated(tmp_path, document(url, "bearer"), name="old")
    told = mcpgen("diff", str(old), str(new), folder=tmp_path).stdout
    assert "The credential badge is now of another kind: planted; before: bearer." in told
