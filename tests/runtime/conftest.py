"""Provide fixtures: a generated server that no test changes, both ways in which the client sends requests (directly, or
through aiohttp's session), and a log as it is when a server starts.
"""

from pathlib import Path

import pytest
from package.runtime.core import log
from package.runtime.http import connections

from tests.runtime.process import generate


@pytest.fixture(autouse=True)
def _log_as_at_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no test see a level, secrets or counted events of a server that another test created in this process."""
    monkeypatch.setattr(log, "_threshold", log.LEVELS.index("info"))
    monkeypatch.setattr(log, "_redact", None)
    monkeypatch.setattr(log, "_causes", {})


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
