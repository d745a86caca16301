"""The house stands: every room imports only from floors below its own, and each library has one door.

The tables are those in ARCHITECTURE.md. A new module at the top of a house needs a floor before it can be imported.
"""

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.architecture.imports import ROOT, Arrow, arrows, arrows_of, circle, modules

HOUSES: dict[str, dict[str, int]] = {
    "mcpgen": {
        "base": 0,
        "model": 1,
        "naming": 2,
        "read": 2,
        "merge": 3,
        "lock": 3,
        "lower": 4,
        "check": 5,
        "emit": 6,
        "pipeline": 7,
        "regenerate": 8,
        "demo": 9,
        "cli": 10,
        "__main__": 11,
    },
    "mcpgen.read": {"document": 0, "fetch": 1, "overlay": 1, "openapi": 1, "toolsfile": 2, "inputs": 3, "flags": 3},
    "mcpgen.lower": {"text": 0, "schema": 1, "inputs": 2, "request": 3, "tool": 4, "lower": 5},
    "mcpgen.regenerate": {
        "diff": 0,
        "publish": 0,
        "orphan_hooks": 0,
        "release_notes": 0,
        "changelog": 1,
        "projects": 1,
        "regenerate": 2,
    },
    "package": {"hooks": 0, "runtime": 1, "__main__": 2},
    "package.runtime": {
        "text": 0,
        "core": 1,
        "request": 2,
        "hooks": 3,
        "settings": 3,
        "http": 4,
        "result": 5,
        "calls": 6,
        "serve": 7,
        "server": 8,
    },
}
"""Each house with the floors of its rooms. A room is a folder or a single module."""

DOORS: dict[str, tuple[str, ...]] = {
    "click": ("mcpgen/cli/",),
    "jinja2": ("mcpgen/emit/render.py",),
    "httpx": ("mcpgen/read/fetch/network.py",),
    "jsonpath_rfc9535": ("mcpgen/read/overlay/query.py",),
    "yaml": ("mcpgen/read/document/yaml_text.py", "mcpgen/read/document/positions.py"),
    "openapi_spec_validator": ("mcpgen/read/openapi/official.py",),
    "jsonschema_rs": (
        "mcpgen/read/openapi/validity.py",
        "mcpgen/read/overlay/query.py",
        "mcpgen/lower/schema/patterns.py",
        "mcpgen/lower/schema/handwritten.py",
        "mcpgen/lower/inputs/changes.py",
        "templates/package/runtime/core/jsontext.py",
        "templates/package/runtime/text/patterns.py",
        "templates/package/runtime/request/validators.py",
    ),
    "aiohttp": ("templates/package/runtime/http/client.py", "templates/package/runtime/http/connections.py"),
    "yarl": ("templates/package/runtime/http/connections.py",),
    "sqlite3": ("mcpgen/demo/",),
    "socket": ("mcpgen/demo/", "templates/package/runtime/"),
    "subprocess": ("mcpgen/cli/servers.py", "mcpgen/demo/client.py"),
}
"""Library → the only places that import it."""

RUNTIME_LIBRARIES = {"aiohttp", "yarl", "jsonschema_rs"}


SOURCES = {**modules("mcpgen"), **modules("templates/package")}
ARROWS = arrows(SOURCES)
COMPILER = [path for name, path in SOURCES.items() if name.partition(".")[0] == "mcpgen"]
PACKAGE = [path for path in SOURCES.values() if path not in COMPILER]


def _imports(path: Path) -> Iterator[tuple[str, ast.stmt, bool]]:
    """Every imported module, absolute, with its statement and whether it is imported inside a function."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(tree):
        if not isinstance(node, (ast.Import, ast.ImportFrom)):
            continue
        inside = False
        above: ast.AST | None = parents.get(node)
        while above is not None:
            inside = inside or isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef))
            above = parents.get(above)
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node, inside
        elif node.level == 0:
            yield node.module or "", node, inside
            for alias in node.names:
                yield f"{node.module}.{alias.name}", node, inside


def _room(house: str, module: str) -> str | None:
    """Return the room of a house that a module is, or lies in; None where it lies in none."""
    inside = module.removeprefix(f"{house}.")
    return None if inside == module else inside.partition(".")[0]


def back(found: Iterable[Arrow]) -> Iterator[str]:
    """Yield the arrows between rooms of one house that lead to the same floor or a higher one."""
    for arrow in found:
        for house, floors in HOUSES.items():
            source, target = _room(house, arrow.source), _room(house, arrow.target)
            if source and target and source != target and floors[target] >= floors[source]:
                yield f"{arrow} ({source} is on floor {floors[source]} of {house}, {target} on {floors[target]})"


@pytest.mark.parametrize("house", HOUSES)
def test_every_room_has_a_floor_and_every_floor_a_room(house: str) -> None:
    rooms = {room for name in SOURCES if (room := _room(house, name))}
    assert rooms == HOUSES[house].keys(), "give it a floor in HOUSES and in ARCHITECTURE.md"


def test_a_room_imports_only_from_floors_below_it() -> None:
    assert list(back(ARROWS)) == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Neither between rooms nor inside one."""
    assert circle(ARROWS) == []


