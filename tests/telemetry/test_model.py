"""Test the checker of spans and metrics: it has read the files of OpenTelemetry's semantic conventions, and
reports each violation that a test makes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.telemetry import model
from tests.telemetry.collector import Point, Span

pytestmark = pytest.mark.skipif(not model.MODEL.exists(), reason="this needs ../shared/formats/otel-mcp")

CALL = {
    "mcp.method.name": "tools/call",
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "get_item",
    "mcp.protocol.version": "2025-11-25",
    "network.transport": "pipe",
}
SERVER = Span("tools/call get_item", 2, "t", "s", "", 0, "", 0.1, {**CALL, "jsonrpc.request.id": "1"}, (), "x")
URL = {"url.full": "http://api/items/{id}", "url.template": "/items/{id}"}
GET = {"http.request.method": "GET", "server.address": "api", "server.port": 80, "http.response.status_code": 200}
CLIENT = Span("GET /items/{id}", 3, "t", "c", "s", 0, "", 0.1, {**GET, **URL}, (), "x")
DURATION = Point("mcp.server.operation.duration", "s", "histogram", CALL, 0.1, 1, model.MCP_BOUNDS)
HTTP = Point("http.client.request.duration", "s", "histogram", GET, 0.1, 1, model.HTTP_BOUNDS)


def test_what_is_right_has_no_violation() -> None:
    assert model.violations([SERVER, CLIENT], [DURATION, HTTP]) == []


@pytest.mark.parametrize(
    ("base", "more"),
    [
        (SERVER, {"mcp.method.name": None}),
        (SERVER, {"mcp.method.name": "tools/cal"}),
        (SERVER, {"gen_ai.tool.name": None}),
        (SERVER, {"gen_ai.operation.name": "chat"}),
        (SERVER, {"gen_ai.tool.call.arguments": "{}"}),
        (SERVER, {"tool.name": "get_item"}),
        (SERVER, {"jsonrpc.request.id": None}),
        (SERVER, {"jsonrpc.request.id": 1}),
        (SERVER, {"mcp.resource.uri": "a://b"}),
        (SERVER, {"network.transport": "stdio"}),
        (SERVER, {"mcpgen.task.status": "lost"}),
        (SERVER, {"mcpgen.task.digest": "HgK1G8-AUBDqD7jzhuyUmQ"}),
        (SERVER, {"network.transport": "tcp"}),
        (SERVER, {"error.type": "tool_error"}),
        (SERVER, {"rpc.response.status_code": "-32603"}),
        (CLIENT, {"url.full": None}),
        (CLIENT, {"url.full": "http://api/items/1?key=1"}),
        (CLIENT, {"http.response.status_code": 500}),
        (CLIENT, {"http.response.status_code": None}),
        (CLIENT, {"http.request.method": "get"}),
        (CLIENT, {"http.request.resend_count": 0}),
        (CLIENT, {"server.port": "80"}),
        (CLIENT, {"url.template": "/others"}),
    ],
)
def test_a_wrong_attribute_of_a_span_is_noticed(base: Span, more: dict[str, Any]) -> None:
    told = {name: value for name, value in {**base.attributes, **more}.items() if value is not None}
    assert model.violations([replace(base, attributes=told)], [])


@pytest.mark.parametrize("more", [{"name": "tools/call"}, {"status": 2}, {"message": "x"}, {"kind": 1}])
def test_a_wrong_span_is_noticed(more: dict[str, Any]) -> None:
    assert model.violations([replace(SERVER, **more)], [])


@pytest.mark.parametrize(
    ("base", "more"),
    [
        (DURATION, {"metric": "mcp.server.duration"}),
        (DURATION, {"unit": "ms"}),
        (DURATION, {"bounds": (1.0, 2.0)}),
        (DURATION, {"kind": "sum"}),
        (DURATION, {"attributes": {**CALL, "jsonrpc.request.id": "1"}}),
        (DURATION, {"attributes": {**CALL, "mcp.resource.uri": "a://b"}}),
        (HTTP, {"attributes": {**GET, "url.full": "http://api/"}}),
        (HTTP, {"bounds": model.MCP_BOUNDS}),
    ],
)
def test_a_wrong_point_is_noticed(base: Point, more: dict[str, Any]) -> None:
    assert model.violations([], [replace(base, **more)])
