"""Compile for an existing project: tools keep their names, and the version is raised according to the gravest change
(breaking, additive or cosmetic).

The lock file stores a tool's name with the method and path of its operation. If the path has changed, the operation is
recognised by its fingerprint, a digest of its contents. So the source is compiled once to find such operations, and
again with the stored names moved to the new paths.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from mcpgen.base.diagnostics import Diagnostic, Where
from mcpgen.emit import parts, unneeded
from mcpgen.lock.lockfile import Lock
from mcpgen.lock.match_operations import moved, renamed
from mcpgen.model.options import NO_PARTS, Options
from mcpgen.pipeline import Compiled, Project, compile_source, versioned
from mcpgen.read.fetch import Fetched
from mcpgen.regenerate import changelog, lost_lock, orphan_hooks, projects
from mcpgen.regenerate.diff import TABLES, Difference, Surface, compare, next_version, of_project
from mcpgen.regenerate.publish import present
from mcpgen.regenerate.publish.present import git_checkout

NOTHING = Difference(())


@dataclass(frozen=True, slots=True)
class NextGeneration:
    """The next generation of a project.

    `compiled`: the result of the compile; its changelog also contains the project's earlier entries. `before`: the
    project's lock file, or None for a new project. `difference`: the changes for callers and operators. `files`:
    generated files that change, without files in which only a version number changes. `compared`: False if the earlier
    JSON files cannot be read, so that the changes are unknown. `unneeded`: in a project whose owner has never chosen
    parts, the files of parts that its tools do not need.
    """

    compiled: Compiled
    before: Lock | None = None
    difference: Difference = NOTHING
    files: tuple[str, ...] = ()
    compared: bool = True
    unneeded: tuple[str, ...] = ()


def succeed(
    directory: Path, fetched: Fetched, options: Options, project: Project, *, moves: bool = True
) -> NextGeneration:
    """Compile the source `fetched` for the project in `directory`. Return the result, with the changes since the
    project's last compile. A new project has no changes.

    Raises FatalError if a file of the project cannot be read.
    """
    project = lost_lock.placed(fetched, options, project)
    compiled = compile_after(fetched, options, project, moves=moves)
    lock = project.lock
    if lock is None:
        return NextGeneration(compiled)
    before = projects.surface(directory, lock)
    difference: Difference | None = None
    if before is not None:
        difference = replace(compare(before, surface_of(compiled), moves=moves), since=lock.version)
    elif _tables(lock) == _tables(compiled.lock):
        difference = NOTHING
    files = _changed(lock, compiled.lock)
    if files and difference is not None and not compiled.pinned:
        part = difference.version if difference else "patch"
        compiled = versioned(compiled, next_version(lock.version, part))
    found = [*compiled.diagnostics, *_orphans(directory, compiled, lock)]
    if difference is None:
        found.append(_unreadable(directory, lock))
    if lock.rebuilt:
        found.append(lost_lock.warning(directory, lock))
    tree, continued = changelog.continued(directory, compiled.tree, compiled.lock, lock, difference, files)
    compiled = replace(compiled, tree=tree, lock=continued, diagnostics=tuple(found))
    idle: list[str] = []
    if compiled.lock.parts is None:
        implied = parts.chosen((NO_PARTS,), deploy=compiled.lock.options.deploy, hooks=project.hooks)
        idle = unneeded(tree, compiled.catalog.identity, implied)
    return NextGeneration(compiled, lock, difference or NOTHING, files, difference is not None, tuple(idle))


def _tables(lock: Lock) -> dict[str, str | None]:
    """Return the digests of the JSON files that describe a server, from the lock file of its project."""
    return {path: lock.files.get(path) for path in (f"{lock.package}/{name}" for name in TABLES)}


def _unreadable(directory: Path, lock: Lock) -> Diagnostic:
    """Return the warning about a project whose changes are unknown. An unknown change never raises the version."""
    message = (
        f"The tools.json or bindings.json of the project in {directory} cannot be read, so the changes are unknown, "
        f"and the version stays {lock.version}."
    )
    command = git_checkout(directory, (path for path, known in _tables(lock).items() if known))
    hint = f"Restore the files from version control, such as with `{command}`, and generate again."
    return Diagnostic("tables-unreadable", message, hint, Where(str(directory / lock.package / "tools.json")))


def _orphans(directory: Path, compiled: Compiled, before: Lock) -> Iterator[Diagnostic]:
    """Yield warnings for the user's hooks that are no longer called."""
    package = compiled.catalog.identity.package
    own, former = f"{package}/hooks.py", f"{before.package}/hooks.py"
    names = [tool.name for tool in compiled.catalog.tools]
    if (data := present(directory, own, first=orphan_hooks.LARGEST + 1)) is not None:
        yield from orphan_hooks.hooks(data, str(directory / own), names, compiled.lock.promises.retired)
    unedited = compiled.tree[own]
    if former != own and present(directory, former, first=len(unedited) + 1) not in (None, unedited):
        message = f"The hooks in this file are never called: the package of the server is now {package}."
        yield Diagnostic("orphaned-hook", message, f"Move the hooks to {own}.", Where(str(directory / former)))


def _changed(before: Lock, after: Lock) -> tuple[str, ...]:
    """Return the paths of generated files that are new, changed or missing in `after`, compared with `before`.

    The changelog is not compared.
    """
    paths = (before.files.keys() | after.files.keys()) - {changelog.NAME}
    return tuple(sorted(path for path in paths if before.files.get(path) != after.files.get(path)))


def surface_of(compiled: Compiled) -> Surface:
    """Describe a compiled server for comparisons, as a `Surface`, from the JSON files that the compile would write."""
    package = compiled.catalog.identity.package
    tables = {name: data for name in TABLES if (data := compiled.tree.get(f"{package}/{name}")) is not None}
    return of_project(tables, compiled.lock)


def compile_after(fetched: Fetched, options: Options, project: Project, *, moves: bool = True) -> Compiled:
    """Compile `fetched` for `project`, so that tools keep their names if their operation's path has changed.

    If such an operation is found, the source is compiled a second time. If `moves` is False, only a renamed path
    parameter counts as a changed path.
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
