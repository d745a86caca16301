"""Test credentials that documents describe as ordinary parameters, with a real server and a raw socket."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

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


def generated(folder: Path, document: dict[str, Any], *flags: str) -> Path:
    """Generate the project of a document, and return its folder."""
    source = folder / "openapi.json"
    source.write_text(json.dumps({"openapi": "3.1.0", "info": {"title": "Store", "version": "1"}, **document}))
    with pytest.raises(SystemExit) as ended:
        main(["generate", str(source), "-o", str(folder / "store"), *flags])
    assert ended.value.code == 0
    return folder / "store"


def parameter(name: str, place: str, description: str = "", required: bool = False) -> dict[str, Any]:
    schema = {"type": "string"}
    return {"name": name, "in": place, "description": description, "required": required, "schema": schema}


def test_a_credential_that_is_a_parameter_comes_from_the_environment_alone(api: Listener, tmp_path: Path) -> None:
    token = "Authentication token. Requires scope: `chat:read`"
    settings = [parameter("quotaUser", "query"), parameter("fields", "query")]
    paths: dict[str, dict[str, Any]] = {
        f"/{n}": {"get": {"operationId": f"list_{n}", "parameters": [*settings]}} for n in "abcde"
    }
    paths["/a"]["get"]["parameters"].append(parameter("token", "query", token, True))
    paths["/b"]["get"]["parameters"].append(parameter("token", "header", token, True))
    home = generated(tmp_path, {"servers": [{"url": api.url}], "paths": paths})
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


def test_alternatives_are_told_as_alternatives(api: Listener, tmp_path: Path) -> None:
    paths = {"/a": {"get": {"operationId": "list_a"}}}
    home = generated(tmp_path, {"servers": [{"url": api.url}], "paths": paths, **BOTH})
    assert f"These credentials are alternatives, and one of them is enough: {WAYS}" in (home / "README.md").read_text()
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
    assert "1 of 1 tool can be called" in asked.stdout


def test_an_api_that_wants_no_credentials_is_sent_none(api: Listener, tmp_path: Path) -> None:
    paths = {"/a": {"get": {"operationId": "list_a"}}}
    document = {"servers": [{"url": api.url}], "paths": paths, **BOTH}
    home = generated(tmp_path, document, "--security", "none")
    with Server(home, package="store_mcp", env={"STORE_BEARER": SECRET}) as server:
        assert not server.result("list_a").get("isError")
    assert any(each.startswith("GET /a HTTP/1.1") for each in api.heard)
    assert not any("authorization" in each.lower() for each in api.heard)


LOGIN = """
mcpgen: 1
server: {name: store, title: Store}
openapi: [{document: openapi.json}]
login:
  operation: create_token
  token: /access_token
  fields: {username: USERNAME, password: PASSWORD, remember: {value: 'yes'}}
"""


@pytest.mark.parametrize("kind", ["login", "password flow"])
def test_a_server_logs_in_with_variables_and_keeps_the_token(api: Listener, tmp_path: Path, kind: str) -> None:
    flow = {"type": "oauth2", "flows": {"password": {"tokenUrl": "auth/token", "scopes": {}}}}
    scheme = {"type": "http", "scheme": "bearer"} if kind == "login" else flow
    body = {"type": "object", "properties": {"username": {"type": "string"}, "password": {"type": "string"}}}
    create = {"operationId": "create_token", "requestBody": {"content": {"application/json": {"schema": body}}}}
    document = {
        "servers": [{"url": f"{api.url}/v1"}],
        "security": [{"user": []}],
        "paths": {"/items": {"get": {"operationId": "list_items"}}, "/auth/token": {"post": create}},
        "components": {"securitySchemes": {"user": scheme}},
    }
    home = generated(tmp_path, document)
    if kind == "login":
        (home / "mcpgen.yaml").write_text(LOGIN.replace("openapi: [{document: openapi.json}]\n", ""))
        with pytest.raises(SystemExit):
            main(["regenerate", str(home)])
    environ = {"STORE_USER_USERNAME": "ada", "STORE_USER_PASSWORD": SECRET}
    with Server(home, package="store_mcp", env=environ) as server:
        for _ in range(2):
            told = json.dumps(server.result("list_items"))
            assert "isError" not in told or '"isError": false' in told
            assert SECRET not in told
            assert "token-1" not in told
    logins = [each for each in api.heard if each.startswith("POST /v1/auth/token HTTP/1.1")]
    assert len(logins) == 1, "the token is kept"
    if kind == "login":
        sent = json.loads(logins[0].partition("\r\n\r\n")[2])
        assert sent == {"username": "ada", "password": SECRET, "remember": "yes"}
    else:
        sent = dict(parse_qsl(logins[0].partition("\r\n\r\n")[2]))
        assert sent == {"grant_type": "password", "username": "ada", "password": SECRET}
    calls = [each for each in api.heard if each.startswith("GET /v1/items HTTP/1.1")]
    assert len(calls) == 2
    assert all("\r\nAuthorization: Bearer token-1\r\n" in each for each in calls)


@pytest.mark.parametrize("name", ["X-API-Key", "X-Depot-Pass"])
def test_a_key_of_the_tools_file_replaces_the_documents_parameter(name: str, api: Listener, tmp_path: Path) -> None:
    """`X-API-Key` has the name of a credential, `X-Depot-Pass` has not: both are declared in the tools file only."""
    listing = {"operationId": "list_items", "parameters": [parameter(name, "header", required=True)]}
    document = {"servers": [{"url": api.url}], "paths": {"/items": {"get": listing}}}
    home = generated(tmp_path, document)
    scheme = f"{{type: apiKey, in: header, name: {name}}}"
    (home / "mcpgen.yaml").write_text(f"mcpgen: 1\nsecurity: {{key: {scheme}}}\n")
    with pytest.raises(SystemExit):
        main(["regenerate", str(home)])
    with Server(home, package="store_mcp", env={"STORE_KEY": SECRET, "STORE_X_API_KEY": "other"}) as server:
        assert not server.result("list_items").get("isError")
    (call,) = (each for each in api.heard if each.startswith("GET /items HTTP/1.1"))
    assert [line for line in call.split("\r\n") if line.lower().startswith(f"{name.lower()}:")] == [f"{name}: {SECRET}"]


def test_hard_06_a_login_does_not_follow_the_document_to_another_host(api: Listener, tmp_path: Path) -> None:
    flow = {"type": "oauth2", "flows": {"password": {"tokenUrl": f"{api.url}/token", "scopes": {}}}}
    document = {
        "servers": [{"url": "https://api.example.com"}],
        "security": [{"user": []}],
        "paths": {"/items": {"get": {"operationId": "list_items"}}},
        "components": {"securitySchemes": {"user": flow}},
    }
    home = generated(tmp_path, document, "--base-url", "http://127.0.0.1:1/")
    with Server(home, package="store_mcp", env={"STORE_USER_USERNAME": "ada", "STORE_USER_PASSWORD": SECRET}) as server:
        assert "was not accepted" in server.result("list_items")["content"][0]["text"]
    assert api.heard == []
