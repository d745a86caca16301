"""Test spans, metrics and `/metrics` of real servers over HTTP, both with aiohttp and as ASGI applications."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.streamable.client import Answer
from tests.streamable.messages import JSON, NEW, calling, encoded, mirrored, notification, request
from tests.streamable.servers import DOORS, Server
from tests.streamable.upstream import Upstream
from tests.telemetry import model
from tests.telemetry.collector import Collector

TRACE, OTHER = "0af7651916cd43dd8448eb211c80319c", "1af7651916cd43dd8448eb211c80319c"
TOKEN = "a-token-of-the-operator"
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the generated project."""
    from mcpgen.cli import main
    from tests.streamable.conftest import TOOLS

    folder = tmp_path_factory.mktemp("telemetry") / "caller"
    with pytest.raises(SystemExit):
        main(["generate", str(TOOLS), "-o", str(folder)])
    return folder


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    found = Upstream()
    yield found
    found.close()


def environment(monkeypatch: pytest.MonkeyPatch, collector: Collector) -> None:
    for name, value in collector.environment().items():
        monkeypatch.setenv(name, value)


def post(server: Server, message: dict[str, Any], **fields: str) -> Answer:
    head = mirrored(message) if NEW in str(message) else {**JSON, "Host": "localhost"}
    return server.ask("POST", "/mcp", {**head, **fields}, encoded(message))


def counted(answer: Answer) -> dict[tuple[str, ...], float]:
    """Return a mapping from the name and labels of each metric to its value, as read by the official
    Prometheus parser.
    """
    families = text_string_to_metric_families(answer.body.decode())
    samples = [sample for family in families for sample in family.samples]
    return {(sample.name, *sample.labels.values()): sample.value for sample in samples}


@pytest.mark.parametrize("door", DOORS)
def test_a_session_with_calls_notifications_and_an_end(
    project: Path, upstream: Upstream, collector: Collector, door: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment(monkeypatch, collector)
    with Server(project, upstream, door) as server:
        begun = post(server, request("initialize", **HELLO))
        session = {"Mcp-Session-Id": begun.field("mcp-session-id") or "", "MCP-Protocol-Version": "2025-11-25"}
        post(server, notification("notifications/initialized"), **session)
        params = {
            "name": "echo",
            "arguments": {"text": "hi"},
            "_meta": {"traceparent": f"00-{TRACE}-b7ad6b7169203331-01"},
        }
        post(server, request("tools/call", 2, **params), **session, traceparent=f"00-{OTHER}-b7ad6b7169203331-01")
        assert server.ask("DELETE", "/mcp", {**session, "Host": "localhost"}).status == 204
        message = calling("echo", text="hi")
        assert post(server, message, **{"Mcp-Name": "other"}).status == 400
        post(server, message)
        # Wait for the spans: when a server ends, its exports get only one second, and the first export can take longer.
        collector.until(6)
        server.terminate()
        server.ended()
    spans = {span.name: span for span in collector.spans if span.kind == model.SERVER}
    assert spans.keys() == {"initialize", "notifications/initialized", "tools/call echo"}
    [called] = [span for span in collector.spans if span.trace == TRACE and span.kind == model.SERVER]
    assert called.links == (OTHER,)
    assert called.attributes["mcp.session.id"] not in session["Mcp-Session-Id"]
    assert called.attributes["client.address"] == "127.0.0.1"
    [sent] = [span for span in collector.spans if span.trace == TRACE and span.kind == model.CLIENT]
    assert any(f"traceparent: 00-{TRACE}-{sent.id}-01".encode() in head for head in upstream.heads)
    points = collector.points["caller-mcp"]
    [over] = [point for point in points if point.metric == "mcp.server.session.duration"]
    assert (over.count, over.attributes["mcp.protocol.version"]) == (1, "2025-11-25")
    if model.MODEL.exists():
        assert model.violations(collector.spans, points) == []


@pytest.mark.parametrize("door", DOORS)
def test_metrics_are_for_whoever_has_the_token(project: Path, upstream: Upstream, door: str) -> None:
    with Server(project, upstream, door, METRICS="1", METRICS_TOKEN=TOKEN, HTTP_OPEN="1") as server:
        post(server, calling("echo", text="hi"))
        post(server, calling("echo", text="hi"), Origin="https://elsewhere.example")
        for wrong in ({}, {"Authorization": f"Bearer {TOKEN}x"}, {"Authorization": f"Basic {TOKEN}"}):
            assert server.ask("GET", "/metrics", {"Host": "10.0.0.5:8000", **wrong}).status == 401
        right = {"Host": "10.0.0.5:8000", "Authorization": f"Bearer {TOKEN}"}
        answer = server.ask("GET", "/metrics", right)
        assert server.ask("POST", "/metrics", right).status == 405
    found = counted(answer)
    assert found["mcpgen_upstream_responses_total", "2xx"] == 1
    assert found["mcpgen_http_refused_total", "403"] == 1
    assert found["mcpgen_http_refused_total", "401"] == 3
    assert (answer.field("content-type") or "").startswith("text/plain; version=0.0.4")


def test_without_a_token_they_are_for_this_machine_under_its_own_name(project: Path, upstream: Upstream) -> None:
    with Server(project, upstream, "aiohttp", METRICS="1") as server:
        assert server.ask("GET", "/metrics", {"Host": "localhost"}).status == 200
        assert server.ask("GET", "/metrics", {"Host": "rebound.example"}).status == 421
        assert server.ask("GET", "/metrics", {"Host": "localhost", "Origin": "https://page.example"}).status == 403


def test_they_are_nowhere_unless_they_are_asked_for(project: Path, upstream: Upstream) -> None:
    with Server(project, upstream, "aiohttp") as server:
        assert server.ask("GET", "/metrics", {"Host": "localhost"}).status == 404
