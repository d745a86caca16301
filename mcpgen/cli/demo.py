"""`mcpgen demo`: the whole job on an embedded API, told step by step."""

import click

from mcpgen.cli import report


@click.command("demo", short_help="Show the whole job on an embedded API.")
def command() -> None:
    """Compile a document, serve it, call it, change it, compile it again: everything real, and nothing left behind."""
    from mcpgen.demo.story import tell  # brings SQLite and an HTTP server, which no other command needs

    with report.ending():
        try:
            for number, step in enumerate(tell(), start=1):
                report.say(f"\n{number}. {step.headline}", err=False, bold=True)
                if step.sent:
                    report.say(f"   > {step.sent}", err=False, fg="cyan")
                for line in step.came:
                    report.say(f"     {line}", err=False)
        except RuntimeError as failure:
            report.say(f"\nThe demo failed: {failure}.", fg="red")
            report.leave(report.FINDINGS)
    report.say("\nYour turn: mcpgen generate YOUR-OPENAPI-DOCUMENT", err=False)
