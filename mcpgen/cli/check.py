"""`mcpgen check`: everything that is wrong with SOURCE, and nothing written."""

import contextlib
from collections.abc import Iterator, Sequence

import click

from mcpgen import fetch
from mcpgen.cli import options, report, sarif
from mcpgen.diagnostics import Diagnostic
from mcpgen.errors import CannotGoOn
from mcpgen.fetch import Network
from mcpgen.model import Skipped
from mcpgen.options import Options
from mcpgen.pipeline import compile_source, verdict


@click.command("check", short_help="Report everything that is wrong with SOURCE.")
@options.source
@options.compiling
@click.option(
    "--strict",
    is_flag=True,
    help="Fail for a skipped operation, hidden characters, a broken reference, an invalid document.",
)
@options.findings_format
def command(
    source: str,
    flags: Options,
    strict: bool,
    output: str,
) -> None:
    """Report everything that is wrong with SOURCE: what the compiler finds, and the full verdict of the standard's
    schema.

    Exit codes: 0 nothing that fails, 1 findings, 2 cannot go on.
    """
    with report.ending(output), _ending(output):
        fetched = fetch.read(source, flags.ref_dir, Network(flags.allow_redirect, flags.fetch_header, source))
        compiled = compile_source(fetched, flags)
        with report.progress("Checking against the schema of the standard"):
            full = verdict(compiled.sources)
    found: list[Diagnostic] = [*(d for d in compiled.diagnostics if d.code != "invalid-document"), *full]
    skipped = compiled.catalog.skipped
    _show(found, skipped, len(compiled.catalog.tools), output)
    bad = compiled.failed or any(diagnostic.severity == "error" for diagnostic in full)
    invalid = any(diagnostic.code == "invalid-document" for diagnostic in found)
    strictly_bad = strict and (compiled.failed_strictly or invalid)
    report.leave(report.FINDINGS if bad or strictly_bad else report.DONE)


def _show(found: Sequence[Diagnostic], skipped: Sequence[Skipped], tools: int, output: str) -> None:
    if output == "json":
        report.result_json(
            {
                "tools": tools,
                "skipped": [report.skipped_json(entry) for entry in skipped],
                "diagnostics": [report.diagnostic_json(diagnostic) for diagnostic in found],
            }
        )
    elif output == "sarif":
        report.say_json(sarif.log(found, skipped))
    else:
        report.diagnostics(found, skipped)
        counts = ((tools, "tool"), (len(skipped), "skipped operation"), (len(found), "finding"))
        report.say(", ".join(report.counted(*count) for count in counts) + ".", err=False)


@contextlib.contextmanager
def _ending(output: str) -> Iterator[None]:
    """Turns what ends a run into a SARIF log too, where that is asked for."""
    try:
        yield
    except CannotGoOn as end:
        if output != "sarif":
            raise
        _show([end.diagnostic], (), 0, output)
        report.leave(report.CANNOT_GO_ON)
