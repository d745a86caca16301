"""Test the two tools files in the how-to pages: both compile as they are. The server of the first one starts and sends
the expected request to a TCP socket; the second one makes the expected tools of its documents.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from mcpgen.cli import main
from tests.runtime.process import Server
from tests.wire.upstream import listening

HOW_TO = Path(__file__).parents[2] / "docs" / "how-to"
PAGES = "".join((HOW_TO / name).read_text(encoding="utf-8") for name in ("write-tools.md", "curate.md"))
FILES = re.findall(r"^```yaml\n(mcpgen: 1\n.*?)^```$", PAGES, re.MULTILINE | re.DOTALL)
ID = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
ANSWER = b'{"current":{"temperature_2m":3.5},"hourly":{"temperature_2m":[3.5,3.1]}}'


def operation(name: str, *parameters: str) -> dict[str, Any]:
    kinds = {"limit": "integer"}
    described = [{"name": each, "in": "query", "schema": {"type": kinds.get(each, "string")}} for each in parameters]
    return {"operationId": name, "tags": ["orders"], "parameters": described, "responses": {"200": {"description": ""}}}


def document(title: str, paths: dict[str, Any]) -> str:
    servers = [{"url": f"https://{title}.example.com"}]
    return json.dumps(
        {"openapi": "3.1.0", "info": {"title": title, "version": "1"}, "servers": servers, "paths": paths}
    )


def generated(folder: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run `generate` on a tools file of the documentation, beside the documents that it names. Return the output."""
    (folder / "weather.tools.yaml").write_text(text, encoding="utf-8")
    monkeypatch.chdir(folder)
    with pytest.raises(SystemExit) as ended:
        main(["generate", "weather.tools.yaml", "-o", "out"])
    assert ended.value.code == 0
    return next((folder / "out").glob("*_mcp")).name


def test_there_are_two() -> None:
    assert len(FILES) == 2


def test_ten_lines_are_a_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert FILES[0].count("\n") == 10
    assert generated(tmp_path, FILES[0], monkeypatch) == "weather_mcp"
    assert capsys.readouterr().err == ""
    with listening() as upstream:
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(ANSWER)}\r\n\r\n"
        upstream.answer = head.encode() + ANSWER
        environ = {"WEATHER_BASE_URL": f"http://127.0.0.1:{upstream.port}/v1"}
        with Server(tmp_path / "out", package="weather_mcp", env=environ) as server:
            told = server.result("get_forecast", latitude=59.91, longitude=10.75)
            wrong = server.result("get_forecast", latitude="north")
        heard = upstream.received.get(timeout=120).split(b"\r\n")[0].decode()
        assert upstream.received.empty()
    query = "current=temperature_2m%2Cwind_speed_10m&hourly=temperature_2m&latitude=59.91&longitude=10.75"
    assert heard == f"GET /v1/forecast?{query} HTTP/1.1"
    assert json.loads(told["content"][0]["text"]) == json.loads(ANSWER)
    assert wrong["isError"]
    assert "longitude" in wrong["content"][0]["text"]
    assert "latitude" in wrong["content"][0]["text"]


def test_a_curated_document_is_what_the_file_makes_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    orders = operation("listOrders", "limit", "debug", "client")
    remove = {**operation("deleteOrder"), "parameters": [ID]}
    paths: dict[str, Any] = {
        "/orders": {"get": orders},
        "/orders/{id}": {"delete": remove},
        "/stock": {"get": operation("listStock")},
    }
    paths["/stock"]["get"]["tags"] = ["stock"]
    (tmp_path / "store.yaml").write_text(document("store", paths), encoding="utf-8")
    (tmp_path / "billing.yaml").write_text(document("billing", {"/bills": {"get": operation("listBills")}}), "utf-8")
    package = generated(tmp_path, FILES[1], monkeypatch)
    tools = {tool["name"]: tool for tool in json.loads((tmp_path / "out" / package / "tools.json").read_bytes())}
    assert sorted(tools) == ["billing_list_bills", "delete_order", "find_orders"]
    assert tools["find_orders"]["inputSchema"]["properties"] == {"limit": {"type": "integer", "default": 20}}
    assert tools["delete_order"]["description"].startswith("Cancels an order for good.")
