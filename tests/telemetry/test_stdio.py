"""Test spans and metrics of real servers over stdio, as a collector and the API receive them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.runtime.process import Server
from tests.runtime.revisions import ENVELOPE
from tests.telemetry import model
from tests.telemetry.api import Api
from tests.telemetry.collector import Collector, Span

ARGUMENT, SECRET, HEADER = "value-of-an-argument", "s3cret-of-the-test", "key-of-the-collector"
TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
TRACEPARENT = f"00-{TRACE}-{PARENT}-01"
SPAN_SERVER, SPAN_CLIENT = 2, 3


def started(mirror: Path, api: Api, **more: str) -> Server:
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME")}
    told = {"MIRROR_BASE_URL": api.url, "MIRROR_KEY": SECRET}
    found = Server(mirror, env={**kept, **told, **more})
    # switch off the checker of output lines, because it fails if a server offers MCP prompts
    object.__setattr__(found.checker, "check", _seen)
    return found


def _seen(line: bytes) -> None:
    assert line.endswith(b"\n")


def ask(server: Server, method: str, *, trace: str = "", id_: object = "c", **params: Any) -> Any:
    """Send a request of the stateless revision 2026-07-28, and return the response."""
    meta = {**ENVELOPE, **({"traceparent": trace} if trace else {})}
    message = {"jsonrpc": "2.0", "id": id_, "method": method, "params": {**params, "_meta": meta}}
    server.say(json.dumps(message).encode() + b"\n")
    return server.message()


def call(server: Server, tool: str, trace: str = "", **arguments: Any) -> Any:
    return ask(server, "tools/call", trace=trace, name=tool, arguments=arguments)


def ended(server: Server, collector: Collector | None = None, spans: int = 1) -> None:
    """Close stdin, and wait for the end. First wait until the collector has `spans` spans.

    The last export of a server has only one second, and a first export needs longer, since it must connect.
    """
    if collector is not None:
        collector.until(spans)
    server.end()
    assert server.ended() == 0


def of_kind(spans: list[Span], kind: int) -> list[Span]:
    return [span for span in spans if span.kind == kind]


def checked(collector: Collector) -> None:
    """Check that all received data obeys OpenTelemetry's conventions, and holds no argument value or credential."""
    if model.MODEL.exists():
        assert model.violations(collector.spans, [p for found in collector.points.values() for p in found]) == []
    for body in collector.bodies:
        assert not [word for word in (ARGUMENT, SECRET, HEADER) if word.encode() in body]


def test_a_call_and_its_request_are_spans_of_the_clients_trace(mirror: Path, api: Api, collector: Collector) -> None:
    with started(mirror, api, **collector.environment()) as server:
        call(server, "get_item", TRACEPARENT, id=ARGUMENT, q=ARGUMENT)
        ended(server, collector, 2)
    [served], [sent] = of_kind(collector.spans, SPAN_SERVER), of_kind(collector.spans, SPAN_CLIENT)
    assert (served.name, served.trace, served.parent) == ("tools/call get_item", TRACE, PARENT)
    assert (sent.name, sent.trace, sent.parent) == ("GET /items/{id}", TRACE, served.id)
    assert api.traces == [f"00-{TRACE}-{sent.id}-01"]
    assert sent.attributes["url.full"] == f"{api.url}/items/{{id}}"
    assert served.seconds >= sent.seconds > 0
    checked(collector)


def test_a_completion_has_the_request_that_it_needs(mirror: Path, api: Api, collector: Collector) -> None:
    prompt = {"ref": {"type": "ref/prompt", "name": "visit"}, "argument": {"name": "item", "value": ARGUMENT}}
    with started(mirror, api, **collector.environment()) as server:
        ask(server, "completion/complete", trace=TRACEPARENT, **prompt)
        ended(server)
    [served], [sent] = of_kind(collector.spans, SPAN_SERVER), of_kind(collector.spans, SPAN_CLIENT)
    assert (served.name, served.trace, served.parent) == ("completion/complete", TRACE, PARENT)
    assert (sent.name, sent.trace, sent.parent) == ("GET /items/all", TRACE, served.id)
    assert served.seconds >= sent.seconds > 0
    checked(collector)


@pytest.mark.slow
def test_a_request_that_is_sent_again_is_a_span_of_its_own(mirror: Path, api: Api, collector: Collector) -> None:
    with started(mirror, api, **collector.environment()) as server:
        call(server, "get_flaky")
        ended(server, collector, 3)
    first, second = of_kind(collector.spans, SPAN_CLIENT)
    assert [each.attributes.get("http.request.resend_count") for each in (first, second)] == [None, 1]
    assert [each.attributes.get("error.type") for each in (first, second)] == ["503", None]
    assert [each.split("-")[2] for each in api.traces] == [first.id, second.id]
    checked(collector)


