# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Define the metrics: name, meaning, unit, and the bounds of histograms; and count their values. Not thread-safe.

Names and bounds of the first three metrics are those of OpenTelemetry's conventions for MCP and for HTTP. Each metric
has one series per set of attributes.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    Attributes = tuple[tuple[str, "str | int"], ...]

MOST_SERIES = 2000
"""Maximum number of series of one metric. Further sets of attributes are counted in one series without attributes."""


class Buckets:
    """One series of a histogram of seconds: how many durations lie between two bounds, and the sum of all durations."""

    __slots__ = ("_nanoseconds", "bounds", "counts", "sum")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds = bounds
        self._nanoseconds = [round(bound * 1e9) for bound in bounds]
        self.counts = [0] * (len(bounds) + 1)
        self.sum = 0.0

    def add(self, durations: list[int]) -> None:
        """Count durations, given in nanoseconds. Counting many at a time costs less per duration.

        A duration equal to a bound is counted below that bound. A negative duration (the clock was set back) counts as
        0.
        """
        durations = sorted(durations)
        counted = 0
        for place, bound in enumerate(self._nanoseconds):
            below = bisect_right(durations, bound)
            self.counts[place] += below - counted
            counted = below
        self.counts[-1] += len(durations) - counted
        self.sum += sum(durations[bisect_left(durations, 0) :]) / 1e9

    @property
    def count(self) -> int:
        """Return the number of durations counted."""
        return sum(self.counts)


class Total:
    """One series of a counter: its total for one set of attributes."""

    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value = 0


class Series:
    """Store of all counted values: buckets of histograms and totals of counters, by metric and attributes."""

    def __init__(self) -> None:
        self.histograms: dict[Metric, dict[Attributes, Buckets]] = {}
        self.counters: dict[Metric, dict[Attributes, Total]] = {}

    def buckets(self, metric: Metric, attributes: Attributes) -> Buckets:
        """Return the series of a histogram for these attributes, created at first use."""
        found = self.histograms.setdefault(metric, {})
        attributes = _within(found, attributes)
        if attributes not in found:
            found[attributes] = Buckets(metric.bounds)
        return found[attributes]

    def total(self, metric: Metric, attributes: Attributes = ()) -> Total:
        """Return the series of a counter for these attributes, created at first use."""
        found = self.counters.setdefault(metric, {})
        return found.setdefault(_within(found, attributes), Total())


def _within(found: dict[Attributes, Buckets] | dict[Attributes, Total], attributes: Attributes) -> Attributes:
    return attributes if attributes in found or len(found) < MOST_SERIES else ()


_MCP = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0)
_HTTP = (0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0)


class Metric(NamedTuple):
    """One metric. `kind` is histogram, counter or gauge; `unit` is written as in OpenTelemetry."""

    name: str
    kind: str
    unit: str
    about: str
    bounds: tuple[float, ...] = ()

    @property
    def prometheus(self) -> str:
        """Return the name of the metric for Prometheus: with the unit, and with `_total` for counters."""
        unit = {"s": "_seconds", "By": "_bytes"}.get(self.unit, "")
        return self.name.replace(".", "_") + unit + ("_total" if self.kind == "counter" else "")


OPERATIONS = Metric(
    "mcp.server.operation.duration", "histogram", "s", "Duration of a request of a client, until its answer.", _MCP
)
SESSIONS = Metric("mcp.server.session.duration", "histogram", "s", "Duration of a session that has ended.", _MCP)
REQUESTS = Metric("http.client.request.duration", "histogram", "s", "Duration of a request to the API.", _HTTP)
ANSWERS = Metric("mcpgen.upstream.responses", "counter", "{response}", "Requests to the API, by class of their status.")
RETRIES = Metric("mcpgen.upstream.retries", "counter", "{request}", "Requests to the API that were sent again.")
REFUSED = Metric("mcpgen.calls.refused", "counter", "{call}", "Calls that were refused before anything was sent.")
TASKS = Metric("mcpgen.task.answers", "counter", "{answer}", "Answers about tasks, by what they say of the job.")
TURNED_AWAY = Metric("mcpgen.http.refused", "counter", "{request}", "HTTP requests that were answered with an error.")
LOST = Metric("mcpgen.telemetry.dropped", "counter", "{item}", "Operations and spans that were not recorded or sent.")
OPEN = Metric("mcpgen.operations.open", "gauge", "{operation}", "Calls and reads that have no answer yet.")
RUNNING = Metric("mcpgen.calls.running", "gauge", "{call}", "Calls that run.")
QUEUED = Metric("mcpgen.calls.queued", "gauge", "{call}", "Calls that wait for their turn.")
SENDING = Metric("mcpgen.upstream.requests.open", "gauge", "{request}", "Requests to the API without an answer yet.")
CPU = Metric("process.cpu", "counter", "s", "Seconds of processor time that this process has taken.")
STARTED = Metric("process.start.time", "gauge", "s", "Unix time at which this process began to measure.")
MEMORY = Metric("process.resident.memory", "gauge", "By", "Bytes of memory that this process holds.")

HISTOGRAMS = (OPERATIONS, SESSIONS, REQUESTS)
COUNTERS = (ANSWERS, RETRIES, REFUSED, TASKS, TURNED_AWAY, LOST)
GAUGES = (OPEN, RUNNING, QUEUED, SENDING)
OF_PROCESS = (CPU, STARTED, MEMORY)
"""Metrics that only `/metrics` contains, under the names that Prometheus uses for them."""
