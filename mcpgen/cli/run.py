"""`mcpgen run`: compile SOURCE into a temporary folder and serve it over stdio or HTTP."""

from dataclasses import replace

import click

from mcpgen.cli import options, report, servers
from mcpgen.model.options import ALL_PARTS, Options
from mcpgen.pipeline import compile_source
from mcpgen.read import fetch
from mcpgen.read.fetch import Network


@click.command("run", short_help="Compile SOURCE and serve it over stdio, without writing files.")
@options.source
@options.compiling
@click.option("--http", metavar="[HOST:]PORT", help="Serve HTTP at this port instead of stdio.")
def command(source: str, flags: Options, http: str | None) -> None:
    """Compile SOURCE and serve it over stdio, without keeping files. Environment variables and behaviour are those of
    the generated server.
    """
    flags = replace(flags, parts=(ALL_PARTS,))
    with report.ending():
        if source == "-":
            report.say(
                "SOURCE cannot be `-` (standard input), because the MCP client uses standard input. Name a file or a "
                "URL.",
                fg="red",
            )
            report.leave(report.CANNOT_GO_ON)
        compiled = compile_source(fetch.read(source, flags.ref_dir, Network.of(flags, source)), flags)
        report.diagnostics(compiled.diagnostics, compiled.catalog.skipped, most=1)
        if compiled.failed:
            report.leave(report.FINDINGS)
        with servers.emitted(compiled) as server:
            code = server.run(*(() if http is None else ("--http", http)))
    report.leave(code if code >= 0 else 128 - code)
