"""Read the two versions to compare: the generated JSON files of a project, or those compiled from a document.

The files of a project are read as they were generated. A document compared to a project is compiled as that project
would compile it: with its flags, its mcpgen.yaml and the names in its lock. Of two documents, the later one keeps the
names of the earlier one. So the list contains only changes that generating the project again would make.
"""

from dataclasses import dataclass
from pathlib import Path

from mcpgen.base.diagnostics import Where
from mcpgen.base.errors import FatalError
from mcpgen.base.jsonvalue import as_object, as_text
from mcpgen.base.source_urls import without_secrets
from mcpgen.model.options import Options
from mcpgen.pipeline import Compiled, Project, compile_source
from mcpgen.read import fetch
from mcpgen.read.fetch import Network
from mcpgen.regenerate import projects
from mcpgen.regenerate.diff import Surface
from mcpgen.regenerate.publish import no_lock, previous_lock
from mcpgen.regenerate.publish.emitted import packages
from mcpgen.regenerate.regenerate import compile_after, surface_of


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two versions that are compared.

    `surface`: the generated JSON files that describe its tools. `project`: its names and settings, with which the other
    version is compiled if that version is a document. `compiled`: None if the JSON files were read from a project on
    disk.
    """

    source: str
    surface: Surface
    project: Project
    compiled: Compiled | None = None

    @property
    def version(self) -> str:
        return as_text(as_object(self.surface.header.get("server")).get("version"))

    @property
    def released(self) -> str:
        """Return the version of a project's package, or "" for a document, which has none."""
        return self.version if self.compiled is None else ""


def both(old: str, new: str, flags: Options, *, moves: bool) -> tuple[Side, Side]:
    """Return the two versions to compare for the arguments `old` and `new`, each a document or a directory.

    Raises FatalError if a document or project cannot be read.
    """
    if Path(new).is_dir():
        after = _generated(new)
        return _generated(old) if Path(old).is_dir() else _compiled(old, flags, after.project), after
    before = _generated(old) if Path(old).is_dir() else _compiled(old, flags, Project())
    return before, _after(before, new, flags, moves)


def _after(before: Side, source: str, flags: Options, moves: bool) -> Side:
    """Return the version in `source`, compiled with the names and settings of the older version `before`."""
    compiled = compile_after(_read(source, flags, before.project), flags, before.project, moves=moves)
    return _of(compiled, source)


def _compiled(source: str, flags: Options, project: Project) -> Side:
    return _of(compile_source(_read(source, flags, project), flags, project), source)


def _read(source: str, flags: Options, project: Project) -> fetch.Fetched:
    network = Network(flags.allow_redirect or project.recorded.allow_redirect, flags.fetch_header, source)
    return fetch.read(source, flags.ref_dir or project.recorded.ref_dir, network)


def _of(compiled: Compiled, source: str) -> Side:
    return Side(without_secrets(source), surface_of(compiled), Project(compiled.lock), compiled)


def _generated(source: str) -> Side:
    """Read the project in the directory `source` from its generated JSON files."""
    directory = Path(source)
    lock = previous_lock(directory)
    if lock is None and packages(directory):
        raise no_lock(directory)
    if lock is None:
        hint = "Name an OpenAPI document, a tools file, or the directory of a generated project."
        raise FatalError("unreadable", f"{source} is a directory without a generated project.", hint=hint)
    surface = projects.surface(directory, lock)
    if surface is None:
        raise FatalError(
            "unreadable",
            f"The tools.json or bindings.json of the project in {source} cannot be read.",
            Where(str(directory / lock.package / "tools.json")),
            "Restore the file from version control, or generate the project again.",
        )
    return Side(source, surface, projects.remembered(directory))
