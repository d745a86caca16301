# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Wing: measure what the server does. Spans and metrics as OpenTelemetry names them, and metrics for Prometheus.

Loaded only if the operator has asked for telemetry. Code that runs during a call only stores what happened
(`recorder`). A separate thread counts the records, encodes them and sends them.
"""
