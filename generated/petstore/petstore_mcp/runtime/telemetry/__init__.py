# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Measure what the server does: spans and metrics by the conventions of OpenTelemetry, and metrics for Prometheus.

Imports `text`, `core` and `settings`. Loaded only if the operator has asked for any of it. What is on the way of a call
only notes what happened (`recorder`). A thread of its own counts it, encodes it and sends it.
"""
