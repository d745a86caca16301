"""`mcpgen generate`: compile SOURCE into a project on disk."""

from dataclasses import replace
from pathlib import Path

import click

from mcpgen.cli import options, report, writing
from mcpgen.cli.writing import Run, WriteFlags
from mcpgen.model.options import Options
from mcpgen.pipeline import Project, name_of
from mcpgen.read import fetch
from mcpgen.read.fetch import Fetched, Network
from mcpgen.regenerate import lost_lock, projects
from mcpgen.regenerate.publish import claimed
from mcpgen.regenerate.regenerate import succeed


@click.command("generate", short_help="Compile SOURCE into a standalone MCP server package.")
@options.source
@click.option("-o", "--output-dir", "directory", metavar="DIR", help="Directory to write to (default: generated/NAME).")
@options.compiling
@options.max_tokens
@options.moves
@options.deploy
@options.of_parts
@click.option(
    "--strict",
    is_flag=True,
    help="If an operation is skipped, a text has hidden characters or a reference is broken, write nothing and fail.",
)
@click.option("--dry-run", is_flag=True, help="List the files that would be written, and write nothing.")
@click.option("--overwrite", is_flag=True, help="Overwrite generated files that were edited by hand.")
@options.output_format
def command(
    source: str,
    directory: str | None,
    flags: Options,
    max_tokens: int | None,
    moves: bool,
    deploy: bool,
    parts: tuple[str, ...],
    strict: bool,
    dry_run: bool,
    overwrite: bool,
    output: str,
) -> None:
    """Compile SOURCE into a standalone MCP server package.

    If the project exists already, tools keep their names, the changes are shown and graded, and your own files stay
    unchanged. This also rebuilds a lock file that is missing.

    WORKFLOWS are Arazzo documents about the operations of SOURCE; each workflow becomes a tool.

    Exit codes: 0 done, 1 findings, 2 cannot go on, 3 another run is at work there.
    """
    flags = replace(flags, max_tokens=max_tokens, deploy=deploy, parts=parts)
    wanted = WriteFlags(Path(), output, strict=strict, dry_run=dry_run, overwrite=overwrite)
    with report.ending(output):
        run = generate(source, directory, flags, wanted, moves=moves)
    writing.finish(run)


def generate(source: str, directory: str | None, flags: Options, wanted: WriteFlags, *, moves: bool = True) -> Run:
    """Compile SOURCE, and write the project into `directory`. If it is None, write to `generated/`, followed by
    the server's name. Raises FatalError on failure.
    """
    fetched = fetch.read(source, flags.ref_dir, Network.of(flags, source))
    target = output_directory(fetched, flags, directory)
    with claimed(target):
        with report.progress("Compiling"):
            succession = succeed(target, fetched, flags, _project(target, source, flags), moves=moves)
        return writing.carry_out(succession, replace(wanted, directory=target))


def output_directory(fetched: Fetched, flags: Options, directory: str | None) -> Path:
    """Return the output directory. Without `--output-dir`, the server's name is found out first."""
    return Path(directory) if directory is not None else Path("generated") / name_of(fetched, flags)


def _project(target: Path, source: str, flags: Options) -> Project:
    lock = projects.lock_of(target) or lost_lock.rebuilt(target)
    return Project(
        lock,
        projects.settings(target),
        projects.recorded(source, target),
        tuple(projects.recorded(path, target) for path in flags.ref_dir),
        tuple(projects.recorded(path, target) for path in flags.overlay),
        tuple(projects.recorded(path, target) for path in flags.workflow_files),
        hooks=projects.has_hooks(target, lock),
    )
