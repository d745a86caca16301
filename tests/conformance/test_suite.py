"""Run a small part of the official conformance suite over HTTP. `python -m benchmarks.conformance` runs the whole
suite.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.conformance import TOOLS
from benchmarks.replicas.rig import Rig
from tests.conformance import api
from tests.conformance.suite import SKILLS, Suite
from tests.interop import environments

SOME = (
    ("2026-07-28", "http-header-validation"),
    ("2026-07-28", "http-custom-header-server-validation"),
    ("2026-07-28", "dns-rebinding-protection"),
    ("2026-07-28", "server-stateless"),
    ("2026-07-28", "input-required-result-tampered-state"),
    ("2026-07-28", "tasks-lifecycle"),
    ("2026-07-28", "tasks-mrtr-composition"),
    ("2026-07-28", "tasks-required-task-error"),
    *(("2026-07-28", scenario) for scenario in SKILLS),
    ("2025-11-25", "tools-call-mixed-content"),
    ("2025-11-25", "server-session-lifecycle"),
    ("2025-11-25", "server-sse-polling"),
    ("2025-11-25", "server-sse-multiple-streams"),
    ("2025-11-25", "tools-call-elicitation"),
    ("2025-11-25", "tools-call-with-logging"),
    ("2025-11-25", "resources-unsubscribe"),
)

LONG = {"tasks-lifecycle", "server-sse-polling", "tools-call-with-logging"}
"""Scenarios that wait for seconds. They are marked `slow`."""


@pytest.fixture(scope="module")
def suite() -> Suite:
    try:
        return Suite()
    except environments.Missing as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the URL of a server in its own process. The server's API runs in an event loop of this module."""
    folder = tmp_path_factory.mktemp("conformance")
    command = [sys.executable, "-m", "mcpgen", "generate", "--parts", "all", str(TOOLS), "-o", str(folder / "server")]
    subprocess.run(command, check=True, capture_output=True)
    with asyncio.Runner() as runner:
        serving, port = runner.run(api.start())
        rig = Rig(folder, "everything", f"http://127.0.0.1:{port}")
        runner.run(rig.start(1, stored=False, balanced=False))
        try:
            _LOOP.append(runner)
            yield rig.url(0)
        finally:
            _LOOP.clear()
            runner.run(rig.stop())
            runner.run(serving.cleanup())


_LOOP: list[asyncio.Runner] = []
"""The event loop in which the API answers while a scenario runs."""


@pytest.mark.parametrize(
    ("revision", "scenario"),
    [pytest.param(*each, id=" ".join(each), marks=pytest.mark.slow if each[1] in LONG else ()) for each in SOME],
)
def test_the_official_suite_has_nothing_to_say(
    suite: Suite, url: str, tmp_path: Path, revision: str, scenario: str
) -> None:
    found = _LOOP[0].run(asyncio.to_thread(suite.run, url, revision, tmp_path, scenario))
    assert found, "the scenario did not run"
    assert [each.failures for each in found if not each.passed] == []
