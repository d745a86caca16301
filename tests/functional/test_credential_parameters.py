"""Credentials that documents describe as parameters: a real server, and a raw socket that hears what it sends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mcpgen.cli import main
from tests.functional.test_origins import Listener
from tests.leaks import SECRET
from tests.runtime.process import Server


@pytest.fixture
def api() -> Iterator[Listener]:
    made = Listener()
    yield made
    made.close()


def generated(folder: Path, document: dict[str, Any], monkeypatch: pytest.MonkeyPatch, *flags: str) -> Path:
    """The project that is made of a document."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    source = folder / "openapi.json"
    source.write_text(json.dumps({"openapi": "3.1.0", "info": {"title": "Store", "version": "1"}, **document}))
    with pytest.raises(SystemExit) as ended:
        main(["generate", str(source), "-o", str(folder / "store"), *flags])
    assert ended.value.code == 0
    return folder / "store"


def parameter(name: str, place: str, description: str = "", required: bool = False) -> dict[str, Any]:
    schema = {"type": "string"}
    return {"name": name, "in": place, "description": description, "required": required, "schema": schema}


def test_a_credential_that_is_a_parameter_comes_from_the_environment_alone(
    api: Listener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = "Authentication token. Requires scope: `chat:read`"
    settings = [parameter("quotaUser", "query"), parameter("fields", "query")]
    paths: dict[str, dict[str, Any]] = {
        f"/{n}": {"get": {"operationId": f"list_{n}", "parameters": [*settings]}} for n in "abcde"
    }
    paths["/a"]["get"]["parameters"].append(parameter("token", "query", token, True))
    paths["/b"]["get"]["parameters"].append(parameter("token", "header", token, True))
    home = generated(tmp_path, {"servers": [{"url": api.url}], "paths": paths}, monkeypatch)
    with Server(home, package="store_mcp", env={}) as server:
        told = server.result("list_a")
        assert told["isError"]
        assert "set STORE_AUTH_TOKEN, in the environment" in told["content"][0]["text"]
        assert "token: is not an argument" in server.result("list_a", token="invented")["content"][0]["text"]
    assert api.heard == []
    environ = {"STORE_AUTH_TOKEN": SECRET, "STORE_QUOTA_USER": "somebody"}
    with Server(home, package="store_mcp", env=environ) as server:
        for name in ("list_a", "list_b", "list_c"):
            assert SECRET not in json.dumps(server.result(name, fields="id"))
    first, second, third = (each for each in api.heard if "HTTP/1.1" in each)
    assert "token=" in first.partition(" HTTP/1.1")[0]
    assert f"\r\ntoken: {SECRET}\r\n" in second
    assert "token" not in third.partition("\r\n")[0]
    for each in (first, second, third):
        assert "fields=id" in each
        assert "quotaUser=somebody" in each


BOTH = {
    "security": [{"bearer": []}, {"login": []}, {"bearer": [], "key": []}],
    "components": {
        "securitySchemes": {
            "bearer": {"type": "http", "scheme": "bearer"},
            "login": {"type": "http", "scheme": "basic"},
            "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
        }
    },
}
WAYS = "`STORE_BEARER`, or `STORE_LOGIN_USERNAME` with `STORE_LOGIN_PASSWORD`."


def test_alternatives_are_told_as_alternatives(api: Listener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = {"/a": {"get": {"operationId": "list_a"}}}
    home = generated(tmp_path, {"servers": [{"url": api.url}], "paths": paths, **BOTH}, monkeypatch)
    assert f"One of these is enough where a tool asks for them: {WAYS}" in (home / "README.md").read_text()
    with Server(home, package="store_mcp", env={}) as server:
        assert f"set {WAYS[:-1].replace('`', '')}, in the environment" in server.result("list_a")["content"][0]["text"]
    asked = subprocess.run(
        [sys.executable, "-m", "store_mcp", "--doctor"],
        cwd=home,
        env={**os.environ, "STORE_BEARER": SECRET},
        capture_output=True,
        text=True,
    )
    assert "missing" not in asked.stdout, "one of two ways is enough"
    assert asked.returncode == 0


def test_an_api_that_wants_no_credentials_is_sent_none(
    api: Listener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = {"/a": {"get": {"operationId": "list_a"}}}
    document = {"servers": [{"url": api.url}], "paths": paths, **BOTH}
    home = generated(tmp_path, document, monkeypatch, "--security", "none")
    with Server(home, package="store_mcp", env={"STORE_BEARER": SECRET}) as server:
        assert not server.result("list_a").get("isError")
    assert any(each.startswith("GET /a HTTP/1.1") for each in api.heard)
    assert not any("authorization" in each.lower() for each in api.heard)
