# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Measure what the server does: spans and metrics by the conventions of OpenTelemetry, and metrics for Prometheus.

Imports `text`, `core` and `settings`. Loaded only if the operator has asked for telemetry. Code that runs during a call
only stores what happened (`recorder`). A separate thread counts the records, encodes them and sends them.
"""
