"""Test that few modules have one importer only.

Such a module is often a part of its importer that stands elsewhere: a reader opens two files for one idea. A module may
stand alone because it is imported late, or because it is a published list, and is counted too. So the figures are
limits: who adds such a module merges another one, or raises the limit and says why.
"""

from __future__ import annotations

from functools import cache

import pytest

from tests.architecture.imports import Arrow, arrows, modules


@cache
def all_arrows() -> list[Arrow]:
    """Return all imports. A module of the runtime that the compiler uses too has the compiler's door as an importer."""
    return arrows({**modules("mcpgen"), **modules("templates/package")})


def imported_once(found: list[Arrow]) -> list[str]:
    """Return the modules that exactly one other module imports."""
    importers: dict[str, set[str]] = {}
    for arrow in found:
        importers.setdefault(arrow.target, set()).add(arrow.source)
    return sorted(target for target, sources in importers.items() if len(sources) == 1)


@pytest.mark.parametrize(("folder", "most"), [("mcpgen", 71), ("templates/package", 59)])
def test_few_modules_have_one_importer(folder: str, most: int) -> None:
    own = modules(folder)
    found = [each for each in imported_once(all_arrows()) if each in own]
    assert len(found) <= most, found


def test_a_module_is_counted_once() -> None:
    found = [Arrow("a", "b", 1), Arrow("a", "b", 9), Arrow("a", "c", 2), Arrow("b", "c", 1)]
    assert imported_once(found) == ["b"]
