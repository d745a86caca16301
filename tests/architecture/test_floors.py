"""The house stands: every module imports only from floors below its own, and each library has one door.

The table is the one in ARCHITECTURE.md. A new module needs a floor before it can be imported.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

FLOORS: dict[str, float] = {
    "mcpgen": 0,
    "diagnostics": 0.1,
    "errors": 0.2,
    "invisible": 0,
    "jsonvalue": 0,
    "names": 0,
    "safe_open": 0,
    "addresses": 0,
    "work": 0,
    "confined": 0.1,
    "source_urls": 0.3,
    "tokens": 0.1,
    "assets": 0,
    "options": 1.1,
    "model": 1,
    "tree": 1,
    "promises": 0,
    "origins": 0.2,
    "document": 2,
    "fetch": 2.1,
    "openapi": 3,
    "selection": 3,
    "overlay": 2.2,
    "toolsfile": 3.1,
    "sources": 3.2,
    "flags": 3.2,
    "distinctions": 3.9,
    "merge": 4,
    "base_url": 4.05,
    "joining": 4.1,
    "logins": 4.2,
    "curation": 4.05,
    "lower": 4,
    "choices": 3.9,
    "check": 4.1,
    "crowding": 4.1,
    "unused": 4.1,
    "emit": 5,
    "moves": 6,
    "recognition": 6.1,
    "news": 6,
    "lock": 6,
    "diff": 6.2,
    "orphans": 6,
    "publish": 6.3,
    "changelog": 6.4,
    "pipeline": 7,
    "projects": 7.1,
    "succession": 7.2,
    "demo": 7.3,
    "cli": 8,
    "__main__": 9,
}
"""A decimal orders modules of one floor that know each other: `errors` carry diagnostics, a tools file is read by
OpenAPI's readers, publishing reads locks."""

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


def _files(*folders: str) -> list[Path]:
    return sorted(
        path for folder in folders for path in (ROOT / folder).rglob("*.py") if "__pycache__" not in path.parts
    )


COMPILER = _files("mcpgen")
PACKAGE = _files("templates/package")


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


def _room(module: str) -> str | None:
    """`mcpgen.read.openapi.read` → `openapi`; None for modules of others."""
    parts = module.split(".")
    return None if parts[0] != "mcpgen" else (parts[1] if len(parts) > 1 and parts[1] in FLOORS else "mcpgen")


def _own_room(path: Path) -> str:
    parts = path.relative_to(ROOT / "mcpgen").with_suffix("").parts
    return "mcpgen" if parts == ("__init__",) else parts[0]


@pytest.mark.parametrize("path", COMPILER, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_imports_only_from_floors_below_it(path: Path) -> None:
    room = _own_room(path)
    assert room in FLOORS, f"{room} has no floor: give it one in this table and in ARCHITECTURE.md"
    for module, _, _ in _imports(path):
        other = _room(module)
        if other is not None and other != room:
            assert FLOORS[other] < FLOORS[room], f"{path.relative_to(ROOT)} (floor {FLOORS[room]}) imports {module}"


def test_no_room_imports_itself_in_a_circle() -> None:
    """Inside a room too the imports of modules have no cycle."""
    edges: dict[str, set[str]] = {}
    known = {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for path in COMPILER}
    for path in COMPILER:
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        edges[name] = {module for module, _, _ in _imports(path) if module in known and module != name}
    for name in edges:
        edges[name] = {other for other in edges[name] if not name.startswith(other + ".")}
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, f"a circle: {' -> '.join((*trail, name))}"
        if name not in done:
            for other in sorted(edges.get(name, ())):
                visit(other, (*trail, name))
            done.add(name)

    for name in sorted(edges):
        visit(name, ())


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
