"""`mcpgen run`: compile SOURCE into a temporary folder and serve it over stdio."""

import subprocess
import sys
import tempfile
from pathlib import Path

import click

from mcpgen import fetch
from mcpgen.cli import options, report
from mcpgen.pipeline import Options, compile_source
from mcpgen.publish import plan, publish


@click.command("run", short_help="Compile SOURCE and serve it over stdio, keeping nothing.")
@options.source
@options.compiling
def command(source: str, flags: Options) -> None:
    """Compile SOURCE and serve it over stdio, keeping nothing. Variables and behaviour are those of the generated
    server.
    """
    with report.ending():
        if source == "-":
            report.say("SOURCE cannot be - here: standard input belongs to the client.", fg="red")
            report.leave(report.CANNOT_GO_ON)
        compiled = compile_source(fetch.read(source, flags.ref_dirs), flags)
        report.diagnostics(compiled.diagnostics, compiled.catalog.skipped, most=1)
        if any(diagnostic.severity == "error" for diagnostic in compiled.diagnostics):
            report.leave(report.FINDINGS)
        with tempfile.TemporaryDirectory(prefix="mcpgen-") as folder:
            target = Path(folder) / compiled.catalog.identity.name
            publish(plan(target, compiled.tree, (), None), compiled.tree)
            command_line = [sys.executable, "-m", compiled.catalog.identity.package]
            code = subprocess.run(command_line, cwd=target, check=False).returncode
    report.leave(code if code >= 0 else 128 - code)
