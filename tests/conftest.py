"""Options of the whole suite, and what every test is given back as it was."""

from __future__ import annotations

import functools
import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import openapi_spec_validator  # noqa: F401 — else each child process that checks a document imports it, 0.3 s
import pytest
from hypothesis import HealthCheck, settings

from mcpgen import pipeline
from mcpgen.emit import project
from tests.described_tables import emit_described
from tests.memory_temp import use_memory_for_temporary_files
from tests.wheel import built

use_memory_for_temporary_files()

if hasattr(signal, "SIGHUP"):  # whoever starts the tests may ignore it, and each server that they start would, too
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

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
"""Folders and files that are slow as a whole: real peers, real documents, kills, grammars. Others mark single rows."""


LONGEST = (
    *("cases/test_cases.py", "diff/test_documents.py", "benchmarks/test_attacks.py", "hostile/test_reading.py"),
    *("hostile/test_work.py", "functional/test_ends.py", "hostile/test_leaks.py", "page/test_browser.py"),
    *("hostile/test_emission.py", "examples/test_conversations.py", "functional/test_origins.py"),
    *("hostile/test_fetching.py", "hostile/test_crowded.py", "golden/test_generated.py", "functional/test_hooks.py"),
    *("functional/test_removed.py", "functional/test_downloads.py", "runtime/test_unread.py"),
)
"""Files that begin first, so that no worker is left with one of them at the end. The order is of the time they take."""


def _place(path: Path) -> str:
    return path.relative_to(Path(__file__).parent).as_posix()


def _is_slow(path: Path) -> bool:
    place = _place(path)
    return any(place == slow or place.startswith(f"{slow}/") for slow in SLOW)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave files unread of which no test would be run."""
    return True if "not slow" in config.option.markexpr and _is_slow(collection_path) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if _is_slow(item.path):
            item.add_marker(pytest.mark.slow)
    first = {place: number for number, place in enumerate(LONGEST)}
    items.sort(key=lambda item: first.get(_place(item.path), len(first)))


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


@pytest.fixture(autouse=True, scope="session")
def _templates_read_once() -> Iterator[None]:
    """Thousands of compiles copy the same runtime into their tree; no test changes it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(project, "_package_files", functools.cache(project._package_files))
        yield


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of mcpgen. Workers share the folder around their own."""
    own = tmp_path_factory.getbasetemp()
    return built((own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "wheel")
