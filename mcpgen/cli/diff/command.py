"""Define the command `mcpgen diff`: read the two versions to compare, show the changes, and choose the exit code."""

from dataclasses import replace

import click

from mcpgen.base.diagnostics import Diagnostic
from mcpgen.base.plurals import counted
from mcpgen.cli import differences, options, report
from mcpgen.cli.diff import contract, sides
from mcpgen.cli.diff.sides import Side
from mcpgen.model.options import Options
from mcpgen.regenerate.diff import compare, markdown


@click.command("diff", short_help="List the changes from OLD to NEW, each graded breaking, additive or cosmetic.")
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@options.compiling
@options.moves
@options.fail_on
@options.difference_format
def command(old: str, new: str, flags: Options, moves: bool, fail_on: str | None, output: str) -> None:
    """List the changes from OLD to NEW, and grade them. Each is an API description, a tools file, or the directory of a
    generated project.

    Breaking: a call that worked, or code that reads a result, may no longer work. Additive: something is new. Cosmetic:
    only human readers notice. If one side is a project and the other a document, the document is compiled as that
    project would compile it: with its flags, its mcpgen.yaml and the tool names that its lock file keeps.

    Exit codes: 0 done, 1 findings (a change that --fail-on names, an error in a document), 2 cannot go on.
    """
    if old == new == "-":
        raise click.UsageError("Only one of OLD and NEW can be standard input.")
    with report.ending(output), report.progress("Comparing"):
        before, after = sides.both(old, new, flags, moves=moves)
        difference = replace(compare(before.surface, after.surface, moves=moves), since=before.released)
    errors = [*_errors(before), *_errors(after)]
    if output == "json":
        report.result_json(contract.document(before, after, difference, errors))
    else:
        report.diagnostics(errors)
        _say_skipped(after)
        if output == "markdown":
            report.say_lines(markdown.document(difference).split("\n"), err=False)
        else:
            differences.show(difference)
    failed = fail_on is not None and difference.reaches(options.FAILING[fail_on])
    report.leave(report.FINDINGS if failed or errors else report.DONE)


def _errors(side: Side) -> list[Diagnostic]:
    found = side.compiled.diagnostics if side.compiled is not None else ()
    return [diagnostic for diagnostic in found if diagnostic.severity == "error"]


def _say_skipped(side: Side) -> None:
    """Report that operations of NEW were skipped, since a tool may be missing for this reason."""
    skipped = side.compiled.catalog.skipped if side.compiled is not None else ()
    if skipped:
        count = counted(len(skipped), "operation")
        report.say(f"{count} of {side.source} could not be compiled; `mcpgen check` says why.", fg="yellow")
