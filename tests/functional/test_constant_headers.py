"""Test header fields that the operator adds to every request: a server process runs, and raw sockets stand for APIs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mcpgen.cli import main
from tests.functional.doors import DOORS, generated, served
from tests.functional.test_redirects import Site, moved, told
from tests.functional.test_removed import answer
from tests.runtime.process import Server

KEY = "k3y-0123456789abcdef"
PLAN = "2026-01-01"


@pytest.fixture(scope="module")
def sites() -> Iterator[tuple[Site, Site]]:
    api, other = Site("127.0.0.1"), Site("localhost")
    with api.listening, other.listening:
        yield api, other


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, sites: tuple[Site, Site]) -> Path:
    folder = tmp_path_factory.mktemp("fixed")
    read = {"responses": {"200": {"description": "ok"}}}
    plan = {"name": "X-Plan", "in": "header", "schema": {"type": "string"}}
    document: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {"title": "Fixed", "version": "1"},
        "servers": [{"url": sites[0].url}],
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "security": [{"token": []}],
        "paths": {
            "/log": {"get": {"operationId": "read_log", "parameters": [plan], **read}},
            "/below": {"get": {"operationId": "read_below", "servers": [{"url": f"{sites[0].url}/v2"}], **read}},
            "/other": {"get": {"operationId": "read_other", "servers": [{"url": sites[1].url}], **read}},
        },
    }
    (folder / "fixed.json").write_text(json.dumps(document))
    (folder / "fixed.tools.yaml").write_text(
        "mcpgen: 1\nopenapi: [{document: fixed.json}]\noverrides: {GET /log: {redirects: follow}}\nparts: [reach]\n"
    )
    with pytest.raises(SystemExit) as ended:
        main(["generate", str(folder / "fixed.tools.yaml"), "-o", str(folder / "out")])
    assert ended.value.code == 0
    return folder / "out"


def environment(
    folder: Path, plain: str = f"X-Plan: {PLAN}\nX-Tenant: a", secret: str = f"X-Key: {KEY}"
) -> dict[str, str]:
    (folder / "headers").write_text(secret)
    more = {"FIXED_HEADERS_FILE": str(folder / "headers")} if secret else {}
    return {"FIXED_TOKEN": f"t{KEY}", "FIXED_HEADERS": plain, "FIXED_ALLOW_HOSTS": "localhost", **more}


def test_they_stand_beside_the_credential_and_only_the_secret_ones_are_redacted(
    project: Path, sites: tuple[Site, Site], tmp_path: Path
) -> None:
    api, _ = sites
    api.asked.clear()
    api.says["/log"] = moved("/moved")
    api.says["/moved"] = api.says["/v2/below"] = answer(f"{PLAN} {KEY}".encode(), "text/plain")
    with Server(project, package="fixed_mcp", env=environment(tmp_path)) as server:
        assert told(server.result("read_log", x_plan="mine")) == f"{PLAN} [redacted]"
        assert told(server.result("read_below")) == f"{PLAN} [redacted]"
    assert len(api.asked) == 3
    for asked in api.asked:
        for field in (f"X-Plan: {PLAN}", "X-Tenant: a", f"X-Key: {KEY}", f"Authorization: Bearer t{KEY}"):
            assert asked.count(f"\r\n{field}\r\n") == 1
        assert "mine" not in asked


def test_another_origin_gets_none_of_them(project: Path, sites: tuple[Site, Site], tmp_path: Path) -> None:
    api, other = sites
    other.asked.clear()
    api.says["/log"] = moved(f"{other.url}/there")
    with Server(project, package="fixed_mcp", env=environment(tmp_path)) as server:
        assert told(server.result("read_log")) == told(server.result("read_other")) == "whole"
    assert len(other.asked) == 2
    for asked in other.asked:
        assert not any(field in asked for field in ("X-Plan", "X-Tenant", "X-Key"))


def test_explain_shows_them_without_secrets(project: Path, tmp_path: Path) -> None:
    with Server(project, "--explain", "read_log", "{}", package="fixed_mcp", env=environment(tmp_path)) as server:
        assert server.ended() == 0
    shown = server.written.decode()
    assert f"X-Plan: {PLAN}" in shown
    assert KEY not in shown


@pytest.mark.parametrize(
    ("plain", "secret", "problem"),
    [
        *(
            (f"X-A: 1\n{name}: x", "", "FIXED_HEADERS must hold one `Name: value` on each line, without fields")
            for name in ("Host", "content-length", "Transfer-Encoding", "Connection", "Content-Type", "Accept-Encoding")
        ),
        ("X-A: 1\nX-A: 2", "", "FIXED_HEADERS has the field of line 2 twice."),
        ("X-A", "", "FIXED_HEADERS must hold one `Name: value` on each line"),
        ("X-A: \x7f", "", "FIXED_HEADERS must hold one `Name: value` on each line"),
        *(
            (f"{name}: {KEY}", "", f"FIXED_HEADERS has the secret {name}: put it into a file")
            for name in ("Authorization", "cookie", "X-Api-Key", "Ocp-Apim-Subscription-Key")
        ),
        ("X-A: 1", "Host: x", "FIXED_HEADERS_FILE must hold one `Name: value` on each line"),
        ("X-A: 1", "\udcff", "FIXED_HEADERS_FILE must name a file of text in UTF-8 that can be read."),
    ],
)
def test_what_cannot_be_sent_is_refused(project: Path, tmp_path: Path, plain: str, secret: str, problem: str) -> None:
    environ = environment(tmp_path, plain, "")
    if secret:
        (tmp_path / "headers").write_text(secret, errors="surrogateescape")
        environ["FIXED_HEADERS_FILE"] = str(tmp_path / "headers")
    with Server(project, "--list", package="fixed_mcp", env=environ) as server:
        assert server.ended() == 78
    assert problem in server.written.decode()
    assert KEY not in server.written.decode()


TOOLS = """\
base_url: http://127.0.0.1:9
headers: {X-Api-Version: '2026-01-01', X-Workspace: sales, X-Api-Key: '12345'}
tools:
  - {name: read_log, description: Reads the log., request: GET /log}
  - name: find_logs
    description: Finds logs.
    request: GET /logs
    arguments: {words: string required}
    send: {query: {q: '{words}'}, headers: {x-workspace: support}}
"""


@pytest.mark.parametrize("door", DOORS)
def test_the_fields_of_a_tools_file_stand_in_every_request(tmp_path: Path, door: str) -> None:
    site, made = Site("127.0.0.1"), generated(tmp_path, TOOLS)
    with site.listening, served(made, door, BASE_URL=site.url) as call:
        call("read_log")
        call("find_logs", words="a")
    for asked, workspace in zip(site.asked, ("X-Workspace: sales", "x-workspace: support"), strict=True):
        assert asked.count("\r\nX-Api-Version: 2026-01-01\r\n") == 1
        assert asked.lower().count("x-workspace") == 1
        assert workspace in asked
        assert "12345" not in asked
