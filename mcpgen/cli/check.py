"""`mcpgen check`: report all problems of SOURCE, and write nothing."""

import contextlib
from collections import Counter
from collections.abc import Iterator, Sequence

import click

from mcpgen.base.diagnostics import Diagnostic
from mcpgen.base.errors import FatalError
from mcpgen.base.jsonvalue import JsonObject
from mcpgen.base.plurals import counted
from mcpgen.cli import options, report, sarif
from mcpgen.cli.report import Finding, group
from mcpgen.model import Catalog, Skipped
from mcpgen.model.options import Options
from mcpgen.pipeline import compile_source, verdict
from mcpgen.read import fetch
from mcpgen.read.fetch import Network


@click.command("check", short_help="Report everything that is wrong with SOURCE.")
@options.source
@options.compiling
@click.option(
    "--strict",
    is_flag=True,
    help=(
        "Fail if an operation is skipped, a text has hidden characters, a reference is broken, or the "
        "document is invalid."
    ),
)
@options.findings_format
def command(
    source: str,
    flags: Options,
    strict: bool,
    output: str,
) -> None:
    """Report all problems of SOURCE: the findings of the compiler, and all violations of the official OpenAPI schema.

    Exit codes: 0 nothing that fails, 1 findings, 2 cannot go on.
    """
    with report.ending(output), _ending(output):
        fetched = fetch.read(source, flags.ref_dir, Network.of(flags, source))
        compiled = compile_source(fetched, flags)
        with report.progress("Checking the document against the OpenAPI schema"):
            full = verdict(compiled.sources)
    found: list[Diagnostic] = [*(d for d in compiled.diagnostics if d.code != "invalid-document"), *full]
    skipped = compiled.catalog.skipped
    _show(found, skipped, compiled.catalog, output)
    bad = compiled.failed or any(diagnostic.severity == "error" for diagnostic in full)
    invalid = any(diagnostic.code == "invalid-document" for diagnostic in found)
    strictly_bad = strict and (compiled.failed_strictly or invalid)
    report.leave(report.FINDINGS if bad or strictly_bad else report.DONE)


def _show(found: Sequence[Diagnostic], skipped: Sequence[Skipped], catalog: Catalog | None, output: str) -> None:
    """Print the findings. `catalog`: the tools, None if a fatal error ended the run."""
    tools = len(catalog.tools) if catalog else 0
    findings = group(found, skipped)
    if output == "json":
        report.result_json(
            {
                "summary": _summary(findings, len(skipped)),
                "tools": tools,
                "skipped": [report.skipped_json(entry) for entry in skipped],
                "diagnostics": [report.finding_json(finding) for finding in findings if not finding.operation],
                **({"webhooks": report.webhooks_json(catalog.webhooks)} if catalog and catalog.webhooks else {}),
            }
        )
    elif output == "sarif":
        report.say_json(sarif.log(findings))
    else:
        counts = ((tools, "tool"), (len(skipped), "skipped operation"), (len(found), "finding"))
        told = ", ".join(counted(*count) for count in counts)
        report.say(f"{told}. {_verdict(findings)}".rstrip(), err=False)
        report.findings(findings)
        report.webhooks(catalog.webhooks if catalog else ())


def _summary(findings: Sequence[Finding], skipped: int) -> JsonObject:
    """Return the counts of a report as JSON.

    `inTheWay`: findings that cost the user a tool. `skipped`: operations without a tool. `errors`, `warnings`, `notes`:
    findings by severity.
    """
    told = [finding for finding in findings if not finding.operation]
    by_severity = Counter[str]()
    for finding in told:
        by_severity[finding.diagnostic.severity] += finding.count
    stopping = sum(finding.count for finding in findings if finding.is_in_the_way)
    return {
        "inTheWay": stopping,
        "skipped": skipped,
        **{f"{severity}s": by_severity[severity] for severity in ("error", "warning", "note")},
    }


def _verdict(findings: Sequence[Finding]) -> str:
    """Return a sentence on how many findings are obstacles (`Finding.is_in_the_way`), or "" without findings.

    A finding is an obstacle if a tool is missing, a tool cannot be called, or nothing is written.
    """
    stopping = sum(finding.count for finding in findings if finding.is_in_the_way)
    if not findings:
        return ""
    if not stopping:
        return "None of these findings removes a tool or makes calls fail."
    return f"Findings that remove tools, make calls fail or stop mcpgen: {stopping:,}. They are listed first."


@contextlib.contextmanager
def _ending(output: str) -> Iterator[None]:
    """If `output` is `sarif`, print a FatalError as a SARIF log and exit with 2. Otherwise the error passes through."""
    try:
        yield
    except FatalError as end:
        if output != "sarif":
            raise
        _show([end.diagnostic], (), None, output)
        report.leave(report.CANNOT_GO_ON)
