"""`mcpgen demo`: compile, serve, call and change an embedded API, step by step."""

import contextlib
from typing import TYPE_CHECKING

import click

from mcpgen.cli import report, signals

if TYPE_CHECKING:
    from mcpgen.demo.story import Step


@click.command("demo", short_help="Demonstrate mcpgen with an example API.")
def command() -> None:
    """Compile a document, serve it, call it, change it, and compile it again. Every step is real, and all files are
    removed at the end.
    """
    from mcpgen.demo.story import tell  # imported late: only this command needs SQLite and an HTTP server

    with report.ending(), signals.held() as stop, contextlib.closing(tell()) as story:
        try:
            for number, step in enumerate(story, start=1):
                if stop.number is not None:
                    break  # a signal arrived: `closing` ends the generator `story`, its server and its API
                _show(number, step)
        except RuntimeError as failure:
            if stop.number is None:  # after Ctrl-C, report no failure: Ctrl-C also stopped the demo's server
                report.say()
                report.say(f"The demo failed: {failure}.", fg="red")
                report.leave(report.FINDINGS)
    report.say_lines(["", "Try it yourself: mcpgen install YOUR-OPENAPI-DOCUMENT CLIENT"], err=False)


def _show(number: int, step: "Step") -> None:
    report.say(err=False)
    report.say(f"{number}. {step.headline}", err=False, bold=True)
    if step.sent:
        report.say(f"   > {step.sent}", err=False, fg="cyan")
    for line in step.came:
        report.say(f"     {line}", err=False)
