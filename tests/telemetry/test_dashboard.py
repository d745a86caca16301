"""Test that the queries of the generated Grafana dashboard use only metrics and labels that a server has."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from package.runtime.telemetry import metrics

from mcpgen.cli import main

TOOLS = Path(__file__).with_name("mirror.tools.yaml")
SUFFIXES = ("_bucket", "_sum", "_count")
LABELS = {"le", "mcp_method_name", "gen_ai_tool_name", "error_type", "server_address", "status", "reason", "instance"}
"""Labels of the metrics, and `instance`, which Prometheus adds."""


def test_every_metric_of_the_dashboard_exists(tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        main(["generate", str(TOOLS), "-o", str(tmp_path / "out"), "--deploy"])
    found = json.loads((tmp_path / "out" / "deploy" / "grafana-dashboard.json").read_text())
    all_metrics = (*metrics.HISTOGRAMS, *metrics.COUNTERS, *metrics.GAUGES, *metrics.OF_PROCESS)
    names = {metric.prometheus for metric in all_metrics if metric.kind != "histogram"}
    names |= {metric.prometheus + suffix for metric in metrics.HISTOGRAMS for suffix in SUFFIXES}
    queries = [target["expr"] for panel in found["panels"] for target in panel["targets"]]
    asked = {word for query in queries for word in re.findall(r"\b(?:mcp|mcpgen|http|process)_\w+", query)}
    assert asked - LABELS <= names
    groups = [group for query in queries for group in re.findall(r"by \(([^)]*)\)", query)]
    grouped = {label.strip() for group in groups for label in group.split(",")}
    assert grouped <= LABELS
    assert len(queries) == len(set(queries)) >= 10
    assert "mirror" in found["title"]
