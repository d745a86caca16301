"""Provide one project for all tests, and for each test an API and an authorization server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.delegation.authority import Authority
from tests.delegation.servers import Api, generate


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the generated project."""
    return generate(tmp_path_factory.mktemp("delegation"))


@pytest.fixture
def api() -> Iterator[Api]:
    """Yield the API, which records its requests."""
    with Api() as found:
        yield found


@pytest.fixture
def authority() -> Iterator[Authority]:
    """Yield the authorization server at which callers get their tokens."""
    with Authority() as found:
        yield found
