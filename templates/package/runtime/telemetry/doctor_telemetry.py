# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Report for `--doctor` what the server measures, and where the measurements go. Nothing is sent."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from .telemetry_settings import Target, Telemetry

_MISSING = "Nothing is sent, because opentelemetry-proto is not installed. The extra [otel] of this server installs it."


def examine(telemetry: Telemetry, prefix: str, *, over_http: bool) -> list[str]:
    """Return the lines of the report. URLs are shown without path and query, which may contain a key."""
    lines = []
    if telemetry.file:
        lines.append(
            f"Metrics are written to the file that {prefix}_METRICS names, every 15 seconds and when the server ends."
        )
    elif telemetry.counts and over_http:
        who = f"requests with the token in {prefix}_METRICS_TOKEN" if telemetry.token else "this machine"
        lines.append(f"Metrics are served at /metrics, to {who}.")
    elif telemetry.counts:
        lines.append("Metrics are written to the log when the server ends.")
    for name, target in (("Spans", telemetry.traces), ("Metrics", telemetry.metrics)):
        if target is not None:
            lines.append(f"{name} are sent to {_origin(target)}, as the OTEL variables say.")
    if (telemetry.traces or telemetry.metrics) and find_spec("opentelemetry") is None:
        lines.append(_MISSING)
    return lines


def _origin(target: Target) -> str:
    parts = urlsplit(target.url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
