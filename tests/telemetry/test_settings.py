"""Test the settings of telemetry: what is enabled, errors about wrong values, and the report of `--doctor`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from package.runtime.settings.settings import load

from tests.leaks import planted, searched
from tests.runtime.table_stub import Catalog

PREFIX = Catalog().prefix
LOCAL = "http://localhost:4318/v1/"


@pytest.mark.parametrize(
    ("environ", "traces", "metrics", "warnings"),
    [
        ({"OTEL_SERVICE_NAME": "x", "OTEL_RESOURCE_ATTRIBUTES": "a=b"}, None, None, 0),
        ({"OTEL_TRACES_EXPORTER": "otlp"}, f"{LOCAL}traces", None, 0),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:1/"}, "http://c:1/v1/traces", "http://c:1/v1/metrics", 0),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://c:1/x"}, "http://c:1/x", None, 0),
        ({"OTEL_METRICS_EXPORTER": "otlp", "OTEL_SDK_DISABLED": "true"}, None, None, 0),
        (
            {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:1", "OTEL_METRICS_EXPORTER": "none"},
            "http://c:1/v1/traces",
            None,
            0,
        ),
        ({"OTEL_TRACES_EXPORTER": "console"}, None, None, 1),
        ({"OTEL_TRACES_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, None, None, 1),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "ftp://c"}, None, None, 1),
        ({"OTEL_TRACES_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_CERTIFICATE": "/nowhere"}, None, None, 1),
        ({"OTEL_TRACES_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_COMPRESSION": "zstd"}, f"{LOCAL}traces", None, 1),
        ({"OTEL_TRACES_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_COMPRESSION": "none"}, f"{LOCAL}traces", None, 0),
        (
            {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:1", "OTEL_EXPORTER_OTLP_COMPRESSION": "zstd"},
            "http://c:1/v1/traces",
            "http://c:1/v1/metrics",
            1,
        ),
        ({"OTEL_TRACES_EXPORTER": "otlp", "OTEL_TRACES_SAMPLER": "some"}, f"{LOCAL}traces", None, 1),
        ({"OTEL_TRACES_EXPORTER": "otlp", "OTEL_BSP_SCHEDULE_DELAY": "soon"}, f"{LOCAL}traces", None, 1),
        ({"OTEL_TRACES_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_HEADERS": "Host=x"}, f"{LOCAL}traces", None, 1),
    ],
)
def test_what_is_sent_and_where(
    environ: dict[str, str], traces: str | None, metrics: str | None, warnings: int
) -> None:
    catalog: Any = Catalog()
    settings = load(catalog, environ)
    found = settings.telemetry
    urls = [target.url if target else None for target in (found.traces, found.metrics)] if found else [None, None]
    assert urls == [traces, metrics]
    assert (len(settings.warnings), settings.problems) == (warnings, [])


@pytest.mark.parametrize(
    ("environ", "http", "problem"),
    [
        ({"METRICS": "1"}, False, ""),
        ({"METRICS": "1"}, True, ""),
        ({"METRICS": "yes please"}, False, "must be 1 or 0, or the path"),
        ({"METRICS": "/nowhere/m.prom"}, False, "must name a file in a folder"),
        ({"METRICS": "1", "HTTP_OPEN": "1"}, True, f"needs {PREFIX}_METRICS_TOKEN"),
        ({"METRICS": "1", "HTTP_OPEN": "1", "METRICS_TOKEN": "0123456789abcdef"}, True, ""),
        ({"METRICS": "1", "HTTP_OPEN": "1", "METRICS_TOKEN": "short"}, True, "16 or more visible"),
    ],
)
def test_who_may_read_the_metrics(environ: dict[str, str], http: bool, problem: str) -> None:
    told = {f"{PREFIX}_{name}": value for name, value in environ.items()}
    catalog: Any = Catalog()
    settings = load(catalog, told, http=("127.0.0.1", 0) if http else None)
    assert len(settings.problems) == bool(problem)
    assert problem in "".join(settings.problems)
    assert settings.warnings == []


def test_doctor_says_where_all_goes(mirror: Path) -> None:
    told = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://user:key@collector.example:4318/secret-path", "MIRROR_METRICS": "1"}
    environ = {"PATH": os.environ["PATH"], **planted("MIRROR"), **told}
    command = [sys.executable, "-m", "mirror_mcp", "--doctor"]
    done = subprocess.run(command, cwd=mirror, env=environ, capture_output=True, check=False)
    searched(done.stdout + done.stderr)
    lines = done.stdout.decode().splitlines()
    assert "Metrics are written to the log when the server ends." in lines
    assert "Spans are sent to http://collector.example:4318, as the OTEL variables say." in lines
    assert b"secret-path" not in done.stdout
