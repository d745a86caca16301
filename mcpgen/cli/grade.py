"""`mcpgen grade`: grade the tools of a source, print the grade, and write an overlay that mends faults."""

from collections.abc import Sequence
from pathlib import Path

import click

from mcpgen.base.diagnostics import Diagnostic
from mcpgen.base.jsonvalue import JsonObject, JsonValue
from mcpgen.base.plurals import counted
from mcpgen.cli import onefile, options, report, sarif, source
from mcpgen.emit.sinks import render
from mcpgen.grade import grade as grading
from mcpgen.grade import patch as patching
from mcpgen.grade.grade import LETTERS, Fault, Grade
from mcpgen.grade.rules import RULES
from mcpgen.model.options import Options
from mcpgen.pipeline import Compiled, located

SHOWN = 10
"""Limit on the tools that the text lists, the worst first."""

NAMED = 4
"""Limit on the tools and arguments that a line of the text names."""


@click.command("grade", short_help="Grade the tools of SOURCE: can a model choose them and call them right?")
@click.argument("given", metavar="SOURCE|DIR")
@options.workflow_files
@options.compiling
@click.option(
    "--format",
    "output",
    type=click.Choice(["text", "json", "sarif", "html"]),
    default="text",
    show_default=True,
    help="Output format; code hosts and editors read sarif.",
)
@click.option(
    "--patch",
    "patch",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write an OpenAPI Overlay to this file that mends what the document itself knows elsewhere.",
)
@click.option(
    "--fail-under",
    type=click.Choice([*LETTERS]),
    help="Exit with 1 if the letter of the server is worse than this one.",
)
def command(given: str, flags: Options, output: str, patch: Path | None, fail_under: str | None) -> None:
    """Grade the tools of SOURCE, or of a generated project in DIR: what keeps a model from choosing a tool and calling
    it right. WORKFLOWS are Arazzo documents about the operations of SOURCE.

    Each rule has a weight in points. The score of a tool is 100 points less those that it loses, and the score of the
    server is the mean of its tools.

    Exit codes: 0 done, 1 the letter is worse than --fail-under, 2 cannot go on.
    """
    with report.ending(output):
        compiled = source.compiled(given, flags)
        found = grading.grade(compiled.catalog, compiled.definitions)
        if patch is not None:
            _write_patch(patch, compiled)
    if output == "json":
        report.result_json(_document(found, compiled))
    elif output == "sarif":
        report.say_json(_sarif(found, compiled))
    elif output == "html":
        report.say_file(_page(found, compiled))
    else:
        _say(found, compiled)
    failed = fail_under is not None and LETTERS[found.letter] < LETTERS[fail_under]
    report.leave(report.FINDINGS if failed else report.DONE)


def _write_patch(path: Path, compiled: Compiled) -> None:
    """Write the overlay to `path`, or only say that there is nothing to mend."""
    actions = patching.actions(compiled.catalog, compiled.sources.described_by)
    if not actions:
        report.say("The document knows nothing elsewhere that would mend a fault, so no overlay was written.")
        return
    onefile.write(
        path,
        patching.overlay(actions, compiled.sources.described_by[0].name),
        lambda there: there.startswith(patching.MARK),
        refused=" and is not an overlay that mcpgen wrote",
        hint="Name another file with --patch, or remove this file.",
    )
    report.say(f"Wrote {path}: {counted(len(actions), 'action')}. Apply it with --overlay {path}.")


def _say(found: Grade, compiled: Compiled) -> None:
    title, tools = compiled.catalog.identity.title, counted(len(found.tools), "tool")
    report.say(f"{title}: {found.letter} ({found.score:.1f} of 100 points, {tools})", err=False, bold=True)
    if found.changes:
        report.say_lines(["", "The changes that would help most:"], err=False)
    for change in found.changes:
        number = counted(len(change.tools), "tool")
        report.say(f"  +{change.gain:.1f}  {change.rule.advice} [{change.rule.name}]", err=False)
        report.say(f"         {change.rule.reason} {number}: {_some(change.tools)}.", err=False)
    worst = sorted((each for each in found.tools if each.faults), key=lambda each: each.score)[:SHOWN]
    if worst:
        report.say_lines(["", "The tools with the lowest scores:"], err=False)
    for each in worst:
        faults = ", ".join(
            fault.rule.name + (f" ({_some(fault.about)})" if fault.about else "") for fault in each.faults
        )
        report.say(f"  {each.letter} {each.score:5.1f}  {each.tool.name}: {faults}", err=False)
    report.say_lines(["", f"Badge: {grading.badge(found.letter)}"], err=False)


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


def _document(found: Grade, compiled: Compiled) -> JsonObject:
    """Return the JSON output; `mcpgen/grade/shape.schema.json` is its JSON Schema."""
    return {
        "server": compiled.catalog.identity.name,
        "letter": found.letter,
        "score": _points(found.score),
        "badge": grading.badge(found.letter),
        "changes": [
            {
                "rule": change.rule.name,
                "gain": _points(change.gain),
                "reason": change.rule.reason,
                "advice": change.rule.advice,
                "tools": list[JsonValue](change.tools),
            }
            for change in found.changes
        ],
        "tools": [
            {
                "name": each.tool.name,
                "letter": each.letter,
                "score": _points(each.score),
                "faults": [
                    {"rule": fault.rule.name, "points": _points(fault.points), "about": list[JsonValue](fault.about)}
                    for fault in each.faults
                ],
            }
            for each in found.tools
        ],
        "rules": [{"name": rule.name, "weight": rule.weight, "reason": rule.reason} for rule in RULES],
        "skipped": [report.skipped_json(entry) for entry in compiled.catalog.skipped],
    }


def _points(number: float) -> float:
    return round(number, 1)


def _sarif(found: Grade, compiled: Compiled) -> JsonObject:
    """Return a SARIF log with a result for each fault, at the operation of its tool."""
    faults = [(each.tool, fault) for each in found.tools for fault in each.faults]
    unplaced = [
        Diagnostic(fault.rule.name, _sentence(tool.name, fault), where=tool.operation.where) for tool, fault in faults
    ]
    names = [rule.name for rule in RULES]
    results: list[JsonObject] = [
        {
            "ruleId": each.code,
            "ruleIndex": names.index(each.code),
            "level": "note",
            "message": {"text": each.message},
            "locations": [sarif.location(each.where)] if each.where else [],
        }
        for each in located(unplaced, compiled.sources.library.documents)
    ]
    return sarif.run({rule.name: ("note", rule.reason) for rule in RULES}, results)


def _sentence(name: str, fault: Fault) -> str:
    about = f" ({_some(fault.about)})" if fault.about else ""
    return f"{name}{about}: {fault.rule.reason} {fault.rule.advice}"


def _page(found: Grade, compiled: Compiled) -> bytes:
    values = {**_document(found, compiled), "title": compiled.catalog.identity.title}
    return render(Path(grading.__file__).parent / "page", values)["grade.html"]
