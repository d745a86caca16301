"""Options of the whole suite, and what every test is given back as it was."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

CHECKS = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]

# Every run looks at the same examples, so that a failure is the change's; `--hypothesis-profile=wide` looks for others.
settings.register_profile("suite", derandomize=True, deadline=None, suppress_health_check=CHECKS)
settings.register_profile("wide", max_examples=3000, deadline=None, suppress_health_check=CHECKS, print_blob=True)
settings.load_profile("suite")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update", action="store_true", help="rewrite the expectations under tests/cases; review the diff"
    )


@pytest.fixture(autouse=True)
def _collector() -> Iterator[None]:
    """The command line switches the garbage collector off, for a process that ends with it; this one goes on."""
    yield
    gc.enable()
