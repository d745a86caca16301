# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Define the metrics: name, meaning, unit, and the bounds of histograms.

Names and bounds of the first three metrics are those of OpenTelemetry's conventions for MCP and for HTTP.
"""

from __future__ import annotations

from typing import NamedTuple

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
