"""Test that the official client, a generated server and an API with OpenTelemetry's instrumentation form one trace."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.interop import environments
from tests.leaks import planted, searched
from tests.telemetry import model
from tests.telemetry.collector import Collector, Span

pytestmark = pytest.mark.slow
SCRIPT = Path(__file__).with_name("one_trace.py")
LIBRARIES = (
    "mcp==2.3.0",
    "opentelemetry-sdk>=1.40,<2",
    "opentelemetry-exporter-otlp-proto-http>=1.40,<2",
    "opentelemetry-instrumentation-wsgi>=0.60b0,<1",
)
SECONDS = 60


@contextmanager
def running(command: list[str], cwd: Path, environ: dict[str, str]) -> Iterator[str]:
    """Run a program, and yield the port at the end of its first line of output."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with subprocess.Popen(command, cwd=cwd, env=environ, **pipes) as process:  # type: ignore[call-overload]
        try:
            for line in process.stdout:
                if line.strip().isdigit() or '"listening"' in line:
                    yield line.strip() if line.strip().isdigit() else line.partition("127.0.0.1:")[2].partition("/")[0]
                    break
        finally:  # stop the process also if the test has failed, because the end of the `with` block waits for it
            process.terminate()
            process.communicate(timeout=SECONDS)


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_one_trace(mirror: Path, collector: Collector, transport: str) -> None:
    try:
        python = str(environments.python("traced", *LIBRARIES) / "bin" / "python")
    except environments.Missing as missing:
        pytest.skip(str(missing))
    told = {"PATH": os.environ["PATH"], **planted("MIRROR"), "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url}
    # Only the generated server gets the proxy variables of `planted` (tests/leaks.py), which name a trap as the proxy.
    # The exporters of the API and of the client would connect to the trap.
    others = {"PATH": told["PATH"], "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, "PYTHONPATH": ""}
    with running([python, str(SCRIPT), "api"], mirror, {**others, "OTEL_SERVICE_NAME": "api"}) as port:
        ours = {**told, "MIRROR_BASE_URL": f"http://127.0.0.1:{port}", "OTEL_BSP_SCHEDULE_DELAY": "50"}
        agent = [python, str(SCRIPT), "client"]
        if transport == "stdio":
            environ = [f"{name}={value}" for name, value in {**ours, "OTEL_SERVICE_NAME": "server"}.items()]
            server = ["/usr/bin/env", *environ, sys.executable, "-m", "mirror_mcp"]
            run(agent + server, mirror, {**others, "OTEL_SERVICE_NAME": "agent"})
        else:
            command = [sys.executable, "-m", "mirror_mcp", "--http", "0"]
            with running(command, mirror, {**ours, "OTEL_SERVICE_NAME": "server"}) as own:
                run([*agent, f"http://127.0.0.1:{own}/mcp"], mirror, {**others, "OTEL_SERVICE_NAME": "agent"})
    by_id = {span.id: span for span in collector.spans}
    [served] = [span for span in collector.of("api") if span.kind == model.SERVER]
    way = list(upwards(served, by_id))
    assert [(span.service, span.kind) for span in way[:3]] == [("api", 2), ("server", 3), ("server", 2)]
    assert way[-1].name == "agent"
    assert len({span.trace for span in way}) == 1


def upwards(span: Span, by_id: dict[str, Span]) -> Iterator[Span]:
    """Yield a span, its parent, and so on."""
    found: Span | None = span
    while found is not None:
        yield found
        found = by_id.get(found.parent)


def run(command: list[str], cwd: Path, environ: dict[str, str]) -> None:
    done = subprocess.run(command, cwd=cwd, env=environ, capture_output=True, text=True, timeout=SECONDS, check=False)
    searched((done.stdout + done.stderr).encode())
    assert done.stdout.strip() == "ok", done.stdout + done.stderr
