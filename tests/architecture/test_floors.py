"""Test that each folder of modules (room) imports only from rooms with a lower number (floor).

Also test that only the allowed files import a library. The tables of rooms and libraries are those in ARCHITECTURE.md.
A new top-level module needs a floor before others can import it.
"""

import ast
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from mcpgen.emit import wings
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
        "retrieval": 5,
        "views": 5,
        "emit": 6,
        "grade": 7,
        "pipeline": 7,
        "regenerate": 8,
        "adopt": 8,
        "bundle": 9,
        "demo": 9,
        "cli": 10,
        "__main__": 11,
    },
    "mcpgen.read": {
        "document": 0,
        "fetch": 1,
        "overlay": 1,
        "openapi": 1,
        "translate": 1,
        "arazzo": 2,
        "toolsfile": 2,
        "inputs": 3,
        "flags": 3,
    },
    "mcpgen.lower": {
        "text": 0,
        "schema": 1,
        "inputs": 2,
        "request": 3,
        "tool": 4,
        "jobs": 5,
        "workflows": 5,
        "lower": 6,
    },
    "mcpgen.adopt": {
        "foreign": 0,
        "operations": 0,
        "programs": 1,
        "selection": 2,
        "script": 2,
        "security": 2,
        "toolsfile": 2,
        "sources": 3,
        "adopt": 3,
    },
    "mcpgen.regenerate": {
        "diff": 0,
        "publish": 0,
        "orphan_hooks": 0,
        "changelog": 1,
        "lost_lock": 1,
        "projects": 1,
        "regenerate": 2,
    },
    "package": {"hooks": 0, "runtime": 1, "__main__": 2, "asgi": 2},
    "package.runtime": {
        "text": 0,
        "tuning": 0,
        "core": 1,
        "request": 2,
        "settings": 3,
        "http": 4,
        "result": 5,
        "calls": 6,
        "commands": 7,
        "serve": 7,
        "server": 8,
    },
    "package.runtime.http_server": {
        "callers": 0,
        "listening": 1,
        "sealed": 2,
        "handles": 3,
        "streamable": 3,
        "requests": 4,
        "service": 5,
        "doors": 6,
        "doctor_http": 7,
        "over_http": 7,
    },
}
"""Top-level package → room → floor. A room is a folder or a single module."""

FLOORLESS = {"package.runtime": {wing.name for wing in wings.WINGS}}
"""Top-level package → folders without a floor: wings of the runtime, whose imports `test_wings.py` tests."""

DOORS: dict[str, tuple[str, ...]] = {
    "click": ("mcpgen/cli/",),
    "jinja2": ("mcpgen/emit/sinks.py",),
    "httpx": ("mcpgen/read/fetch/network.py",),
    "jsonpath_rfc9535": ("mcpgen/read/overlay/query.py",),
    "yaml": ("mcpgen/read/document/yaml_text.py", "mcpgen/read/document/positions.py"),
    "openapi_spec_validator": ("mcpgen/read/openapi/validity.py",),
    "jsonschema_rs": (
        "mcpgen/read/openapi/validity.py",
        "mcpgen/read/overlay/query.py",
        "mcpgen/lower/schema/patterns.py",
        "mcpgen/lower/schema/handwritten.py",
        "mcpgen/lower/inputs/changes.py",
        "templates/package/runtime/core/jsonrpc.py",
        "templates/package/runtime/text/patterns.py",
        "templates/package/runtime/request/arguments.py",
    ),
    "aiohttp": (
        "templates/package/runtime/http/client.py",
        "templates/package/runtime/http/connections.py",
        "templates/package/runtime/http_server/doors/aiohttp_door.py",
        "templates/package/runtime/reach/routes.py",
    ),
    "cryptography": ("templates/package/runtime/http_server/sealed/seal.py",),
    "joserfc": ("templates/package/runtime/identity/",),
    "pydantic_monty": ("templates/package/runtime/programs/sandbox.py",),
    "keyring": ("templates/package/runtime/login/token_store.py",),
    "redis": ("templates/package/runtime/replicas/store.py",),
    "aiohttp_socks": ("templates/package/runtime/reach/routes.py",),
    "opentelemetry": (
        "templates/package/runtime/telemetry/spans.py",
        "templates/package/runtime/telemetry/otlp_metrics.py",
    ),
    "yarl": ("templates/package/runtime/http/connections.py",),
    "sqlite3": ("mcpgen/demo/",),
    "socket": ("mcpgen/demo/", "mcpgen/read/fetch/network.py", "templates/package/runtime/"),
    "subprocess": (
        "mcpgen/bundle/artifacts.py",
        "mcpgen/cli/server_venv.py",
        "mcpgen/cli/servers.py",
        "mcpgen/demo/client.py",
        "mcpgen/demo/story.py",
        "templates/package/runtime/reach/secret_commands.py",
        "templates/package/runtime/shell/own_server.py",
    ),
}
"""Library → the only files that may import it."""

