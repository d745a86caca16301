"""One generated server for the tests that start processes: it is only ever read."""

from pathlib import Path

import pytest

from tests.runtime.process import generate


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds the package `mirror_mcp`."""
    directory = tmp_path_factory.mktemp("home")
    generate(directory)
    return directory
