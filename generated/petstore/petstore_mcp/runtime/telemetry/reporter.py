# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Make spans and metrics from the records of requests and calls (`recorder.py`), and send or write them. Most of this
happens in a separate thread.

The OpenTelemetry libraries are loaded in that thread, so that no answer waits for them.
"""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING

from ..core import log
from ..tuning.lazy_imports import importing
from . import attributes, metrics
from .metrics import Series
from .operations import Operation, Sending
from .recorder import Recorder

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..core.catalog import Catalog
    from .exporter import Exporter
    from .metrics import Buckets, Total
    from .otlp_metrics import MetricEncoder
    from .recorder import Counted
    from .spans import SpanEncoder
    from .telemetry_settings import Telemetry

    _Key = tuple[object, ...]

MOST_SPANS = 4096
"""Maximum number of spans that wait to be sent. Further spans are dropped and counted."""

MOST_KNOWN = 4000
"""Maximum number of kinds of records whose series and encoded parts are cached."""

BATCH = 2048
"""Maximum number of spans in one export. So many spans are sent at once, fewer only after a delay."""

WRITE_SECONDS = 15.0
LAST_SECONDS = 1.0
"""Seconds for all exports together when the process ends."""

_SOON, _SHORTEST = 0.2, 0.01


def reporter(telemetry: Telemetry, catalog: Catalog, *, over_http: bool) -> Reporter:
    """Return the object that measures requests and reports the measurements."""
    return Reporter(Recorder(telemetry, catalog, over_http), telemetry, catalog.name, catalog.version)


class Reporter:
    """Reporter of one process's telemetry. Call `cut` before the process ends, to report the last spans and metrics."""

    def __init__(self, recorder: Recorder, telemetry: Telemetry, name: str, version: str) -> None:
        self._recorder = recorder
        self._telemetry = telemetry
        self._named = {"name": name, "version": version}
        self._agent = f"{name}-mcp/{version}"
        self._taking = threading.Lock()
        self._sending = threading.Lock()
        self._woken = threading.Event()
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        self._spans: list[bytes] = []
        self._series = Series()
        self._known: dict[_Key, _Kind] = {}
        self._began = time.time_ns()
        self._loaded: _Exports | None = None
        self._told: set[str] = set()
        recorder.wake = self._woken.set

    def start(self) -> None:
        """Start the thread that reports. Call this in each worker process."""
        self._thread = threading.Thread(target=self._run, name="telemetry", daemon=True)
        self._thread.start()

    @property
    def media_type(self) -> str:
        """Return the media type of the text that `text` returns."""
        from . import prometheus  # imported late: needed only if metrics are served at /metrics

        return prometheus.CONTENT_TYPE

    def text(self) -> bytes:
        """Return all metrics in Prometheus' text format."""
        from . import prometheus  # imported late: needed only for metrics at /metrics or in a file

        with self._taking:
            self._take()
            values = {**self._gauges(), **_of_process(self._began)}
            return prometheus.written(self._series, values, self._named)

    @property
    def recorder(self) -> Recorder:
        """Return the recorder of the telemetry records that this reporter turns into spans and metrics."""
        return self._recorder

    def reads_calls(self, numbers: Callable[[], tuple[int, int]]) -> None:
        """Set the function that returns how many calls run, and how many wait."""
        self._recorder.gauges[metrics.RUNNING] = lambda: numbers()[0]
        self._recorder.gauges[metrics.QUEUED] = lambda: numbers()[1]

    # Methods that implement the protocol `core.stdio.Ending`

    def postpones(self, code: int) -> bool:
        """Return False: telemetry never delays the exit of the process."""
        return False

    def cut(self) -> None:
        """Record that the process is about to end, and send the last spans and metrics.

        Further calls of this method do nothing.
        """
        if self._stopped.is_set():
            return
        self._stopped.set()
        self._woken.set()
        end = time.monotonic() + LAST_SECONDS
        self._recorder.close()
        if not self._taking.acquire(timeout=_SOON):
            return
        try:
            self._take()
        finally:
            self._taking.release()
        if self._telemetry.file:
            self._write()
        elif self._telemetry.counts and not self._recorder.over_http:
            self._log()
        if self._sending.acquire(timeout=max(end - time.monotonic(), 0.0)):
            self._export_spans(end)
            self._export_metrics(end)

    # Methods that run in the telemetry thread

    def _run(self) -> None:
        due = written = sent = time.monotonic()
        while not self._stopped.is_set():
            self._woken.wait(max(sent + self._telemetry.delay - time.monotonic(), _SHORTEST))
            self._woken.clear()
            with self._sending:
                if self._stopped.is_set():
                    return
                with self._taking:
                    self._take()
                now = time.monotonic()
                if len(self._spans) >= BATCH or now >= sent + self._telemetry.delay:
                    sent = now
                    self._export_spans()
                    now = time.monotonic()
                if now >= due + self._telemetry.interval:
                    due = now
                    self._export_metrics()
                if self._telemetry.file and now >= written + WRITE_SECONDS:
                    written = now
                    self._write()

    def _take(self) -> None:
        """Add the recorder's records to the metrics, and encode spans. The caller must hold the lock `_taking`."""
        exports = self._exports()
        encoder = exports.spans if exports is not None and exports.to_traces is not None else None
        if len(self._known) > MOST_KNOWN:
            self._known.clear()
        touched: list[_Kind] = []
        spans, known = self._spans, self._known
        for record in self._recorder.take():
            if type(record) is Operation:  # faster than `isinstance`
                key: _Key = (record.method, record.target, record.revision, record.code, record.error)
                kind, sampled = known.get(key) or self._operations(key, record, encoder), record.sampled
            elif type(record) is Sending:
                where = record.address.origin
                key = (where, record.method, record.template, record.status, record.error, record.again)
                kind, sampled = known.get(key) or self._sendings(key, record, encoder), record.operation.sampled
            else:
                self._add(record)
                continue
            if sampled and encoder is not None:
                spans.append(kind.encode(record, kind.prefix))
            if not kind.lasted:
                touched.append(kind)
            kind.lasted.append(record.ended - record.began)
        for kind in touched:
            kind.count()
        if (beyond := len(self._spans) - MOST_SPANS) > 0:
            del self._spans[MOST_SPANS:]
            self._recorder.lost += beyond
        if self._recorder.lost:
            self._series.total(metrics.LOST).value += self._recorder.lost
            self._recorder.lost = 0

    def _add(self, counted: Counted) -> None:
        if counted.metric.bounds:
            self._series.buckets(counted.metric, counted.attributes).add([round(counted.value * 1e9)])
        else:
            self._series.total(counted.metric, counted.attributes).value += int(counted.value)

    def _operations(self, key: _Key, first: Operation, encoder: SpanEncoder | None) -> _Kind:
        """Create what all MCP requests with the attributes of `first` share: metrics, and the first bytes of spans.

        Cache both under `key`, and return them. Without an `encoder`, there are no bytes of spans.
        """
        found = attributes.of_operation(first, self._recorder.transport)
        kind = self._known[key] = _Kind(self._series.buckets(metrics.OPERATIONS, found))
        if encoder is not None:
            kind.prefix, kind.encode = encoder.of_operation(first, found), encoder.operation
        return kind

    def _sendings(self, key: _Key, first: Sending, encoder: SpanEncoder | None) -> _Kind:
        """Create what all HTTP requests with the attributes of `first` share: metrics, and the first bytes of spans.

        Cache both under `key`, and return them. Without an `encoder`, there are no bytes of spans.
        """
        found = attributes.of_sending(first)
        kind = self._known[key] = _Kind(self._series.buckets(metrics.REQUESTS, found))
        kind.totals.append(self._series.total(metrics.ANSWERS, (("status", attributes.class_of(first)),)))
        if first.again:
            kind.totals.append(self._series.total(metrics.RETRIES))
        if encoder is not None:
            kind.prefix, kind.encode = encoder.of_sending(first, found), encoder.sending
        return kind

    def _exports(self) -> _Exports | None:
        """Return the encoders and exporters, loaded at first use; None if nothing is sent or they cannot be used."""
        if self._loaded is None and (self._telemetry.traces or self._telemetry.metrics):
            try:
                with importing:
                    self._loaded = _Exports(self._telemetry, self._agent, self._began, self._stopped.wait)
            except ModuleNotFoundError as problem:
                self._give_up(f"{problem.name} is not installed; the extra [otel] of this server has it")
            except (OSError, ValueError):
                self._give_up("the files for TLS that the OTEL variables name cannot be used")
        return self._loaded

    def _give_up(self, reason: str) -> None:
        self._telemetry.traces = self._telemetry.metrics = None
        log.event("warning", "telemetry_off", reason=f"Nothing is sent to OpenTelemetry: {reason}.")

    def _export_spans(self, end: float | None = None) -> None:
        exports = self._loaded
        if exports is None or exports.to_traces is None:
            return
        while self._spans:
            batch = self._spans[:BATCH]
            del self._spans[:BATCH]
            left = None if end is None else end - time.monotonic()
            reason = exports.to_traces.send(exports.spans.request(batch), left)
            self._hear(reason, len(batch))
            if reason and end is not None:
                return

    def _export_metrics(self, end: float | None = None) -> None:
        exports = self._loaded
        if exports is None or exports.to_metrics is None:
            return
        left = None if end is None else end - time.monotonic()
        with self._taking:
            body = exports.metrics.request(self._series, self._gauges(), time.time_ns())
        self._hear(exports.to_metrics.send(body, left), 0)

    def _hear(self, reason: str, lost: int) -> None:
        """Count spans or metrics that could not be sent, and log the reason if it was not logged before."""
        if not reason:
            return
        self._recorder.lost += lost
        if reason not in self._told:
            self._told.add(reason)
            log.event("warning", "telemetry_not_sent", reason=f"Telemetry was dropped: {reason}.")

    def _gauges(self) -> dict[metrics.Metric, float]:
        return {metric: read() for metric, read in self._recorder.gauges.items()}

    def _write(self) -> None:
        """Write the file of metrics atomically."""
        path = self._telemetry.file.replace("{pid}", str(os.getpid()))
        beside = f"{path}.{os.getpid()}.new"
        try:
            with open(beside, "wb") as file:
                file.write(self.text())
            os.replace(beside, path)
        except OSError:
            self._hear("the file of metrics cannot be written", 0)

    def _log(self) -> None:
        """Write the totals to the log, one line for each metric."""
        for metric, found in self._series.histograms.items():
            count = sum(each.count for each in found.values())
            seconds = round(sum(each.sum for each in found.values()), 3)
            log.event("info", "metric", metric=metric.prometheus, count=count, seconds=seconds)
        for metric, totals in self._series.counters.items():
            log.event("info", "metric", metric=metric.prometheus, count=sum(each.value for each in totals.values()))


