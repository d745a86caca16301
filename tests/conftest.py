"""Options of the whole suite, and what every test is given back as it was."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update", action="store_true", help="rewrite the expectations under tests/cases; review the diff"
    )


@pytest.fixture(autouse=True)
def _collector() -> Iterator[None]:
    """The command line switches the garbage collector off, for a process that ends with it; this one goes on."""
    yield
    gc.enable()
