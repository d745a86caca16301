"""Define the command `mcpgen inspect`: its source, its selection of tools, and its output formats."""

import difflib
from collections.abc import Sequence
from pathlib import Path

import click

from mcpgen.base.diagnostics import Diagnostic
from mcpgen.base.errors import FatalError
from mcpgen.base.plurals import counted
from mcpgen.cli import options, report
from mcpgen.cli.inspect import budget, call, contract, features, findings, page, search, source, table
from mcpgen.cli.inspect import tool as one
from mcpgen.model import ToolSpec
from mcpgen.model.options import Options
from mcpgen.pipeline import Compiled

MOST = 8
"""Limit on the tools that an error message lists if none has a similar name."""


@click.command("inspect", short_help="Show the tools of SOURCE, and the request of each.")
@click.argument("given", metavar="SOURCE|DIR")
@click.argument("wanted", metavar="[TOOL]", required=False)
@options.compiling
@click.option(
    "--call",
    "arguments",
    metavar="JSON",
    help="Show the request of TOOL for these arguments (a JSON object); nothing is sent.",
)
@click.option(
    "--max-tokens",
    type=click.IntRange(min=1),
    metavar="N",
    help="Fail if a tool costs more than this number of tokens.",
)
@click.option(
    "--search",
    "queries",
    multiple=True,
    metavar="QUERY",
    help="Show which tools a server with --tools search finds for this query; repeatable.",
)
@click.option(
    "--html", type=click.Path(path_type=Path), metavar="FILE", help="Write an HTML page of the tools to this file."
)
@options.output_format
def command(
    given: str,
    wanted: str | None,
    flags: Options,
    arguments: str | None,
    max_tokens: int | None,
    html: Path | None,
    queries: tuple[str, ...],
    output: str,
) -> None:
    """Show the tools of SOURCE, or of a generated project in DIR, and the requests that they send.

    TOOL is a tool's name, its operationId, or its request ("GET /pets/{id}"). --call shows the request that the
    generated server would send for a call, with credentials as <VARIABLE>.

    Exit codes: 0 done, 1 findings (a tool over --max-tokens, a call that would be refused), 2 cannot go on.
    """
    if arguments is not None and wanted is None:
        raise click.UsageError("--call needs a TOOL.")
    if html is not None and wanted is not None:
        raise click.UsageError("--html shows all tools: leave TOOL out, or select operations with --include.")
    if queries and (wanted is not None or html is not None):
        raise click.UsageError("--search searches all tools: leave TOOL and --html out.")
    if not all(map(str.strip, queries)):
        raise click.UsageError(
            'The query of --search is empty: write what a tool should do, such as "list open orders".'
        )
    if queries:
        with report.ending(output):
            search.show(given, flags, queries, output)
        report.leave(report.DONE)
    with report.ending(output):
        compiled = source.compiled(given, flags)
        tools = list(compiled.catalog.tools) if wanted is None else _called(compiled.catalog.tools, wanted)
        found = [*compiled.diagnostics, *budget.exceeded(tools, max_tokens)]
        called = call.explained(compiled, tools, arguments, output) if arguments is not None else None
        document = contract.document(compiled.catalog, tools, found) if output == "json" or html else {}
        if html is not None:
            page.write(html, document, compiled)
    if output == "json":
        report.result_json({**document, **({"call": called.document} if called else {})})
    else:
        _show(compiled, tools, found, whole=wanted is None, page=html)
        _say_call(called)
    if sentence := budget.sentence(tools, max_tokens) if max_tokens else "":
        report.say(f"error: {sentence} [over-budget]", fg="red")
    failed = any(diagnostic.severity == "error" for diagnostic in found) or (called is not None and called.refused)
    report.leave(report.FINDINGS if failed else report.DONE)


def _show(
    compiled: Compiled, tools: Sequence[ToolSpec], found: Sequence[Diagnostic], *, whole: bool, page: Path | None
) -> None:
    if not whole:
        for entry in tools:
            one.show(entry, compiled.catalog, found)
        return
    concerned = findings.Concerned(tools)
    report.diagnostics(
        [diagnostic for diagnostic in compiled.diagnostics if not concerned.by(diagnostic)],
        compiled.catalog.skipped,
        most=1,
    )
    if page is None:
        table.show(tools, compiled.catalog.skipped, found)
        features.show(compiled.catalog)
    else:
        report.say(f"Wrote {page}: {counted(len(tools), 'tool')}.", err=False)


def _say_call(called: call.Explained | None) -> None:
    if called is None:
        return
    if called.out:
        report.say(err=False)
        report.say("The request (it was not sent):", err=False, bold=True)
        report.say_lines(["", *called.out.rstrip("\n").split("\n")], err=False)
    if called.err:
        report.say_lines(called.err.rstrip("\n").split("\n"), fg="red" if called.refused else "yellow")


def _called(tools: Sequence[ToolSpec], wanted: str) -> list[ToolSpec]:
    """Return the tools that `wanted` names, by tool name, operationId or request.

    Raises FatalError, with similar names, if there is no such tool.
    """
    method, _, path = wanted.partition(" ")
    found = (
        [tool for tool in tools if tool.name == wanted]
        or [tool for tool in tools if tool.operation.id == wanted]
        or [tool for tool in tools if _request(tool) == f"{method.upper()} {path.strip()}"]
    )
    if found:
        return found
    known = {tool.name: None for tool in tools}
    known |= {word: None for tool in tools for word in (tool.operation.id, _request(tool)) if word}
    near = difflib.get_close_matches(wanted, known, n=3)
    names = [tool.name for tool in tools]
    some = ", ".join(names[:MOST]) + (", …" if len(names) > MOST else ".")
    hint = f"Did you mean {' or '.join(near)}?" if near else f"There are: {some}"
    raise FatalError("invalid-flag", f"There is no tool {wanted}.", hint=hint)


def _request(tool: ToolSpec) -> str:
    return f"{tool.operation.method} {tool.operation.path}"
