"""Fixtures of the tests of logins."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.login.station import Station, station


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Station]:
    """A server whose users log in at a mock of an authorization server."""
    with station(tmp_path) as found:
        yield found
