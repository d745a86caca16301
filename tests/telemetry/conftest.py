"""Provide a generated server, its API, and a collector."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.telemetry.api import Api
from tests.telemetry.collector import Collector

TOOLS = Path(__file__).with_name("mirror.tools.yaml")


@pytest.fixture(scope="session")
def mirror(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the generated project."""
    folder = tmp_path_factory.mktemp("telemetry") / "mirror"
    command = [sys.executable, "-m", "mcpgen", "generate", "--parts", "all", str(TOOLS), "-o", str(folder)]
    subprocess.run(command, check=True, capture_output=True)
    return folder


@pytest.fixture
def api() -> Iterator[Api]:
    with Api() as found:
        yield found


@pytest.fixture
def collector() -> Iterator[Collector]:
    with Collector() as found:
        yield found
