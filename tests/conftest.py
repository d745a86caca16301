"""Define the options and fixtures of the whole suite, and restore what a test has changed in the process."""

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
from mcpgen.emit import parts, project
from tests.described_tables import emit_described
from tests.memory_temp import use_memory_for_temporary_files
from tests.wheel import built

use_memory_for_temporary_files()

# Register modules whose assertions pytest explains. This must happen before any import, and tests in other folders may
# import them before `tests/interop/conftest.py` is loaded.
pytest.register_assert_rewrite("tests.interop.calls", "tests.interop.messages")

# a parent process may ignore SIGHUP, and each server that a test starts would inherit this
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

CHECKS = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]

# Every run draws the same examples, so that a failure is due to a change; `--hypothesis-profile=wide` draws others.
settings.register_profile("suite", derandomize=True, deadline=None, suppress_health_check=CHECKS)
settings.register_profile("wide", max_examples=3000, deadline=None, suppress_health_check=CHECKS, print_blob=True)
settings.load_profile("suite")


SLOW = (
    *("converters", "corpus", "interop", "properties", "recipes", "requests"),
    *("unit/test_failing.py", "unit/test_killed.py", "unit/test_starter.py", "unit/test_stepwise.py"),
    *("functional/test_full_disk.py", "functional/test_reload.py", "functional/test_underfoot.py"),
    *("hostile/test_fuzz.py", "hostile/test_hidden.py", "hostile/test_memory.py", "hostile/test_patterns.py"),
    *("hostile/test_promises.py", "hostile/test_small_documents.py", "hostile/test_text.py"),
    *("benchmarks/test_attacks.py", "benchmarks/test_http_calls.py", "runtime/test_request_properties.py"),
    *("diff/test_documents.py", "diff/test_edits.py", "diff/test_variance.py", "identity/test_issuers.py"),
    *("functional/test_checkout.py", "functional/test_successive.py", "functional/test_subscriptions.py"),
    *("functional/test_ends.py", "functional/test_large_answers.py", "runtime/test_load.py", "runtime/test_unread.py"),
    *("conformance", "deployment/test_balancer.py", "deployment/test_containerfile.py", "shell/test_completion.py"),
    *("hostile/test_foreign_files.py", "adopt/test_hostile.py", "tasks/test_tasks.py", "telemetry/test_tasks.py"),
    *("workflows/test_runners.py", "workflows/test_twenty.py", "shell/test_call.py", "functional/test_own_test.py"),
    *("functional/test_doctor_http.py", "functional/test_task_combinations.py", "functional/test_routes.py"),
    *("hostile/test_fetching.py", "hostile/test_work.py", "streamable/test_bounds.py", "telemetry/test_stdio.py"),
    *("streamable/test_subscriptions.py", "delegation/test_exchange.py", "page/test_browser.py", "grade/test_patch.py"),
    *("streamable/test_callers.py", "streamable/test_changes.py", "identity/test_ends.py", "identity/test_scopes.py"),
    "delegation/test_gateway.py",
)
"""Folders and files in which all tests are marked `slow`. In other files, single tests are marked."""


LONGEST = (
    *("cases/test_cases.py", "hostile/test_reading.py", "hostile/test_leaks.py", "hostile/test_emission.py"),
    *("examples/test_conversations.py", "functional/test_origins.py", "hostile/test_crowded.py"),
    *("golden/test_generated.py", "functional/test_hooks.py", "functional/test_removed.py"),
    "functional/test_downloads.py",
)
"""Files that start first, the longest first, so that no worker gets one of them at the end."""


@functools.cache
def _place(path: Path) -> str:
    return path.relative_to(Path(__file__).parent).as_posix()


@functools.cache
def _is_slow(path: Path) -> bool:
    place = _place(path)
    return any(place == slow or place.startswith(f"{slow}/") for slow in SLOW)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not even import the files in SLOW if `-m "not slow"` was given."""
    return True if "not slow" in config.option.markexpr and _is_slow(collection_path) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if _is_slow(item.path):
            item.add_marker(pytest.mark.slow)
    first = {place: number for number, place in enumerate(LONGEST)}
    items.sort(key=lambda item: first.get(_place(item.path), len(first)))
    gc.freeze()  # the items stay until the end, so the garbage collector need not search them again and again


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update", action="store_true", help="rewrite the expectations under tests/cases; review the diff"
    )


@pytest.fixture(autouse=True)
def _collector() -> Iterator[None]:
    """Switch the garbage collector on again. mcpgen's commands switch it off, because their processes are
    short-lived.
    """
    yield
    gc.enable()


@pytest.fixture(autouse=True, scope="session")
def _described_tables() -> Iterator[None]:
    """Validate the JSON files that each compile in a test emits by the schema of the tables."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline, "emit", emit_described)
        yield


@pytest.fixture(autouse=True, scope="session")
def _chosen_parts() -> Iterator[None]:
    """Generate servers with all parts that only owners choose, such as HTTP, in tests that choose no parts.

    The parts for tables are emitted by need, so each test of a feature shows that the server has what it needs. A test
    that runs mcpgen in a process of its own gives the flag `--parts` itself.
    """
    choose = parts.chosen
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "chosen", lambda wanted, **implied: choose(wanted or (*parts.PURPOSES,), **implied))
        yield


@pytest.fixture(autouse=True, scope="session")
def _nothing_synced() -> Iterator[None]:
    """Do not wait for the disk in thousands of compiles, because no test takes the power away."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield


@pytest.fixture(autouse=True, scope="session")
def _templates_read_once() -> Iterator[None]:
    """Read the runtime's files once for thousands of compiles, because no test changes them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(project, "_package_files", functools.cache(project._package_files))
        yield


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the path of mcpgen's wheel, which all workers of a run share."""
    own = tmp_path_factory.getbasetemp()
    return built((own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "wheel")
