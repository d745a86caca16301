"""The command: which two sides, how the difference is shown, and what makes it fail."""

import click

from mcpgen.cli import options, report
from mcpgen.cli.diff import contract, markdown, sides
from mcpgen.cli.diff.lines import lines, summary
from mcpgen.cli.diff.sides import Side
from mcpgen.diagnostics import Diagnostic
from mcpgen.diff import Difference, Grade, compare
from mcpgen.options import Options

_COLOURS: dict[Grade, str] = {"breaking": "red", "additive": "green", "cosmetic": "blue"}
_FAILING: dict[str, Grade] = {"breaking": "breaking", "additive": "additive", "any": "cosmetic"}
"""Value of --fail-on → the least grave change that fails."""


@click.command("diff", short_help="Grade what changed from OLD to NEW.")
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@options.compiling
@click.option("--fail-on", type=click.Choice([*_FAILING]), help="Exit with 1 where a change is at least as grave.")
@click.option(
    "--format",
    "output",
    type=click.Choice(["text", "markdown", "json"]),
    default="text",
    show_default=True,
    help="What to print; markdown is for pull requests.",
)
def command(old: str, new: str, flags: Options, fail_on: str | None, output: str) -> None:
    """Grade what changed from OLD to NEW, each an API description, a tools file, or the directory of a generated
    project.

    Breaking: a call that worked, or code that reads a result, may work no longer. Additive: there is more than before.
    Cosmetic: only a reader notices. Names that a lock holds are no difference, and one side that is a document is
    compiled as the other, a project, would compile it.

    Exit codes: 0 done, 1 findings (a change that --fail-on names, an error in a document), 2 cannot go on.
    """
    if old == new == "-":
        raise click.UsageError("Only one of OLD and NEW can be standard input.")
    with report.ending(output), report.progress("Comparing"):
        before, after = sides.both(old, new, flags)
        difference = compare(before.surface, after.surface)
    errors = [*_errors(before), *_errors(after)]
    if output == "json":
        report.result_json(contract.document(before, after, difference, errors))
    else:
        report.diagnostics(errors)
        _say_skipped(after)
        if output == "markdown":
            report.say(markdown.document(difference), err=False)
        else:
            _show(difference)
    failed = fail_on is not None and difference.reaches(_FAILING[fail_on])
    report.leave(report.FINDINGS if failed or errors else report.DONE)


def _errors(side: Side) -> list[Diagnostic]:
    found = side.compiled.diagnostics if side.compiled is not None else ()
    return [diagnostic for diagnostic in found if diagnostic.severity == "error"]


def _say_skipped(side: Side) -> None:
    """Says that operations of NEW are no tools: what is gone may be gone for that reason."""
    skipped = side.compiled.catalog.skipped if side.compiled is not None else ()
    if skipped:
        count = report.counted(len(skipped), "operation")
        report.say(f"{count} of {side.source} could not be compiled; `mcpgen check` says why.", fg="yellow")


def _show(difference: Difference) -> None:
    for grade, found in lines(difference):
        report.say(f"{grade.capitalize()}:", err=False, fg=_COLOURS[grade], bold=True)
        for line in found:
            subject = f"{line.subject()}: " if line.tools else ""
            report.say(f"  {subject}{line.sentence}".replace("\n", "\\n"), err=False)
        report.say(err=False)
    report.say(summary(difference), err=False, bold=True)
