"""`mcpgen generate`: SOURCE → a project on disk."""

import os
from dataclasses import replace
from pathlib import Path

import click

from mcpgen import changelog, fetch
from mcpgen.cli import options, report, signals
from mcpgen.fetch import Fetched
from mcpgen.options import Options
from mcpgen.pipeline import Compiled, Project, compile_source
from mcpgen.publish import Plan, plan, previous_lock, publish

MOST = 5
"""Findings of one code that are shown; the project matters here, `mcpgen check` shows the document."""


@click.command("generate", short_help="Compile SOURCE into a standalone MCP server package.")
@options.source
@click.option("-o", "--output-dir", "directory", metavar="DIR", help="Where to write; generated/NAME if not given.")
@options.compiling
@options.max_tokens
@click.option("--strict", is_flag=True, help="Write nothing and fail where an operation had to be skipped.")
@click.option("--dry-run", is_flag=True, help="Say what would be written, and write nothing.")
@click.option("--overwrite", is_flag=True, help="Lose edits of generated files.")
@options.output_format
def command(
    source: str,
    directory: str | None,
    flags: Options,
    max_tokens: int | None,
    strict: bool,
    dry_run: bool,
    overwrite: bool,
    output: str,
) -> None:
    """Compile SOURCE into a standalone MCP server package.

    Exit codes: 0 done, 1 findings, 2 cannot go on.
    """
    flags = replace(flags, max_tokens=max_tokens)
    with report.ending(output):
        fetched = fetch.read(source, flags.ref_dir)
        target, compiled = _compile(fetched, flags, directory, source)
        failed = compiled.failed or (strict and bool(compiled.catalog.skipped))
        previous = previous_lock(target)
        tree, _ = changelog.continued(target, compiled.tree, compiled.lock, previous)
        planned = plan(target, tree, compiled.user_files, previous, carried=[changelog.NAME], overwrite=overwrite)
        if not failed and not dry_run:
            with signals.held():
                publish(planned, tree)
    _report(compiled, planned, output, dry_run=dry_run, failed=failed)
    report.leave(report.FINDINGS if failed else report.DONE)


def _compile(fetched: Fetched, flags: Options, directory: str | None, source: str) -> tuple[Path, Compiled]:
    """The compile against the project in the output directory, whose name may only be known after a first one."""
    if directory is not None:
        target = Path(directory)
        return target, compile_source(fetched, flags, _project(target, source, flags))
    compiled = compile_source(fetched, flags)
    target = Path("generated") / compiled.catalog.identity.name
    return target, compile_source(fetched, flags, _project(target, source, flags))


def _project(target: Path, source: str, flags: Options) -> Project:
    return Project(
        previous_lock(target),
        options.settings(target),
        _recorded(source, target),
        tuple(_recorded(path, target) for path in flags.ref_dir),
        tuple(_recorded(path, target) for path in flags.overlay),
    )


def _recorded(source: str, target: Path) -> str:
    """A path as the lock remembers it: relative to the project, with forward slashes on every system."""
    if source == "-" or source.startswith(("http://", "https://")):
        return source
    try:
        return Path(os.path.relpath(source, target)).as_posix()
    except ValueError:  # another drive
        return Path(source).absolute().as_posix()


def _report(compiled: Compiled, planned: Plan, output: str, *, dry_run: bool, failed: bool) -> None:
    catalog = compiled.catalog
    written, would = not failed and not dry_run, not failed and dry_run
    if output == "json":
        report.result_json(
            {
                "directory": str(planned.directory),
                "server": {"name": catalog.identity.name, "package": catalog.identity.package},
                "tools": [tool.name for tool in catalog.tools],
                "written": list(planned.write) if written else [],
                "removed": list(planned.remove) if written else [],
                "wouldWrite": list(planned.write) if would else [],
                "wouldRemove": list(planned.remove) if would else [],
                "skipped": [report.skipped_json(entry) for entry in catalog.skipped],
                "diagnostics": [report.diagnostic_json(diagnostic) for diagnostic in compiled.diagnostics],
            }
        )
        return
    report.diagnostics(compiled.diagnostics, catalog.skipped, most=MOST)
    what = report.counted(len(catalog.tools), "tool")
    if catalog.skipped:
        what += f", {report.counted(len(catalog.skipped), 'operation')} skipped"
    if failed:
        report.say(f"{catalog.identity.title}: {what}. Nothing was written.", fg="red")
        return
    wrote, removed = ("wrote", "removed") if written else ("would write", "would remove")
    done = f"{wrote} {report.counted(len(planned.write), 'file')} to {planned.directory}"
    if planned.remove:
        done += f", {removed} {report.counted(len(planned.remove), 'file')}"
    report.say(f"{catalog.identity.title}: {what}; {done}.", err=False)
    if written and planned.write:
        report.say(f"Try it: cd {planned.directory} && python -m {catalog.identity.package} --list", err=False)
