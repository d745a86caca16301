"""A compile that follows what was there before: names that hold, the difference, and the version that says how grave
it is.

A lock promises a name to an operation by its method and path. Where the path is another one, what the tool is tells
that it is the same operation, so it has to be compiled before its name can be promised.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from mcpgen.base.diagnostics import Diagnostic, Where
from mcpgen.lock.lockfile import Lock
from mcpgen.lock.match_operations import moved, renamed
from mcpgen.model.options import Options
from mcpgen.pipeline import Compiled, Project, compile_source, versioned
from mcpgen.read.fetch import Fetched
from mcpgen.regenerate import changelog, orphan_hooks, projects
from mcpgen.regenerate.diff import TABLES, Difference, Surface, compare, of_tables
from mcpgen.regenerate.publish import present

NOTHING = Difference(())
_PARTS = ("major", "minor", "patch")
_RELEASE = re.compile(r"\d{1,9}(?:\.\d{1,9}){0,2}(?!\d)")


@dataclass(frozen=True, slots=True)
class Succession:
    """What a project becomes: its `compiled` next generation, whose tree has the history of the project in it.

    `before` is the lock that it follows, None where there was no project; `difference` what changed for whoever uses
    its tools, `files` which generated files changed, apart from what a version moves.
    """

    compiled: Compiled
    before: Lock | None = None
    difference: Difference = NOTHING
    files: tuple[str, ...] = ()


def succeed(directory: Path, fetched: Fetched, options: Options, project: Project, *, moves: bool = True) -> Succession:
    """The compile of `fetched` over the project in `directory`, if there is one. CannotGoOn where a file of it cannot
    be read.
    """
    compiled = compile_after(fetched, options, project, moves=moves)
    lock = project.lock
    if lock is None:
        return Succession(compiled)
    before = projects.surface(directory, lock)
    difference: Difference | None
    if before is not None:
        difference = compare(before, surface_of(compiled), moves=moves)
    else:
        difference = NOTHING if lock.promises.tools == compiled.lock.promises.tools else None
    files = _changed(lock, compiled.lock)
    if files and not compiled.pinned:
        part = "major" if difference is None else difference.version if difference else "patch"
        compiled = versioned(compiled, next_version(lock.version, part))
    compiled = replace(compiled, diagnostics=(*compiled.diagnostics, *_orphans(directory, compiled, lock)))
    tree, continued = changelog.continued(directory, compiled.tree, compiled.lock, lock, difference, files)
    return Succession(replace(compiled, tree=tree, lock=continued), lock, difference or NOTHING, files)


def _orphans(directory: Path, compiled: Compiled, before: Lock) -> Iterator[Diagnostic]:
    """What of the user's hooks is called no more."""
    package = compiled.catalog.identity.package
    own, former = f"{package}/hooks.py", f"{before.package}/hooks.py"
    names = [tool.name for tool in compiled.catalog.tools]
    if (data := present(directory, own, first=orphan_hooks.LARGEST + 1)) is not None:
        yield from orphan_hooks.hooks(data, str(directory / own), names, compiled.lock.promises.retired)
    unedited = compiled.tree[own]
    if former != own and present(directory, former, first=len(unedited) + 1) not in (None, unedited):
        message = f"These hooks are never called: the package is {package} now."
        yield Diagnostic("orphaned-hook", message, f"Move them to {own}.", Where(str(directory / former)))


def _changed(before: Lock, after: Lock) -> tuple[str, ...]:
    """The generated files that are other ones, or gone, or new."""
    paths = (before.files.keys() | after.files.keys()) - {changelog.NAME}
    return tuple(sorted(path for path in paths if before.files.get(path) != after.files.get(path)))


def next_version(version: str, part: str) -> str:
    """`version` with its part `major`, `minor` or `patch` moved (Semantic Versioning 2.0.0, 6 to 8)."""
    numbers, place = release(version), _PARTS.index(part)
    return ".".join(map(str, [*numbers[:place], numbers[place] + 1, *[0] * (2 - place)]))


def release(version: str) -> tuple[int, ...]:
    """The three numbers of a version; zero where one is not there."""
    found = _RELEASE.match(version)
    numbers = [int(number) for number in found[0].split(".")] if found else []
    return (*numbers, 0, 0, 0)[:3]


def surface_of(compiled: Compiled) -> Surface:
    """What the tables of a compile say."""
    package = compiled.catalog.identity.package
    tables = {name: data for name in TABLES if (data := compiled.tree.get(f"{package}/{name}")) is not None}
    return of_tables(tables, compiled.lock.promises.tools)


def compile_after(fetched: Fetched, options: Options, project: Project, *, moves: bool = True) -> Compiled:
    """The compile of `fetched` in `project`, where operations that moved keep what was promised of them; only without
    `moves` they are new ones. It is compiled twice where one moved.
    """
    compiled, lock = compile_source(fetched, options, project), project.lock
    if lock is None:
        return compiled
    before, after = lock.promises, compiled.lock.promises.tools
    kept = before.kept
    gone = {key: known for key, known in before.tools.items() if key not in after}
    new = {key: known for key, known in after.items() if key not in before.tools and key not in kept}
    found = (moved if moves else renamed)(gone, new)
    if not found:
        return compiled
    lock = replace(lock, promises=before.moved(found))
    return compile_source(fetched, options, replace(project, lock=lock))
