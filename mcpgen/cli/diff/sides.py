"""The two sides of a comparison: what their tables say, read from a project or compiled from a document.

A project is what was generated, whatever became of its source, so its tables are read. A document beside a project is
compiled as that project would be: with its flags, its mcpgen.yaml and the names that its lock promises. Of two
documents the later one keeps the names of the earlier one. So only what generating again would change is a difference.
"""

from dataclasses import dataclass, replace
from pathlib import Path

from mcpgen import fetch
from mcpgen.cli import options
from mcpgen.diagnostics import Where
from mcpgen.diff import TABLES, Surface, of_tables
from mcpgen.errors import CannotGoOn
from mcpgen.jsonvalue import as_object, as_text
from mcpgen.lock import Lock
from mcpgen.model import Identity
from mcpgen.options import Options
from mcpgen.pipeline import Compiled, Project, compile_source
from mcpgen.publish import present, previous_lock
from mcpgen.succession import compile_after, surface_of


@dataclass(frozen=True, slots=True)
class Side:
    """One side. `lock` is what would hold its names; `compiled` is None for a project."""

    source: str
    surface: Surface
    lock: Lock
    compiled: Compiled | None = None

    @property
    def version(self) -> str:
        return as_text(as_object(self.surface.header.get("server")).get("version"))


def both(old: str, new: str, flags: Options) -> tuple[Side, Side]:
    """The sides that `old` and `new` name. CannotGoOn where one cannot be read."""
    projects = Path(old).is_dir(), Path(new).is_dir()
    if all(projects):
        return _generated(old), _generated(new)
    if projects[0]:
        before = _generated(old)
        return before, _like(before, new, flags, Path(old))
    if projects[1]:
        after = _generated(new)
        return _compiled(old, *_as_in(after.lock, Path(new), flags)), after
    before = _compiled(old, flags, Project())
    return before, _like(before, new, flags, None)


def _like(before: Side, source: str, flags: Options, directory: Path | None) -> Side:
    """`source` compiled after `before`."""
    given, project = _as_in(before.lock, directory, flags) if directory else (flags, Project(before.lock))
    return _of(compile_after(before.surface, fetch.read(source, given.ref_dir), given, project), source)


def _as_in(lock: Lock, directory: Path, flags: Options) -> tuple[Options, Project]:
    """How the project in `directory` compiles a document, but for what `flags` say."""
    own = replace(lock.options, ref_dir=tuple(str(directory / path) for path in lock.options.ref_dir))
    return flags.over(own), Project(lock, options.settings(directory), lock.source)


def _compiled(source: str, flags: Options, project: Project) -> Side:
    return _of(compile_source(fetch.read(source, flags.ref_dir), flags, project), source)


def _of(compiled: Compiled, source: str) -> Side:
    return Side(source, surface_of(compiled), compiled.lock, compiled)


def _generated(source: str) -> Side:
    """The project in the directory `source`, by its tables."""
    directory = Path(source)
    lock = previous_lock(directory)
    if lock is None:
        hint = "Name a document, or the directory that was generated."
        raise CannotGoOn("unreadable", f"{source} is a directory without a generated project.", hint=hint)
    package = Identity(lock.options.name or "", "", "").package
    tables = {name: data for name in TABLES if (data := present(directory, f"{package}/{name}")) is not None}
    try:
        surface = of_tables(tables, {name: key for key, name in lock.tools.items()})
    except (KeyError, ValueError, RecursionError):
        raise CannotGoOn(
            "unreadable",
            f"The tables of the project in {source} cannot be read.",
            Where(str(directory / package / "tools.json")),
            "Restore them from version control, or generate again.",
        ) from None
    return Side(source, surface, lock)
