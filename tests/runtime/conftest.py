"""Provide one generated server for all tests that start processes, which no test changes, and both ways to send
requests.
"""

from pathlib import Path

import pytest
from package.runtime.http import direct_requests

from tests.runtime.process import generate


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the package `mirror_mcp`."""
    directory = tmp_path_factory.mktemp("home")
    generate(directory)
    return directory


@pytest.fixture(params=["directly", "by the session"])
def either_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a test twice: with the release of aiohttp whose internals are known, and as if it were another release."""
    if request.param != "directly":
        monkeypatch.setattr(direct_requests, "KNOWN", ())
