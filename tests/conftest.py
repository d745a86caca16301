"""Options of the whole suite, and what every test is given back as it was."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from mcpgen import pipeline
from tests.described_tables import emit_described

CHECKS = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]

# Every run looks at the same examples, so that a failure is the change's; `--hypothesis-profile=wide` looks for others.
settings.register_profile("suite", derandomize=True, deadline=None, suppress_health_check=CHECKS)
settings.register_profile("wide", max_examples=3000, deadline=None, suppress_health_check=CHECKS, print_blob=True)
settings.load_profile("suite")


SLOW = (
    *("converters", "corpus", "interop", "properties", "recipes", "requests"),
    *("unit/test_failing.py", "unit/test_killed.py", "unit/test_starter.py", "unit/test_stepwise.py"),
    *("functional/test_full_disk.py", "functional/test_reload.py", "functional/test_underfoot.py"),
    *("hostile/test_fuzz.py", "hostile/test_hidden.py", "hostile/test_memory.py", "hostile/test_patterns.py"),
    *("hostile/test_promises.py", "hostile/test_small_documents.py", "hostile/test_text.py"),
)
"""Folders and files that take two thirds of the time of all: real peers, real documents, kills, grammars."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        place = item.path.relative_to(Path(__file__).parent).as_posix()
        if any(place == slow or place.startswith(f"{slow}/") for slow in SLOW):
            item.add_marker(pytest.mark.slow)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update", action="store_true", help="rewrite the expectations under tests/cases; review the diff"
    )


@pytest.fixture(autouse=True)
def _collector() -> Iterator[None]:
    """The command line switches the garbage collector off, for a process that ends with it; this one goes on."""
    yield
    gc.enable()


@pytest.fixture(autouse=True, scope="session")
def _described_tables() -> Iterator[None]:
    """Every compile of every test emits tables that `table.schema.json` describes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline, "emit", emit_described)
        yield
