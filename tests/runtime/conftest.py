"""Provide fixtures: a generated server that no test changes, and both ways in which the client sends requests:
directly, or through aiohttp's session.
"""

from pathlib import Path

import pytest
from package.runtime.http import connections

from tests.runtime.process import generate


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the generated package `mirror_mcp`."""
    directory = tmp_path_factory.mktemp("home")
    generate(directory)
    return directory


@pytest.fixture(params=["directly", "by the session"])
def either_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a test twice: with the release of aiohttp whose internals the server's HTTP client uses, and as if
    another release were installed.
    """
    if request.param != "directly":
        monkeypatch.setattr(connections, "KNOWN", ())
