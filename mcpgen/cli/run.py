"""`mcpgen run`: compile SOURCE into a temporary folder and serve it over stdio."""

import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import click

from mcpgen import fetch
from mcpgen.cli import options, report, signals
from mcpgen.options import Options
from mcpgen.pipeline import compile_source
from mcpgen.publish import plan, publish

PATIENCE = 3.0
"""Seconds that the server has after a signal; it needs none."""


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
        compiled = compile_source(fetch.read(source, flags.ref_dir), flags)
        report.diagnostics(compiled.diagnostics, compiled.catalog.skipped, most=1)
        if any(diagnostic.severity == "error" for diagnostic in compiled.diagnostics):
            report.leave(report.FINDINGS)
        with signals.held() as stop, tempfile.TemporaryDirectory(prefix="mcpgen-") as folder:
            target = Path(folder) / compiled.catalog.identity.name
            publish(plan(target, compiled.tree, (), None), compiled.tree)
            code = _serve([sys.executable, "-m", compiled.catalog.identity.package], target, stop)
    report.leave(code if code >= 0 else 128 - code)


def _serve(command_line: list[str], directory: Path, stop: signals.Stop) -> int:
    """The exit code of the server, which has ended when this returns. A signal to us is one to it."""
    server = subprocess.Popen(command_line, cwd=directory)

    def end() -> None:
        server.terminate()
        last = threading.Timer(PATIENCE, server.kill)  # hooks can make a server deaf
        last.daemon = True
        last.start()

    stop.tell(end)
    return server.wait()
