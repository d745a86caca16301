"""Provide tests of `install` with a home folder in which clients have their files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.install.client_files import Home


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[[str], Home]:
    """Return a function that makes the home folder for a client."""
    return lambda client: Home(tmp_path, client, monkeypatch, capfd)
