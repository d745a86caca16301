"""`mcpgen diff`: list and grade the changes between two versions of an API or a project.

The files of a project are read as they were generated. A document compared to a project is compiled as that project
would compile it: with its flags, its mcpgen.yaml and the names in its lock. Of two documents, the later one keeps the
names of the earlier one. So the list contains only changes that generating the project again would make.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from mcpgen.base.diagnostics import Diagnostic, Where
from mcpgen.base.errors import FatalError
from mcpgen.base.jsonvalue import JsonObject, as_object, as_text
from mcpgen.base.plurals import counted
from mcpgen.base.source_urls import without_secrets
from mcpgen.cli import differences, options, report
from mcpgen.model.options import Options
from mcpgen.pipeline import Compiled, Project, compile_source
from mcpgen.read import fetch
from mcpgen.read.fetch import Network
from mcpgen.regenerate import projects
from mcpgen.regenerate.diff import Difference, Surface, compare
from mcpgen.regenerate.diff.lines import markdown_document
from mcpgen.regenerate.publish import no_lock, previous_lock
from mcpgen.regenerate.publish.emitted import packages
from mcpgen.regenerate.regenerate import compile_after, surface_of


@click.command("diff", short_help="List the changes from OLD to NEW, each graded breaking, additive or cosmetic.")
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@options.workflow_files
@options.compiling
@click.option(
    "--old-workflows",
    multiple=True,
    metavar="FILE",
    help="Arazzo document of OLD, if it has others than WORKFLOWS; repeatable.",
)
@options.moves
@options.fail_on
@options.difference_format
def command(
    old: str,
    new: str,
    flags: Options,
    old_workflows: tuple[str, ...],
    moves: bool,
    fail_on: str | None,
    output: str,
) -> None:
    """List the changes from OLD to NEW, and grade them. Each is an API description, a tools file, or the directory of a
    generated project.

    Breaking: a call that worked, or code that reads a result, may no longer work. Additive: something is new. Cosmetic:
    only human readers notice. If one side is a project and the other a document, the document is compiled as that
    project would compile it: with its flags, its mcpgen.yaml and the tool names that its lock file keeps.

    WORKFLOWS are Arazzo documents about the operations of OLD and NEW.

    Exit codes: 0 done, 1 findings (a change that --fail-on names, an error in a document), 2 cannot go on.
    """
    if old == new == "-":
        raise click.UsageError("Only one of OLD and NEW can be standard input.")
    with report.ending(output), report.progress("Comparing"):
        earlier = replace(flags, workflow_files=old_workflows or flags.workflow_files)
        before, after = _both(old, new, earlier, flags, moves=moves)
        difference = replace(compare(before.surface, after.surface, moves=moves), since=before.released)
    errors = [*_errors(before), *_errors(after)]
    if output == "json":
        report.result_json(_document(before, after, difference, errors))
    else:
        report.diagnostics(errors)
        _say_skipped(after)
        if output == "markdown":
            report.say_lines(markdown_document(difference).split("\n"), err=False)
        else:
            differences.show(difference)
    failed = fail_on is not None and difference.reaches(options.FAILING[fail_on])
    report.leave(report.FINDINGS if failed or errors else report.DONE)


def _errors(side: _Side) -> list[Diagnostic]:
    found = side.compiled.diagnostics if side.compiled is not None else ()
    return [diagnostic for diagnostic in found if diagnostic.severity == "error"]


def _say_skipped(side: _Side) -> None:
    """Report that operations of NEW were skipped, since a tool may be missing for this reason."""
    skipped = side.compiled.catalog.skipped if side.compiled is not None else ()
    if skipped:
        count = counted(len(skipped), "operation")
        report.say(f"{count} of {side.source} could not be compiled; `mcpgen check` says why.", fg="yellow")


def _document(old: _Side, new: _Side, difference: Difference, errors: Sequence[Diagnostic]) -> JsonObject:
    """Return the JSON output of `diff`: both versions, all changes, skipped operations and errors.

    The caller adds the member `schema`, the version of the output format.
    """
    skipped = new.compiled.catalog.skipped if new.compiled is not None else ()
    return {
        "old": _side(old),
        "new": _side(new),
        "summary": differences.summary_json(difference),
        "changes": differences.changes_json(difference),
        "skipped": [report.skipped_json(entry) for entry in skipped],
        "diagnostics": [report.diagnostic_json(error) for error in errors],
    }


def _side(side: _Side) -> JsonObject:
    return {
        "source": side.source,
        "kind": "project" if side.compiled is None else "document",
        "name": as_object(side.surface.header.get("server")).get("name"),
        "version": side.version,
        "tools": len(side.surface.tools),
    }


@dataclass(frozen=True, slots=True)
class _Side:
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


def _both(old: str, new: str, earlier: Options, flags: Options, *, moves: bool) -> tuple[_Side, _Side]:
    """Return the two versions to compare for the arguments `old` and `new`, each a document or a directory.

    `earlier`: the flags with which `old` is compiled; `flags`: those for `new`.

    Raises FatalError if a document or project cannot be read.
    """
    if Path(new).is_dir():
        after = _generated(new)
        return _generated(old) if Path(old).is_dir() else _compiled(old, earlier, after.project), after
    before = _generated(old) if Path(old).is_dir() else _compiled(old, earlier, Project())
    return before, _after(before, new, flags, moves)


def _after(before: _Side, source: str, flags: Options, moves: bool) -> _Side:
    """Return the version in `source`, compiled with the names and settings of the older version `before`."""
    compiled = compile_after(_read(source, flags, before.project), flags, before.project, moves=moves)
    return _of(compiled, source)


def _compiled(source: str, flags: Options, project: Project) -> _Side:
    return _of(compile_source(_read(source, flags, project), flags, project), source)


def _read(source: str, flags: Options, project: Project) -> fetch.Fetched:
    allowed = flags.allow_redirect or project.recorded.allow_redirect
    network = Network.of(replace(flags, allow_redirect=allowed), source)
    return fetch.read(source, flags.ref_dir or project.recorded.ref_dir, network)


def _of(compiled: Compiled, source: str) -> _Side:
    return _Side(without_secrets(source), surface_of(compiled), Project(compiled.lock), compiled)


def _generated(source: str) -> _Side:
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
    return _Side(source, surface, projects.remembered(directory))
