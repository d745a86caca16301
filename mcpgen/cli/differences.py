"""Show the changes between two versions of a server: on a terminal by grade (such as breaking), in a report as JSON."""

from mcpgen.base.jsonvalue import JsonObject, JsonValue
from mcpgen.cli import report
from mcpgen.regenerate.diff import Change, Difference, Grade
from mcpgen.regenerate.diff.lines import lines, summary

_COLOURS: dict[Grade, str] = {"breaking": "red", "additive": "green", "cosmetic": "blue"}


def show(difference: Difference) -> None:
    """Print the changes on stdout, by grade, and their summary."""
    for grade, found in lines(difference):
        report.say(f"{grade.capitalize()}:", err=False, fg=_COLOURS[grade], bold=True)
        for line in found:
            subject = "[security] " * line.security + (f"{line.subject()}: " if line.tools else "")
            report.say(f"  {subject}{line.sentence}", err=False)
        report.say(err=False)
    report.say(summary(difference), err=False, bold=True)


def summary_json(difference: Difference) -> JsonObject:
    """Return how many changes have each grade, how many concern security, and which part of the version number
    increases.
    """
    counts: JsonObject = {str(grade): count for grade, count in difference.counts.items()}
    return {**counts, "security": difference.security, "version": difference.version}


def changes_json(difference: Difference) -> list[JsonValue]:
    return [_change(change) for change in difference.changes]


def _change(change: Change) -> JsonObject:
    where: dict[str, JsonValue] = {
        "tool": change.tool or None,
        "argument": change.argument or None,
        "path": change.path or None,
    }
    values = {"before": change.before, "after": change.after}
    rule: JsonObject = {"grade": change.grade, "security": change.security, "code": change.code}
    return {**rule, **where, **values, "sentence": change.sentence}
