"""Implement `mcpgen regenerate`: compile a project again with its stored source and flags."""

from dataclasses import replace
from pathlib import Path

import click

from mcpgen.base.errors import FatalError
from mcpgen.base.secrets import LEFT_OUT
from mcpgen.cli import options, report, writing
from mcpgen.cli.writing import WriteFlags
from mcpgen.model.options import Options
from mcpgen.pipeline import Project
from mcpgen.read import fetch
from mcpgen.read.fetch import Fetched, Network
from mcpgen.regenerate import projects
from mcpgen.regenerate.publish import claimed
from mcpgen.regenerate.regenerate import succeed


@click.command("regenerate", short_help="Compile the source of the project in DIR again.")
@click.argument("directory", metavar="[DIR]", default=".", type=click.Path(path_type=Path))
@click.option("--source", metavar="NEW", help="Read this source from now on: a path or an http(s) URL.")
@options.allow_redirect
@click.option("--check", is_flag=True, help="Write nothing, and exit with 1 if the project is out of date.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and write nothing.")
@options.accept_origin
@options.of_parts
@options.fail_on
@options.moves
@click.option(
    "--strict",
    is_flag=True,
    help="If an operation is skipped, a text has hidden characters or a reference is broken, write nothing and fail.",
)
@click.option("--overwrite", is_flag=True, help="Overwrite generated files that were edited by hand.")
@options.difference_format
def command(
    directory: Path,
    source: str | None,
    allow_redirect: tuple[str, ...],
    check: bool,
    dry_run: bool,
    accept_origin: tuple[str, ...],
    parts: tuple[str, ...],
    fail_on: str | None,
    moves: bool,
    strict: bool,
    overwrite: bool,
    output: str,
) -> None:
    """Compile the generated project in DIR again, with its stored source and flags; DIR defaults to the current
    directory.

    Shows the changes with their grades, then writes them. Tools keep their names, even if their operations moved.
    mcpgen.yaml, hooks.py and other files of yours stay unchanged. With --fail-on, nothing is written if a change has at
    least that grade.

    Exit codes: 0 done, 1 findings (a stale project under --check, a change that --fail-on names, an error in the
    source), 2 cannot go on, 3 another run is at work there.
    """
    with report.ending(output), claimed(directory):
        project = projects.remembered(directory)
        recorded = project.source
        if source is not None:
            project = replace(project, source=projects.recorded(source, directory))
        flags = Options(allow_redirect=allow_redirect, accept_origin=accept_origin, parts=parts)
        _refuse_unreadable(directory, project, given=source is not None)
        network = Network.of(flags.over(project.recorded), recorded)
        fetched = _fetched(directory, project, source, network)
        with report.progress("Compiling"):
            succession = succeed(directory, fetched, flags, project, moves=moves)
        wanted = WriteFlags(directory, output, strict, dry_run, check, overwrite, fail_on)
        run = writing.carry_out(succession, wanted)
    writing.finish(run)


def _fetched(directory: Path, project: Project, source: str | None, network: Network) -> Fetched:
    """Read the source given on the command line, or else the source that the project stores.

    Raises FatalError if the source cannot be read or is no longer there.
    """
    if source is not None:
        return fetch.read(source, project.recorded.ref_dir, network)
    try:
        return fetch.read(projects.located(directory, project.source), project.recorded.ref_dir, network)
    except FatalError as end:
        if end.diagnostic.code == "unreadable":
            end.diagnostic = replace(end.diagnostic, hint="Restore the source, or name another one with --source.")
        raise


def _refuse_unreadable(directory: Path, project: Project, *, given: bool) -> None:
    """Raise FatalError if the project could not store its source, because it was a stream or a URL with a secret."""
    message = ""
    if project.source == "-" and not given:
        message = f"{directory} was generated from standard input, which cannot be read again."
    elif LEFT_OUT in project.source and not given:
        message = f"{directory} was generated from a URL with a secret, which mcpgen does not store."
    if message:
        raise FatalError("no-source", message, hint="Name the document or the tools file with --source.")
    if any(LEFT_OUT in path for path in project.recorded.overlay):
        message = (
            f"{directory} was generated with an overlay whose URL contains a secret, and mcpgen stores no secrets."
        )
        raise FatalError("no-source", message, hint="Run `mcpgen generate` with the flags of the first run.")