TO_THE_RUNTIME = "mcpgen/base/runtime.py"
"""The only module of the compiler that imports the runtime."""

RUNTIME_LIBRARIES = {
    "aiohttp",
    "aiohttp_socks",
    "yarl",
    "jsonschema_rs",
    "cryptography",
    "joserfc",
    "keyring",
    "opentelemetry",
    "pydantic_monty",
    "redis",
}


SOURCES = {**modules("mcpgen"), **modules("templates/package")}
COMPILER = [path for name, path in SOURCES.items() if name.partition(".")[0] == "mcpgen"]
PACKAGE = [path for path in SOURCES.values() if path not in COMPILER]


@cache
def all_arrows() -> list[Arrow]:
    """Return all imports among the modules of the compiler, and among the modules of the runtime.

    The result is cached.
    """
    return arrows(SOURCES)


class Import(NamedTuple):
    """An absolute import. `late`: True if it is within a function. `reasoned`: True if a comment explains it."""

    place: str
    module: str
    line: int
    late: bool
    reasoned: bool


@cache
def imports_of(path: Path) -> tuple[Import, ...]:
    """Return every absolute import of a file. The result is cached."""
    text = path.read_text(encoding="utf-8")
    return tuple(_imports(path.relative_to(ROOT).as_posix(), text))


def _imports(place: str, text: str) -> Iterator[Import]:
    lines = text.splitlines()
    for node, late in _statements(ast.parse(text), late=False):
        around = "".join(lines[max(node.lineno - 2, 0) : node.end_lineno])
        for module in _imported(node):
            yield Import(place, module, node.lineno, late, "#" in around)


def _statements(above: ast.AST, *, late: bool) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    """Yield the import statements below a syntax node, each with True if it is within a function."""
    late = late or isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef))
    for node in ast.iter_child_nodes(above):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node, late
        elif not isinstance(node, ast.expr):  # expressions cannot contain import statements, so they are skipped
            yield from _statements(node, late=late)


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif node.level == 0:
        yield node.module or ""
        yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _room(house: str, module: str) -> str | None:
    """Return the name of the room (folder) to which the module belongs, or None."""
    inside = module.removeprefix(f"{house}.")
    return None if inside == module else inside.partition(".")[0]


def back(found: Iterable[Arrow]) -> Iterator[str]:
    """Yield the forbidden imports between rooms (folders) of one package.

    HOUSES gives each room a number, its floor. A room may import only from rooms on lower floors.
    """
    for arrow in found:
        for house, floors in HOUSES.items():
            source, target = _room(house, arrow.source), _room(house, arrow.target)
            if {source, target} & FLOORLESS.get(house, set()):
                continue
            if source and target and source != target and floors[target] >= floors[source]:
                yield f"{arrow} ({source} is on floor {floors[source]} of {house}, {target} on {floors[target]})"


@pytest.mark.parametrize("house", HOUSES)
def test_every_room_has_a_floor_and_every_floor_a_room(house: str) -> None:
    rooms = {room for name in SOURCES if (room := _room(house, name))}
    assert rooms - FLOORLESS.get(house, set()) == HOUSES[house].keys(), (
        "give it a floor in HOUSES and in ARCHITECTURE.md"
    )