GET, SLOW = {"name": "get_item"}, {"name": "get_slow", "arguments": {}}
FAILED, WRONG = {"error.type": "tool_error"}, {"rpc.response.status_code": "-32602"}
READ = "resources/read"
EXPECTED: list[tuple[str, dict[str, Any], str, dict[str, Any], int]] = [
    ("tools/call", {**GET, "arguments": {"id": "1"}}, "tools/call get_item", {}, 0),
    ("tools/call", {**GET, "arguments": {"id": "missing"}}, "tools/call get_item", FAILED, 2),
    ("tools/call", {**GET, "arguments": {}}, "tools/call get_item", FAILED, 2),
    ("tools/call", SLOW, "tools/call get_slow", FAILED, 2),
    ("tools/call", {"name": ARGUMENT}, "tools/call _OTHER", WRONG, 0),
    ("tools/call", {**GET, "arguments": 1}, "tools/call get_item", WRONG, 0),
    ("tools/list", {}, "tools/list", {}, 0),
    ("server/discover", {}, "server/discover", {}, 0),
    (ARGUMENT, {}, "_OTHER", {"rpc.response.status_code": "-32601"}, 0),
    ("prompts/get", {"name": "greet"}, "prompts/get greet", {"gen_ai.prompt.name": "greet"}, 0),
    ("prompts/get", {"name": ARGUMENT}, "prompts/get _OTHER", WRONG, 0),
    (READ, {"uri": "mirror://guide"}, READ, {"mcp.resource.uri": "mirror://guide"}, 0),
    (READ, {"uri": f"mirror://items/{ARGUMENT}"}, READ, {"mcp.resource.uri": "mirror://items/{id}"}, 0),
    (READ, {"uri": f"mirror://{ARGUMENT}"}, READ, {**WRONG, "mcp.resource.uri": "_OTHER"}, 0),
    (READ, {"uri": "mirror://result/77"}, READ, {**WRONG, "mcp.resource.uri": "mirror://result/{id}"}, 0),
]


def test_what_each_request_comes_to(mirror: Path, api: Api, collector: Collector) -> None:
    with started(mirror, api, MIRROR_METRICS="1", **collector.environment()) as server:
        for number, (method, params, *_) in enumerate(EXPECTED):
            ask(server, method, id_=f"id-{number}", **params)
        ended(server, collector, len(EXPECTED))
    assert b"mcp_server_operation_duration_seconds" in server.written
    found = {span.attributes["jsonrpc.request.id"]: span for span in of_kind(collector.spans, SPAN_SERVER)}
    for number, (_, _, name, told, status) in enumerate(EXPECTED):
        span = found[f"id-{number}"]
        assert (span.name, span.status) == (name, status)
        assert {key: span.attributes.get(key) for key in told} == told
    checked(collector)


def test_a_session_of_the_handshake_era(mirror: Path, api: Api, collector: Collector) -> None:
    lines: list[dict[str, Any]] = [
        {"id": 0, "method": "initialize", "params": {"protocolVersion": "2025-03-26", "capabilities": {}}},
        {"method": "notifications/initialized"},
        {"method": "notifications/" + ARGUMENT},
        {"id": 1, "method": "ping"},
    ]
    with started(mirror, api, **collector.environment()) as server:
        for each in lines:
            server.say(json.dumps({"jsonrpc": "2.0", **each}).encode() + b"\n")
        for _ in range(2):
            server.message()
        batch = [{"jsonrpc": "2.0", "id": id_, "method": "tools/list"} for id_ in (2, 3)]
        server.say(json.dumps(batch).encode() + b"\n")
        server.message()
        ended(server, collector, 6)
    names = [span.name for span in collector.spans]
    assert names == ["initialize", "notifications/initialized", "_OTHER", "ping", "tools/list", "tools/list"]
    assert {span.attributes["mcp.protocol.version"] for span in collector.spans} == {"2025-03-26"}
    [point] = [each for each in collector.points["mirror-mcp"] if each.metric == "mcp.server.session.duration"]
    assert (point.count, point.attributes["mcp.protocol.version"]) == (1, "2025-03-26")
    checked(collector)


@pytest.mark.slow
def test_a_cancelled_call_and_one_that_the_end_cuts(mirror: Path, api: Api, collector: Collector) -> None:
    params = {"name": "get_slow", "arguments": {}, "_meta": ENVELOPE}
    with started(mirror, api, **collector.environment()) as server:
        ask(server, "tools/list")
        message = {"jsonrpc": "2.0", "id": "x", "method": "tools/call", "params": params}
        server.say(json.dumps(message).encode() + b"\n")
        server.cancel("x")
        [span] = [each for each in collector.until(2) if each.name == "tools/call get_slow"]
        assert (span.attributes["error.type"], span.status) == ("cancelled", 2)
        server.process.terminate()
        server.ended()
    checked(collector)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variables", "flags"),
    [
        ({"OTEL_TRACES_SAMPLER": "always_off"}, "00"),
        ({"OTEL_TRACES_SAMPLER": "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0"}, "00"),
        ({"OTEL_TRACES_SAMPLER": "traceidratio", "OTEL_TRACES_SAMPLER_ARG": "1"}, "01"),
        ({"MIRROR_TRACE": "0"}, ""),
    ],
)
def test_what_the_api_hears_of_a_trace_that_begins_here(
    mirror: Path, api: Api, collector: Collector, variables: dict[str, str], flags: str
) -> None:
    with started(mirror, api, **collector.environment(**variables)) as server:
        call(server, "get_item", id="1")
        ended(server, None if flags == "00" else collector, 2)
    assert [each[-2:] for each in api.traces] == [flags]
    assert len(collector.spans) == (2 if flags != "00" else 0)


