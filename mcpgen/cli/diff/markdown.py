"""A difference as Markdown, for the description of a pull request."""

from collections.abc import Iterator

from mcpgen.cli.diff.lines import Line, lines, summary
from mcpgen.diff import Difference
from mcpgen.emit.sinks import markdown_code, markdown_text

MOST = 150
"""Lines of one grade that are shown: code hosts take comments of 65,536 characters."""


def document(difference: Difference) -> str:
    """The summary, and a list for each grade; what only a reader notices is folded away."""
    return "\n".join(_parts(difference))


def _parts(difference: Difference) -> Iterator[str]:
    yield f"**{markdown_text(summary(difference))}**"
    for grade, found in lines(difference):
        folded = grade == "cosmetic"
        yield ""
        yield f"<details><summary>{grade.capitalize()}</summary>" if folded else f"### {grade.capitalize()}"
        yield ""
        yield from map(_line, found[:MOST])
        if len(found) > MOST:
            yield f"- … and {len(found) - MOST} more; `mcpgen diff` shows all."
        if folded:
            yield ""
            yield "</details>"


def _line(line: Line) -> str:
    subject = markdown_code(line.tools[0]) if len(line.tools) == 1 else markdown_text(line.subject())
    return f"- {subject}: {markdown_text(line.sentence)}" if subject else f"- {markdown_text(line.sentence)}"
