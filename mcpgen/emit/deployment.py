"""Write the files for deploying a server: a Containerfile, a compose file, Kubernetes manifests, and a dashboard
for Grafana with the server's metrics.

No text of an API's document reaches these files. They contain only the names of the server and its environment
variables, its version, and port numbers.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from mcpgen.base import assets
from mcpgen.emit.environment import chosen_credentials, environment
from mcpgen.emit.sinks import render
from mcpgen.lower.tool.accounts import variables_of
from mcpgen.model import Catalog, Identity

_ORIGIN = re.compile(r"(https?)://[^{}]+?(?::([0-9]{1,5}))?")
_PORTS = {"https": 443, "http": 80}
"""Scheme of a URL → its default port."""
DASHBOARD = "deploy/grafana-dashboard.json"
OPERATIONS, REQUESTS = "mcp_server_operation_duration_seconds", "http_client_request_duration_seconds"
_SESSIONS = "mcp_server_session_duration_seconds"
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
    ("Mean seconds of a session", "s", f"sum(rate({_SESSIONS}_sum[1h])) / sum(rate({_SESSIONS}_count[1h]))", ""),
    ("Memory of each process", "bytes", "process_resident_memory_bytes", "instance"),
)  # fmt: skip
"""For each panel: title, unit, Prometheus query, and the label that names a series."""


# HAProxy, because free nginx has no active health checks, and resolves names only once before 1.27.3. The configuration
# says why each of its options is set.
def deployment_files(catalog: Catalog) -> dict[str, bytes]:
    """Return path → contents of the files in `offered.DEPLOYMENT`. The result depends only on the catalog and the
    compiler's version.
    """
    credentials, variables = _variables(catalog)
    values = {
        "identity": catalog.identity,
        "credentials": credentials,
        "variables": variables,
        "ports": _ports(catalog.origins),
    }
    files = render(assets.deployment_templates(), values)
    return {**files, DASHBOARD: _dashboard(catalog.identity)}


def secret_files(catalog: Catalog) -> list[str]:
    """Return the names of the secret files for the API's credentials. If one of several credentials is enough, only one
    of them has a file.
    """
    return [row.variable for row in _variables(catalog)[0] if row.active]


@dataclass(frozen=True, slots=True)
class Row:
    """An environment variable in a deployment file. If `active` is false, the variable is written as a comment."""

    variable: str
    active: bool


def _variables(catalog: Catalog) -> tuple[list[Row], list[Row]]:
    """Return the rows of environment variables for two tables: credentials that a tool needs or that are usual for its
    scheme, and variables of server URLs.
    """
    of_schemes = {name for *_, each in variables_of(catalog) for scheme in each for name in scheme.variables.values()}
    chosen = {*chosen_credentials(catalog)}
    credentials: list[Row] = []
    variables: list[Row] = []
    for row in environment(catalog):
        active = row.required or row.variable in chosen
        if active or row.usual or row.variable not in of_schemes:
            rows = credentials if row.variable in of_schemes else variables
            rows.append(Row(row.variable, active))
    return credentials, variables


def _ports(origins: Iterable[str]) -> list[int]:
    """Return the ports of `origins`, sorted; 443 if there are none.

    An origin with variables in its URL is skipped, because `origins` also contains the origin with the variables'
    default values.
    """
    parts = filter(None, map(_ORIGIN.fullmatch, origins))
    found = {int(each[2] or _PORTS[each[1]]) for each in parts}
    return sorted(port for port in found if 0 < port < 65536) or [_PORTS["https"]]


def _dashboard(identity: Identity) -> bytes:
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
