"""Provide a new petstore for each test that asks for one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mcpgen.demo import petstore


@pytest.fixture
def running() -> Iterator[petstore.Running]:
    with petstore.serve() as running:
        yield running