class _Kind:
    """Common data of all telemetry records (Operation or Sending) with the same attributes: the metrics in which the
    records are counted, and encoded parts of their spans.
    """

    __slots__ = ("durations", "encode", "lasted", "prefix", "totals")

    def __init__(self, durations: Buckets) -> None:
        self.durations = durations
        self.lasted: list[int] = []
        self.totals: list[Total] = []
        self.prefix = b""
        self.encode: Callable[[Any, bytes], bytes] = _nothing

    def count(self) -> None:
        """Add the durations in `lasted`, those of recorded requests in nanoseconds, to the metrics. Empty `lasted`."""
        self.durations.add(self.lasted)
        for total in self.totals:
            total.value += len(self.lasted)
        self.lasted.clear()


def _nothing(record: object, prefix: bytes) -> bytes:
    """Return no bytes. This is the value of `_Kind.encode` if no spans are sent."""
    return b""


class _Exports:
    """Encoders and exporters. Creating them loads the OpenTelemetry library.

    Raise ModuleNotFoundError if the library is missing, and OSError or ValueError if the TLS files cannot be used.
    """

    def __init__(self, telemetry: Telemetry, agent: str, began: int, pause: Callable[[float], bool]) -> None:
        # Imported here: only needed if spans or metrics are sent.
        from .exporter import Exporter
        from .otlp_metrics import MetricEncoder
        from .spans import SpanEncoder

        version = agent.partition("/")[2]
        self.spans: SpanEncoder = SpanEncoder(telemetry.resource, version)
        self.metrics: MetricEncoder = MetricEncoder(telemetry.resource, version, began)
        traces, measured = telemetry.traces, telemetry.metrics
        self.to_traces: Exporter | None = Exporter(traces, agent, pause) if traces else None
        self.to_metrics: Exporter | None = Exporter(measured, agent, pause) if measured else None


def _of_process(began: int) -> dict[metrics.Metric, float]:
    """Return the metrics that Prometheus expects of each process. Memory is only known on Linux."""
    found: dict[metrics.Metric, float] = {metrics.CPU: time.process_time(), metrics.STARTED: began / 1e9}
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            found[metrics.MEMORY] = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return found
    return found
