"""Test that the wings of the runtime (`mcpgen/emit/wings.py`) can be left out of a server.

Each module belongs to one wing. When a module is loaded, it imports only modules of its own wing, of the plain core,
and of the wings that its wing needs. A late import of a wing may also lead to wings that it uses. A late import of the
plain core may lead anywhere, because a server without the feature never comes to it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

from mcpgen.emit import wings
from tests.architecture.imports import ROOT, Arrow, arrows, arrows_of, modules
from tests.architecture.imports import circle as circle_of

RUNTIME = "templates/package/runtime"
SOURCES = modules(RUNTIME)
PATHS = {path.relative_to(ROOT / RUNTIME).with_suffix("").as_posix(): name for name, path in SOURCES.items()}
"""Path without `.py` → dotted name of each module."""

WINGS = wings.modules(PATHS)
WING_OF = {PATHS[path]: name for name, paths in WINGS.items() for path in paths if path in PATHS}
NEEDS = {wing.name: wing.needs for wing in wings.WINGS}
USES = {(wing.name, used) for wing in wings.WINGS for used in wing.uses}
TYPES = "tables"
"""The wing that only mypy and the compiler import."""


def eager(name: str, path: Path, text: str) -> Iterator[Arrow]:
    """Yield the imports of other modules of the runtime that happen when the module `name` is loaded."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for statement in _loaded(ast.parse(text)):
        for arrow in arrows_of(name, package, ast.unparse(statement), SOURCES):
            yield arrow._replace(line=statement.lineno)


def _loaded(above: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the import statements that run when a module is loaded: neither in a function, nor for mypy alone."""
    for node in ast.iter_child_nodes(above):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node
        elif isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            yield from _loaded(ast.Module(node.orelse, []))
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.expr)):
            yield from _loaded(node)


@cache
def eager_arrows() -> list[Arrow]:
    """Return all imports that happen when modules are loaded."""
    return [arrow for name, path in SOURCES.items() for arrow in eager(name, path, path.read_text(encoding="utf-8"))]


@cache
def all_arrows() -> list[Arrow]:
    return arrows(SOURCES)


def forbidden(found: Iterable[Arrow]) -> list[str]:
    """Return the imports that lead to a wing that the importing wing does not declare."""
    return [
        f"{arrow} ({source} does not need {target})"
        for arrow in found
        if (source := WING_OF[arrow.source]) != (target := WING_OF[arrow.target])
        and target not in (wings.PLAIN, *NEEDS[source])
    ]


def late_arrows() -> list[Arrow]:
    """Return all imports of wings but those that lead to a wing which they use, and to the types of the tables."""
    return [
        arrow
        for arrow in all_arrows()
        if WING_OF[arrow.source] != wings.PLAIN
        and WING_OF[arrow.target] != TYPES
        and (WING_OF[arrow.source], WING_OF[arrow.target]) not in USES
    ]


def test_each_folder_of_the_runtime_is_of_the_plain_core_or_a_wing() -> None:
    folders = {path.partition("/")[0] for path in PATHS if "/" in path}
    assert folders == {*wings.CORE, *NEEDS} - {wings.PLAIN}, "see mcpgen/emit/wings.py"


def test_no_import_leads_to_a_wing_that_the_importing_wing_does_not_declare() -> None:
    assert forbidden(eager_arrows()) == []


def test_no_late_import_leads_to_a_wing_that_the_importing_wing_does_not_use() -> None:
    assert forbidden(late_arrows()) == []


def test_each_wing_that_is_used_is_imported() -> None:
    found = {(WING_OF[arrow.source], WING_OF[arrow.target]) for arrow in all_arrows()}
    assert USES - found == set()
    assert {(wing, needed) for wing, needs in NEEDS.items() for needed in needs} - found == set()


def test_wings_do_not_need_each_other_in_a_circle() -> None:
    assert circle_of(Arrow(wing, needed, 0) for wing, needs in NEEDS.items() for needed in needs) == []
    assert {needed for needs in NEEDS.values() for needed in needs} <= NEEDS.keys() - {wings.PLAIN}
    assert NEEDS[wings.PLAIN] == ()


PLANTED = {
    "from the plain core": (
        "calls/execution",
        "from ..questions.consent import Consent",
        "plain does not need questions",
    ),
    "as a module": ("calls/plain_call", "from ..files import files", "plain does not need files"),
    "of a condition": ("server", "if 1:\n    from .reload import reload", "plain does not need reload"),
    "between wings": ("login/run", "from ..install import plan", "login does not need install"),
}


@pytest.mark.parametrize(("path", "text", "told"), PLANTED.values(), ids=PLANTED)
def test_a_planted_import_is_noticed(path: str, text: str, told: str) -> None:
    name = PATHS[path]
    [found] = forbidden([*eager_arrows(), *eager(name, SOURCES[name], text)])
    assert found.endswith(f"({told})")


@pytest.mark.parametrize(
    "text",
    [
        "def work():\n    from ..questions.consent import Consent",
        "if TYPE_CHECKING:\n    from ..questions.consent import Consent",
        "from . import trial",
    ],
    ids=["late", "for types", "of the plain core"],
)
def test_a_planted_import_is_allowed(text: str) -> None:
    name = PATHS["calls/execution"]
    assert forbidden(eager(name, SOURCES[name], text)) == []