@pytest.mark.slow
def test_an_unsampled_trace_of_the_client_stays_so(mirror: Path, api: Api, collector: Collector) -> None:
    with started(mirror, api, **collector.environment()) as server:
        call(server, "get_item", f"00-{TRACE}-{PARENT}-00", id="1")
        ended(server)
    assert [(each[:36], each[-2:]) for each in api.traces] == [(f"00-{TRACE}-", "00")]
    assert collector.spans == []


@pytest.mark.slow
def test_a_collector_that_is_busy_is_asked_again_and_a_refusal_is_told_once(
    mirror: Path, api: Api, collector: Collector
) -> None:
    collector.statuses += [503]
    more = {"OTEL_METRICS_EXPORTER": "none", "OTEL_EXPORTER_OTLP_HEADERS": f"X-Key={HEADER}"}
    more["OTEL_EXPORTER_OTLP_COMPRESSION"] = "gzip"
    with started(mirror, api, **collector.environment(**more)) as server:
        ask(server, "tools/list")
        collector.until(1)
        assert [head["x-key"] for head in collector.heads] == [HEADER, HEADER]
        collector.statuses += [400, 400]
        for _ in range(2):
            ask(server, "tools/list")
            collector.heard(len(collector.bodies) + 1)
        ended(server)
        told = [line for line in server.written.splitlines() if b"telemetry_not_sent" in line]
    assert len(told) == 1
    assert b"status 400" in told[0]
    assert HEADER.encode() not in server.written


def test_without_the_extra_the_server_serves_and_says_what_is_missing(mirror: Path, api: Api, tmp_path: Path) -> None:
    (tmp_path / "opentelemetry").mkdir()
    (tmp_path / "opentelemetry" / "__init__.py").write_text("")
    more = {"PYTHONPATH": str(tmp_path), "OTEL_TRACES_EXPORTER": "otlp"}
    with started(mirror, api, **more) as server:
        assert call(server, "get_item", id="1")["result"]["isError"] is False
        ended(server)
        assert b"telemetry_off" in server.written
        assert b"[otel]" in server.written


def test_the_file_of_metrics_is_read_by_prometheus_own_parser(mirror: Path, api: Api, tmp_path: Path) -> None:
    with started(mirror, api, MIRROR_METRICS=str(tmp_path / "{pid}.prom")) as server:
        call(server, "get_item", id="missing")
        call(server, "get_item", id="1")
        call(server, "get_flaky")
        call(server, "delete_item", id="1")
        call(server, ARGUMENT)
        ended(server)
    [path] = tmp_path.iterdir()
    assert path.name == f"{server.process.pid}.prom"
    found = {family.name: family for family in text_string_to_metric_families(path.read_text())}
    counted = {
        (sample.name, *sample.labels.values()): sample.value for family in found.values() for sample in family.samples
    }
    assert counted["mcpgen_upstream_responses_total", "2xx"] == 2
    assert counted["mcpgen_upstream_responses_total", "4xx"] == 1
    assert counted["mcpgen_upstream_responses_total", "5xx"] == 1
    assert counted["mcpgen_upstream_retries_total",] == 1
    assert counted["mcpgen_calls_refused_total", "refused"] == 1
    assert counted["mcpgen_calls_refused_total", "rejected"] == 1
    durations = [
        each for each in found["mcp_server_operation_duration_seconds"].samples if each.name.endswith("_count")
    ]
    assert sum(each.value for each in durations) == 5
    assert found["process_resident_memory_bytes"].samples[0].value > 2**20
    assert ARGUMENT not in path.read_text()


def test_variables_of_others_load_nothing(mirror: Path, api: Api) -> None:
    """Check that OTEL variables without an exporter or an endpoint do not enable telemetry, and load no
    module for it.
    """
    variables = {"OTEL_SERVICE_NAME": "x", "OTEL_TRACES_EXPORTER": "none", "MIRROR_METRICS": "0"}
    with started(mirror, api, **variables) as server:
        call(server, "get_item", id="1")
        names = Path(f"/proc/{server.process.pid}/maps").read_text()
        threads = len(list(Path(f"/proc/{server.process.pid}/task").iterdir()))
        ended(server)
    with started(mirror, api) as server:
        call(server, "get_item", id="1")
        assert len(list(Path(f"/proc/{server.process.pid}/task").iterdir())) == threads
        ended(server)
    assert "opentelemetry" not in names
    assert "google" not in names
