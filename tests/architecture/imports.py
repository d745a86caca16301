"""Read the imports among a set of modules, including late imports and imports for types only."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]

_RELATIVE = re.compile(r"\.+\w+(?:\.\w+)*")


class Arrow(NamedTuple):
    """One import: module `source` imports module `target` in line `line`."""

    source: str
    target: str
    line: int

    def __str__(self) -> str:
        return f"{self.source}:{self.line} imports {self.target}"


def modules(folder: str) -> dict[str, Path]:
    """Return a mapping from dotted names to paths of the modules below a folder.

    Names begin with the folder's own name.
    """
    top, found = ROOT / folder, {}
    for path in sorted(top.rglob("*.py")):
        if "__pycache__" not in path.parts:
            name = ".".join(path.relative_to(top.parent).with_suffix("").parts)
            found[name.removesuffix(".__init__")] = path
    return found


def arrows(sources: Mapping[str, Path]) -> list[Arrow]:
    """Return every import among these modules."""
    found: list[Arrow] = []
    for name, path in sources.items():
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        found += arrows_of(name, package, path.read_text(encoding="utf-8"), sources)
    return found


def arrows_of(name: str, package: str, text: str, known: Collection[str]) -> Iterator[Arrow]:
    """Yield the imports of `known` modules in the text of one module of `package`."""
    for node in ast.walk(ast.parse(text)):
        for imported in _imported(node, package):
            target = imported
            # Not a module: the name is an attribute, so try the part before the dot.
            while target and target not in known:
                target = target.rpartition(".")[0]
            # Skip a package that contains the module: it is always loaded first.
            if target and not f"{name}.".startswith(f"{target}."):
                yield Arrow(name, target, getattr(node, "lineno", 0))


def _imported(node: ast.AST, package: str) -> Iterator[str]:
    """Yield the full names that a syntax node imports, by an import statement or by `import_module("NAME")`."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = _full("." * node.level + (node.module or ""), package)
        yield from (f"{base}.{alias.name}" for alias in node.names)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and _RELATIVE.fullmatch(node.value):
        yield _full(node.value, package)


def _full(name: str, package: str) -> str:
    """Return the full name of a module, which may be relative to `package`."""
    dots = len(name) - len(name.lstrip("."))
    if not dots:
        return name
    parts = package.split(".")
    return ".".join([*parts[: len(parts) - dots + 1], *filter(None, [name[dots:]])])


def circle(found: Iterable[Arrow]) -> list[str]:
    """Return modules that import each other in a circle, with the first one repeated at the end.

    Return [] if there is none.
    """
    targets: dict[str, set[str]] = {}
    for arrow in found:
        targets.setdefault(arrow.source, set()).add(arrow.target)
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> list[str]:
        if name in trail:
            return [*trail[trail.index(name) :], name]
        if name in done:
            return []
        for target in sorted(targets.get(name, ())):
            if way := visit(target, (*trail, name)):
                return way
        done.add(name)
        return []

    return next((way for name in sorted(targets) if (way := visit(name, ()))), [])
