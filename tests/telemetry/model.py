"""Check spans and metrics against the published model of the OpenTelemetry conventions (`../shared/formats/otel-mcp`).

The YAML model lists the attributes of a span or metric, and which are required. Its rules in prose are written as code
here: when an attribute is present, how a span is named, and what its status is. The model has no HTTP requests. So the
table of the stable conventions for HTTP clients is copied here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from tests.telemetry.collector import Point, Span

MODEL = Path(__file__).resolve().parents[3] / "shared" / "formats" / "otel-mcp"
SERVER, CLIENT = 2, 3
ERROR = 2
NEWER = (
    *("server/discover", "subscriptions/listen", "tasks/get", "tasks/result", "tasks/update", "tasks/cancel"),
    *("skills/list", "skills/get", "resources/directory/read"),
)
"""Methods of MCP and of its extensions that are newer than the model. The model allows further values."""

OWN = {"mcpgen.task.digest": "[0-9a-f]{16}", "mcpgen.task.status": "working|completed|failed|cancelled"}
"""Attributes of tasks, for which the model has none, and the patterns of their values."""

FAULTS_OF_CALLERS = ("-32700", "-32600", "-32601", "-32602", "-32002")
MCP_BOUNDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0)
HTTP_BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0)
HTTP_METRIC = "http.client.request.duration"
HTTP_REQUIRED = ("http.request.method", "server.address", "server.port")
HTTP_METRIC_ATTRIBUTES = (*HTTP_REQUIRED, "http.response.status_code", "error.type", "url.template")
HTTP_SPAN_ATTRIBUTES = (
    *HTTP_METRIC_ATTRIBUTES,
    *("url.full", "http.request.method_original", "http.request.resend_count"),
)
NUMBERS = ("server.port", "http.response.status_code", "http.request.resend_count", "client.port")
METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH", "QUERY", "_OTHER")


@cache
def groups() -> dict[str, dict[str, Any]]:
    """Return all groups of attributes in OpenTelemetry's model of its conventions, by id."""
    found = {}
    for path in sorted(MODEL.glob("*.yaml")):
        found.update({group["id"]: group for group in yaml.safe_load(path.read_text())["groups"]})
    return found


@cache
def levels(group: str) -> dict[str, str]:
    """Return a mapping from attribute to requirement level for a group of OpenTelemetry's conventions.

    Attributes of the groups that it extends are included.
    """
    entry = groups()[group]
    found = dict(levels(entry["extends"])) if "extends" in entry else {}
    for each in entry.get("attributes", ()):
        level = each.get("requirement_level", "recommended")
        found[each["ref"]] = level if isinstance(level, str) else next(iter(level))
    return found


@cache
def methods() -> frozenset[str]:
    """Return the MCP methods that the model of the OpenTelemetry conventions lists."""
    [entry] = [each for each in groups()["registry.mcp"]["attributes"] if each["id"] == "mcp.method.name"]
    return frozenset(member["value"] for member in entry["type"]["members"])


def violations(spans: Iterable[Span], points: Iterable[Point]) -> list[str]:
    """Return a sentence for each violation of OpenTelemetry's conventions."""
    found = []
    for span in spans:
        rules = _server_span(span) if span.kind == SERVER else _http_span(span)
        found += [f"{span.name}: {each}" for each in rules]
    for point in points:
        found += [f"{point.metric}: {each}" for each in _point(point)]
    return found


def _server_span(span: Span) -> Iterator[str]:
    told = {name: value for name, value in span.attributes.items() if name not in OWN}
    yield from _own(span.attributes)
    yield from _of_group(told, "span.mcp.server")
    yield from _operation(told)
    method = told.get("mcp.method.name", "")
    target = told.get("gen_ai.tool.name") or told.get("gen_ai.prompt.name")
    if span.name != (f"{method} {target}" if target else method):
        yield "is not named by its method and its target"
    if method != "_OTHER":  # `_OTHER` is the span of an unknown method, which may be a request or a notification
        yield from _same("jsonrpc.request.id" in told, not method.startswith("notifications/"), "jsonrpc.request.id")
    yield from _same("mcp.resource.uri" in told, method == "resources/read", "mcp.resource.uri")
    yield from _status(span)


def _own(told: dict[str, Any]) -> Iterator[str]:
    """Check the span attributes of MCP tasks, which OpenTelemetry's conventions do not define."""
    for name, pattern in OWN.items():
        if name in told and not re.fullmatch(pattern, told[name]):
            yield f"{name} has another value than it may have"


