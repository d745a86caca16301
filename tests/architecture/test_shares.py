"""Check that everything that callers share over HTTP is listed with its share (`shared_by_callers`).

A table or pool is noticed by the name of its limit, `MOST…`, or by its kind: a queue, a semaphore, a pool, a cache. A
plain dictionary without such a limit is not noticed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.shared_by_callers import ALONE, SHARED, Shared

RUNTIME = Path(__file__).parents[2] / "templates" / "package" / "runtime"
ALONE_IN_A_PROCESS = {"install", "login", "reload", "request", "settings", "shell", "tuning"}
"""Folders of the runtime that serve one user or one request."""
ROOMS = {each.name for each in RUNTIME.iterdir() if each.is_dir() and each.name[0] != "_"} - ALONE_IN_A_PROCESS
KINDS = (
    "Semaphore",
    "BoundedSemaphore",
    "Queue",
    "BoundedCache",
    "FairPool",
    "FairQueue",
    "Places",
    "ConnectionPlaces",
)
OF_KIND = {
    *(each.module for each in SHARED),
    *("core/limits.py", "http_server/doors/aiohttp_door.py"),  # the shares themselves
}
"""Modules that may create an object of such a kind."""


def modules() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(each for room in ROOMS for each in (RUNTIME / room).rglob("*.py")):
        yield path.relative_to(RUNTIME).as_posix(), ast.parse(path.read_text())


def limits(module: ast.Module) -> Iterator[str]:
    """Yield the names of the module's constants that begin with `MOST`."""
    for statement in module.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        names = [name.id for target in targets if target for name in ast.walk(target) if isinstance(name, ast.Name)]
        yield from (name for name in names if name.lstrip("_").partition("_")[0] == "MOST")


def created(module: ast.Module) -> Iterator[str]:
    """Yield the names of the classes of KINDS that the module calls."""
    for node in ast.walk(module):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            yield from [name] * (name in KINDS)


def test_each_limit_is_listed() -> None:
    listed = {(each.module, name) for each in SHARED for name in each.limits}
    listed |= {(module, name) for module, names in ALONE.items() for name in names}
    assert {(path, name) for path, module in modules() for name in limits(module)} == listed


def test_each_pool_is_listed() -> None:
    assert {path for path, module in modules() for _ in created(module)} <= OF_KIND


@pytest.mark.parametrize("row", SHARED, ids=lambda row: row.module)
def test_each_share_is_in_the_code(row: Shared) -> None:
    assert row.share in (RUNTIME / row.module).read_text()
    assert row.why
