"""Provide the fixtures for tests of logins."""

from collections.abc import Iterator

import pytest

from tests.login.station import Station, station


@pytest.fixture(scope="session")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Station]:
    """Yield a server whose users log in at a mock authorization server. It is generated once."""
    with station(tmp_path_factory.mktemp("login")) as found:
        yield found


@pytest.fixture
def store(generated: Station) -> Station:
    """Return the server with nobody logged in, and without recorded requests to its API or its authorization server."""
    generated.reset()
    return generated