def _operation(told: dict[str, Any]) -> Iterator[str]:
    """Check the rules that apply to both spans and metrics of MCP requests."""
    method = told.get("mcp.method.name")
    if method not in methods() and method not in (*NEWER, "_OTHER"):
        yield f"{method} is no method"
    tool = method == "tools/call"
    if not str(method).startswith("tasks/"):  # a request about an unknown MCP task names no tool
        yield from _same("gen_ai.tool.name" in told, tool, "gen_ai.tool.name")
    yield from _same(told.get("gen_ai.operation.name") == "execute_tool", tool, "gen_ai.operation.name")
    yield from _same("gen_ai.operation.name" in told, tool, "gen_ai.operation.name")
    yield from _same("gen_ai.prompt.name" in told, method == "prompts/get", "gen_ai.prompt.name")
    yield from _transport(told)
    code = told.get("rpc.response.status_code")
    if code is not None and told.get("error.type") != (None if code in FAULTS_OF_CALLERS else code):
        yield "error.type is not what the code says"


def _transport(told: dict[str, Any]) -> Iterator[str]:
    transport = told.get("network.transport")
    if transport not in ("pipe", "tcp"):
        yield f"network.transport is {transport}"
    yield from _same(told.get("network.protocol.name") == "http", transport == "tcp", "network.protocol.name")


def _of_group(told: dict[str, Any], group: str) -> Iterator[str]:
    allowed = levels(group)
    for name, value in told.items():
        if name not in allowed:
            yield f"{name} is not in the model"
        elif allowed[name] == "opt_in":
            yield f"{name} is there without being asked for"
        if not isinstance(value, int if name in NUMBERS else str) or value == "":
            yield f"{name} has the wrong type"
    for name, level in allowed.items():
        if level == "required" and name not in told:
            yield f"{name} is required"


def _http_span(span: Span) -> Iterator[str]:
    told = span.attributes
    if span.kind != CLIENT:
        yield f"kind {span.kind}"
    for name in (*HTTP_REQUIRED, "url.full"):
        if name not in told:
            yield f"{name} is required"
    yield from _http(told, HTTP_SPAN_ATTRIBUTES)
    method = told.get("http.request.method", "")
    shown = "HTTP" if method == "_OTHER" else method
    template = told.get("url.template")
    if span.name != (f"{shown} {template}" if template else shown):
        yield "is not named by its method and its template"
    if told.get("http.request.resend_count", 1) < 1:
        yield "http.request.resend_count counts from 1"
    if "?" in told.get("url.full", ""):
        yield "url.full holds a query"
    yield from _same("http.request.method_original" in told, method == "_OTHER", "http.request.method_original")
    yield from _status(span)


def _http(told: dict[str, Any], allowed: tuple[str, ...]) -> Iterator[str]:
    for name, value in told.items():
        if name not in allowed:
            yield f"{name} is not in the conventions"
        if not isinstance(value, int if name in NUMBERS else str):
            yield f"{name} has the wrong type"
    if told.get("http.request.method") not in METHODS:
        yield "http.request.method is not one of the known ones"
    status = told.get("http.response.status_code", 0)
    yield from _same("error.type" in told, status == 0 or status >= 400, "error.type")
    if status >= 400 and told.get("error.type") not in (str(status), "timeout", "_OTHER", "connection_closed"):
        yield "error.type is not the status"


def _status(span: Span) -> Iterator[str]:
    yield from _same(span.status == ERROR, "error.type" in span.attributes, "the status")
    if span.message and span.status != ERROR:
        yield "has a description and no error"


def _point(point: Point) -> Iterator[str]:
    told = point.attributes
    if point.metric == HTTP_METRIC:
        yield from _histogram(point, HTTP_BOUNDS)
        yield from _http(told, HTTP_METRIC_ATTRIBUTES)
        yield from (f"{name} is required" for name in HTTP_REQUIRED if name not in told)
    elif f"metric.{point.metric}" in groups():
        entry = groups()[f"metric.{point.metric}"]
        yield from _histogram(point, MCP_BOUNDS)
        yield from _same(entry["instrument"] == point.kind and entry["unit"] == point.unit, True, "instrument or unit")
        yield from _of_group(told, entry["id"])
        yield from _operation(told) if point.metric.endswith("operation.duration") else _transport(told)
    elif not point.metric.startswith("mcpgen."):
        yield "is neither in the model nor of our own"


def _histogram(point: Point, bounds: tuple[float, ...]) -> Iterator[str]:
    if (point.kind, point.unit, point.bounds) != ("histogram", "s", bounds):
        yield "has another kind, unit or other bounds than the conventions say"


def _same(found: bool, wanted: bool, name: str) -> Iterator[str]:
    if found != wanted:
        yield f"{name} is not as the conventions say"