def test_a_room_imports_only_from_floors_below_it() -> None:
    assert list(back(all_arrows())) == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Test that modules do not import each other in a circle, within a folder (room) or across folders."""
    found = circle(all_arrows())
    assert not found, " -> ".join(found)


PLANTED = {
    "at the top": "from mcpgen.lower.lower import lower",
    "late": "def work():\n    from mcpgen.lower import lower",
    "for types": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import mcpgen.lower.lower",
}


@pytest.mark.parametrize("text", PLANTED.values(), ids=PLANTED)
def test_a_planted_arrow_is_noticed(text: str) -> None:
    planted = arrows_of("mcpgen.base.names", "mcpgen.base", text, SOURCES)
    [found] = back([*all_arrows(), *planted])
    assert found.startswith("mcpgen.base.names:")
    assert found.endswith("(base is on floor 0 of mcpgen, lower on 4)")


PLANTED_IN_THE_RUNTIME = {
    "at the top": "from ..calls.execution import ToolExecutor",
    "late": "def work():\n    from ..calls import execution",
    "by name": 'NAMES = ("..calls.execution",)',
}


@pytest.mark.parametrize("text", PLANTED_IN_THE_RUNTIME.values(), ids=PLANTED_IN_THE_RUNTIME)
def test_a_planted_arrow_in_the_runtime_is_noticed(text: str) -> None:
    planted = arrows_of("package.runtime.http.client", "package.runtime.http", text, SOURCES)
    [found] = back([*all_arrows(), *planted])
    assert found.endswith("(http is on floor 4 of package.runtime, calls on 6)")


def test_a_planted_arrow_in_a_house_within_is_noticed() -> None:
    planted = arrows_of("mcpgen.lower.text.prose", "mcpgen.lower.text", "from mcpgen.lower.tool import lint", SOURCES)
    [found] = back([*all_arrows(), *planted])
    assert found.endswith("(text is on floor 0 of mcpgen.lower, tool on 4)")


def test_a_planted_circle_inside_a_room_is_noticed() -> None:
    ends = {"mcpgen.base.errors", "mcpgen.base.diagnostics"}
    assert ("mcpgen.base.errors", "mcpgen.base.diagnostics") in {arrow[:2] for arrow in all_arrows()}
    way = circle([*all_arrows(), Arrow("mcpgen.base.diagnostics", "mcpgen.base.errors", 0)])
    assert (way[0], set(way)) == (way[-1], ends)


def beside_their_doors(found: Iterable[Import]) -> list[Import]:
    """Return the imports of libraries outside of the files that may import them (DOORS)."""
    return [each for each in found if not each.place.startswith(DOORS.get(each.module.partition(".")[0], ""))]


def without_a_reason(found: Iterable[Import]) -> list[Import]:
    """Return the imports within functions that no comment explains."""
    return [each for each in found if each.late and not each.reasoned]


def undeclared(found: Iterable[Import]) -> list[Import]:
    """Return the imports of modules that are neither in the standard library nor declared dependencies of generated
    projects.
    """
    known = sys.stdlib_module_names | RUNTIME_LIBRARIES
    return [each for each in found if each.module.partition(".")[0] not in known]


def crossing(found: Iterable[Import]) -> list[Import]:
    """Return the imports with which the compiler imports the runtime. Only its door (TO_THE_RUNTIME) may do that."""
    return [each for each in found if each.module.partition(".")[0] in ("templates", "package", "runtime")]


def every_import(paths: Iterable[Path]) -> Iterator[Import]:
    return (each for path in paths for each in imports_of(path))


def test_a_library_is_imported_at_its_door_alone() -> None:
    assert beside_their_doors(every_import(COMPILER + PACKAGE)) == [], DOORS


def test_an_import_inside_a_function_says_why() -> None:
    assert without_a_reason(every_import(COMPILER)) == [], "each is late, without a reason beside it"


def test_the_runtime_imports_itself_the_standard_library_and_what_it_declares() -> None:
    assert undeclared(every_import(PACKAGE)) == []


def test_the_compiler_imports_the_runtime_at_its_door_alone() -> None:
    assert {each.place for each in crossing(every_import(COMPILER))} == {TO_THE_RUNTIME}


def test_the_runtime_never_imports_the_compiler() -> None:
    assert [each for each in every_import(PACKAGE) if each.module.partition(".")[0] == "mcpgen"] == []


def test_what_comes_through_the_door_to_the_runtime_loads_no_library() -> None:
    """Load every listed module in a new interpreter. A library would make each start of the compiler slower."""
    listed = {each.module.removeprefix("package.") for each in crossing(imports_of(ROOT / TO_THE_RUNTIME))}
    modules = sorted(each for each in listed if each.count(".") == 2)
    names = [each.rpartition(".")[2] for each in modules]
    code = f"import sys\nfrom mcpgen.base.runtime import {', '.join(names)}\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert {f"mcpgen.base.{each}" for each in modules} <= {*loaded}
    assert RUNTIME_LIBRARIES.isdisjoint(each.partition(".")[0] for each in loaded)
    with pytest.raises(ImportError):
        from mcpgen.base.runtime import nowhere  # type: ignore[attr-defined]  # noqa: F401 — no such module


@pytest.mark.parametrize(
    ("rule", "text", "line"),
    [
        (beside_their_doors, "if 1:\n    from yaml import nodes", 2),
        (without_a_reason, "def work():\n    try:\n        import json\n    finally:\n        pass", 3),
        (undeclared, "import json\nimport httpx", 2),
        (crossing, "class Work:\n    def work(self):\n        from package.runtime import text", 3),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_a_planted_import_is_noticed(rule: Callable[[Iterable[Import]], list[Import]], text: str, line: int) -> None:
    assert {found.line for found in rule(_imports("mcpgen/base/names.py", text))} == {line}
