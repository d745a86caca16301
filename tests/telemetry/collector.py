"""Run an OpenTelemetry collector on a real socket.

It reads OTLP/HTTP by the official message classes, and stores all data.
"""

from __future__ import annotations

import gzip
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

SECONDS = 30.0


@dataclass(frozen=True)
class Span:
    """One span as it was received: ids in hexadecimal, `kind` and `status` as numbers, and the service that sent it."""

    name: str
    kind: int
    trace: str
    id: str
    parent: str
    status: int
    message: str
    seconds: float
    attributes: dict[str, Any]
    links: tuple[str, ...]
    service: str


@dataclass(frozen=True)
class Point:
    """One data point of a metric. `value`: a number, or the sum of a histogram."""

    metric: str
    unit: str
    kind: str
    attributes: dict[str, Any]
    value: float
    count: int = 0
    bounds: tuple[float, ...] = ()


@dataclass
class Collector:
    """A running collector. `spans`: all received spans. `points`: data points of the last export of each service."""

    statuses: list[int] = field(default_factory=list)
    """Statuses with which the next requests are answered. All later requests get 200."""
    spans: list[Span] = field(default_factory=list)
    points: dict[str, list[Point]] = field(default_factory=dict)
    bodies: list[bytes] = field(default_factory=list)
    heads: list[dict[str, str]] = field(default_factory=list)

    def __enter__(self) -> Collector:
        self._came = threading.Condition()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def environment(self, **more: str) -> dict[str, str]:
        """Return the environment variables with which a process reports to this collector after a short interval."""
        soon = {"OTEL_BSP_SCHEDULE_DELAY": "50", "OTEL_METRIC_EXPORT_INTERVAL": "100"}
        return {"OTEL_EXPORTER_OTLP_ENDPOINT": self.url, **soon, **more}

    def until(self, number: int, service: str = "") -> list[Span]:
        """Wait until `number` spans of a service have arrived, and return them."""
        with self._came:
            assert self._came.wait_for(lambda: len(self.of(service)) >= number, SECONDS), self.spans
            return self.of(service)

    def of(self, service: str) -> list[Span]:
        return [span for span in self.spans if service in ("", span.service)]

    def take(self, path: str, head: dict[str, str], body: bytes) -> int:
        """Store the data of a request. Return the status with which the request is answered."""
        with self._came:
            self.bodies.append(body)
            self.heads.append(head)
            if self.statuses and (status := self.statuses.pop(0)) != 200:
                self._came.notify_all()
                return status
            if path.endswith("/traces"):
                self.spans += _spans(body)
            else:
                self.points.update(_points(body))
            self._came.notify_all()
            return 200

    def heard(self, number: int) -> None:
        """Wait until `number` requests have arrived."""
        with self._came:
            assert self._came.wait_for(lambda: len(self.bodies) >= number, SECONDS)


def _handler(collector: Collector) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            head = {name.lower(): value for name, value in self.headers.items()}
            self.send_response(collector.take(self.path, head, body))
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Write no log."""

    return Handler


def _spans(body: bytes) -> list[Span]:
    found = []
    for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
        service = _attributes(resource.resource.attributes).get("service.name", "")
        for scope in resource.scope_spans:
            found += [_span(each, service) for each in scope.spans]
    return found


def _span(each: Any, service: str) -> Span:
    return Span(
        name=each.name,
        kind=each.kind,
        trace=each.trace_id.hex(),
        id=each.span_id.hex(),
        parent=each.parent_span_id.hex(),
        status=each.status.code,
        message=each.status.message,
        seconds=(each.end_time_unix_nano - each.start_time_unix_nano) / 1e9,
        attributes=_attributes(each.attributes),
        links=tuple(link.trace_id.hex() for link in each.links),
        service=service,
    )


def _points(body: bytes) -> dict[str, list[Point]]:
    found: dict[str, list[Point]] = {}
    for resource in ExportMetricsServiceRequest.FromString(body).resource_metrics:
        service = _attributes(resource.resource.attributes).get("service.name", "")
        of_service = found.setdefault(service, [])
        for scope in resource.scope_metrics:
            for metric in scope.metrics:
                kind = metric.WhichOneof("data")
                for point in getattr(metric, kind).data_points:
                    told = _attributes(point.attributes)
                    if kind == "histogram":
                        bounds = tuple(point.explicit_bounds)
                        of_service.append(Point(metric.name, metric.unit, kind, told, point.sum, point.count, bounds))
                    else:
                        of_service.append(Point(metric.name, metric.unit, kind, told, float(point.as_int)))
    return found


def _attributes(found: Any) -> dict[str, Any]:
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in found}
