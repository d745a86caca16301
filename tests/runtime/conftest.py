"""One generated server for the tests that start processes: it is only ever read. And the two ways to send."""

from pathlib import Path

import pytest
from package.runtime.http import direct_requests

from tests.runtime.process import generate


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds the package `mirror_mcp`."""
    directory = tmp_path_factory.mktemp("home")
    generate(directory)
    return directory


@pytest.fixture(params=["directly", "by the session"])
def either_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether the release of the HTTP library is one whose parts are known, or any other."""
    if request.param != "directly":
        monkeypatch.setattr(direct_requests, "KNOWN", ())
