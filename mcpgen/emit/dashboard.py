"""Make the Grafana dashboard of a server: panels that show the server's Prometheus metrics."""

import json
from typing import Any

from mcpgen.model import Identity

PATH = "deploy/grafana-dashboard.json"

OPERATIONS, REQUESTS = "mcp_server_operation_duration_seconds", "http_client_request_duration_seconds"
SESSIONS = "mcp_server_session_duration_seconds"
_TOOL, _ERROR, _CALLS = "gen_ai_tool_name", "error_type", 'mcp_method_name="tools/call"'
_WIDTH, _HEIGHT, _COLUMNS = 12, 8, 2

_PANELS = (
    ("Calls a second, by tool", "reqps", f"sum by ({_TOOL}) (rate({OPERATIONS}_count{{{_CALLS}}}[5m]))", _TOOL),
    ("Failed calls, by tool", "reqps",
     f"sum by ({_TOOL}) (rate({OPERATIONS}_count{{{_CALLS}, {_ERROR}!=\"\"}}[5m]))", _TOOL),
    ("Seconds of a call, 95th percentile, by tool", "s",
     f"histogram_quantile(0.95, sum by (le, {_TOOL}) (rate({OPERATIONS}_bucket{{{_CALLS}}}[5m])))", _TOOL),
    ("Seconds of a request to the API, 95th percentile, by host", "s",
     f"histogram_quantile(0.95, sum by (le, server_address) (rate({REQUESTS}_bucket[5m])))", "server_address"),
    ("Answers of the API, by class of status", "reqps",
     "sum by (status) (rate(mcpgen_upstream_responses_total[5m]))", "status"),
    ("Requests sent again", "reqps", "sum(rate(mcpgen_upstream_retries_total[5m]))", ""),
    ("Calls that run", "short", "sum(mcpgen_calls_running)", ""),
    ("Calls that wait for their turn", "short", "sum(mcpgen_calls_queued)", ""),
    ("Requests to the API under way", "short", "sum(mcpgen_upstream_requests_open)", ""),
    ("Calls that were refused, by reason", "reqps",
     "sum by (reason) (rate(mcpgen_calls_refused_total[5m]))", "reason"),
    ("Answers about tasks, by status of the job", "reqps",
     "sum by (status) (rate(mcpgen_task_answers_total[5m]))", "status"),
    ("HTTP requests that were turned away, by status", "reqps",
     "sum by (status) (rate(mcpgen_http_refused_total[5m]))", "status"),
    ("Mean seconds of a session", "s", f"sum(rate({SESSIONS}_sum[1h])) / sum(rate({SESSIONS}_count[1h]))", ""),
    ("Memory of each process", "bytes", "process_resident_memory_bytes", "instance"),
)  # fmt: skip
"""For each panel: title, unit, Prometheus query, and the label that names a series."""


def dashboard(identity: Identity) -> bytes:
    """Return the dashboard as JSON. The only text of the API's document in it is the name of the server."""
    found = {
        "description": "Yours to edit: mcpgen writes this file once and never again.",
        "title": f"{identity.name}: MCP server",
        "uid": f"mcpgen-{identity.name}"[:40],
        "schemaVersion": 39,
        "refresh": "30s",
        "time": {"from": "now-3h", "to": "now"},
        "templating": {"list": [{"name": "source", "type": "datasource", "query": "prometheus", "label": "Source"}]},
        "panels": [_panel(number, *row) for number, row in enumerate(_PANELS)],
    }
    return (json.dumps(found, indent=2) + "\n").encode()


def _panel(number: int, title: str, unit: str, query: str, label: str) -> dict[str, Any]:
    source = {"type": "prometheus", "uid": "${source}"}
    row, column = divmod(number, _COLUMNS)
    legend = f"{{{{{label}}}}}" if label else title
    return {
        "id": number + 1,
        "type": "timeseries",
        "title": title,
        "datasource": source,
        "gridPos": {"x": column * _WIDTH, "y": row * _HEIGHT, "w": _WIDTH, "h": _HEIGHT},
        "fieldConfig": {"defaults": {"unit": unit}, "overrides": []},
        "targets": [{"refId": "A", "datasource": source, "expr": query, "legendFormat": legend}],
    }