PLANTED = {
    "at the top": "from mcpgen.lower.lower import lower",
    "late": "def work():\n    from mcpgen.lower import lower",
    "for types": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import mcpgen.lower.lower",
}


@pytest.mark.parametrize("text", PLANTED.values(), ids=PLANTED)
def test_a_planted_arrow_is_noticed(text: str) -> None:
    planted = arrows_of("mcpgen.base.names", "mcpgen.base", text, SOURCES)
    [found] = back([*ARROWS, *planted])
    assert found.startswith("mcpgen.base.names:")
    assert found.endswith("(base is on floor 0 of mcpgen, lower on 4)")


PLANTED_IN_THE_RUNTIME = {
    "at the top": "from ..calls.execution import Caller",
    "late": "def work():\n    from ..calls import execution",
    "by name": 'NAMES = ("..calls.execution",)',
}


@pytest.mark.parametrize("text", PLANTED_IN_THE_RUNTIME.values(), ids=PLANTED_IN_THE_RUNTIME)
def test_a_planted_arrow_in_the_runtime_is_noticed(text: str) -> None:
    planted = arrows_of("package.runtime.http.client", "package.runtime.http", text, SOURCES)
    [found] = back([*ARROWS, *planted])
    assert found.endswith("(http is on floor 4 of package.runtime, calls on 6)")


def test_a_planted_arrow_in_a_house_within_is_noticed() -> None:
    planted = arrows_of("mcpgen.lower.text.prose", "mcpgen.lower.text", "from mcpgen.lower.tool import lint", SOURCES)
    [found] = back([*ARROWS, *planted])
    assert found.endswith("(text is on floor 0 of mcpgen.lower, tool on 4)")


def test_a_planted_circle_inside_a_room_is_noticed() -> None:
    ends = {"mcpgen.base.errors", "mcpgen.base.diagnostics"}
    assert ("mcpgen.base.errors", "mcpgen.base.diagnostics") in {arrow[:2] for arrow in ARROWS}
    way = circle([*ARROWS, Arrow("mcpgen.base.diagnostics", "mcpgen.base.errors", 0)])
    assert (way[0], set(way)) == (way[-1], ends)


@pytest.mark.parametrize("path", COMPILER + PACKAGE, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_library_is_imported_at_its_door_alone(path: Path) -> None:
    place = path.relative_to(ROOT).as_posix()
    for module, _, _ in _imports(path):
        doors = DOORS.get(module.split(".")[0])
        assert doors is None or place.startswith(doors), f"{place} imports {module}; its door is {doors}"


@pytest.mark.parametrize("path", COMPILER, ids=lambda path: str(path.relative_to(ROOT)))
def test_an_import_inside_a_function_says_why(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    for module, node, inside in _imports(path):
        if inside:
            around = "".join(lines[node.lineno - 2 : node.end_lineno])
            assert "#" in around, (
                f"{path.relative_to(ROOT)}:{node.lineno} imports {module} late, without a reason beside it"
            )


@pytest.mark.parametrize("path", PACKAGE, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_runtime_imports_itself_the_standard_library_and_what_it_declares(path: Path) -> None:
    import sys  # only this test asks for the list of standard modules

    for module, _, _ in _imports(path):
        top = module.split(".")[0]
        assert top in sys.stdlib_module_names or top in RUNTIME_LIBRARIES, f"{path.relative_to(ROOT)} imports {module}"


def test_the_compiler_never_imports_the_runtime() -> None:
    for path in COMPILER:
        for module, _, _ in _imports(path):
            assert not module.startswith(("templates", "package", "runtime")), (
                f"{path.relative_to(ROOT)} imports {module}"
            )
