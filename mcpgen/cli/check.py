"""`mcpgen check`: everything that is wrong with SOURCE, and nothing written."""

import click

from mcpgen import fetch
from mcpgen.cli import options, report
from mcpgen.diagnostics import Diagnostic
from mcpgen.pipeline import Options, compile_source, verdict


@click.command("check", short_help="Report everything that is wrong with SOURCE.")
@options.source
@options.compiling
@click.option("--strict", is_flag=True, help="Fail where an operation had to be skipped, or the document is not valid.")
@options.output_format
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
    with report.ending(output):
        fetched = fetch.read(source, flags.ref_dirs)
        compiled = compile_source(fetched, flags)
        with report.progress("Checking against the schema of the standard"):
            full = verdict(fetched)
    found: list[Diagnostic] = [*(d for d in compiled.diagnostics if d.code != "invalid-document"), *full]
    skipped = compiled.catalog.skipped
    if output == "json":
        report.result_json(
            {
                "tools": len(compiled.catalog.tools),
                "skipped": [report.skipped_json(entry) for entry in skipped],
                "diagnostics": [report.diagnostic_json(diagnostic) for diagnostic in found],
            }
        )
    else:
        report.diagnostics(found, skipped)
        counts = ((len(compiled.catalog.tools), "tool"), (len(skipped), "skipped operation"), (len(found), "finding"))
        report.say(", ".join(report.counted(*count) for count in counts) + ".", err=False)
    bad = any(diagnostic.severity == "error" for diagnostic in found)
    strictly_bad = strict and (bool(skipped) or any(diagnostic.code == "invalid-document" for diagnostic in found))
    report.leave(report.FINDINGS if bad or strictly_bad else report.DONE)
