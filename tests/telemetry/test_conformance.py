"""Run the official MCP conformance suite, and check every span and metric of the server against OpenTelemetry's
published model of its semantic conventions.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.conformance import TOOLS
from benchmarks.replicas.rig import Rig
from tests.conformance import api
from tests.conformance.suite import REVISIONS, UNSCORED, Suite
from tests.interop import environments
from tests.telemetry import model
from tests.telemetry.collector import Collector

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not model.MODEL.exists(), reason="this needs ../shared/formats/otel-mcp"),
]
METHODS = {"initialize", "tools/list", "tools/call", "resources/read", "prompts/get", "completion/complete", "ping"}


def test_every_scenario_of_the_suite(tmp_path: Path, collector: Collector, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        suite = Suite()
    except environments.Missing as missing:
        pytest.skip(str(missing))
    for name, value in collector.environment().items():
        monkeypatch.setenv(name, value)
    command = [sys.executable, "-m", "mcpgen", "generate", "--parts", "all", str(TOOLS), "-o", str(tmp_path / "server")]
    subprocess.run(command, check=True, capture_output=True)
    ran = asyncio.run(_run(suite, tmp_path))
    points = [point for found in collector.points.values() for point in found]
    methods = {span.attributes.get("mcp.method.name") for span in collector.spans}
    print(f"{ran} scenarios, {len(collector.spans)} spans, {len(points)} points, methods: {sorted(map(str, methods))}")
    assert ran >= sum(REVISIONS.values())
    assert methods >= METHODS
    assert any(span.kind == model.CLIENT for span in collector.spans)
    assert model.violations(collector.spans, points) == []


async def _run(suite: Suite, folder: Path) -> int:
    """Run all scenarios for both protocol revisions of the suite, and return how many ran."""
    runner, port = await api.start()
    rig = Rig(folder, "everything", f"http://127.0.0.1:{port}")
    try:
        await rig.start(1, stored=False, balanced=False)
        found = 0
        for revision in REVISIONS:
            found += len(await asyncio.to_thread(suite.run, rig.url(0), revision, folder / revision))
            for name in UNSCORED[revision]:
                out = folder / f"{revision}-{name}"
                found += len(await asyncio.to_thread(suite.run, rig.url(0), revision, out, name))
        rig.begin_to_end(0)
        await asyncio.to_thread(rig.replicas[0].wait)
        return found
    finally:
        await rig.stop()
        await runner.cleanup()
