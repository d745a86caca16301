"""Write the changes between two versions of a server as Markdown, for a pull request and for a changelog."""

import re
from collections.abc import Iterator, Mapping

from mcpgen.emit.sinks import markdown_code, markdown_text
from mcpgen.regenerate.diff.change import Difference, Grade
from mcpgen.regenerate.diff.lines import Line, lines, summary

MOST = 150
"""Limit on the lines of one grade: code hosts take comments of 65,536 characters."""

_MENTION = re.compile(r"(?<![\w/])@(?=[A-Za-z0-9])")
"""Pattern of the beginning of a mention (`@name`), with which code hosts notify a person. Text of a document must not
notify anybody.
"""

SECURITY = "**Security:** "
"""Beginning of a line about a change of security. Workflows search for this text, and text of a document cannot produce
it.
"""

_KEPT: Mapping[Grade, int] = {"breaking": MOST, "additive": MOST, "cosmetic": 20}
"""Grade → limit on its lines in a changelog entry."""


def document(difference: Difference, score: str = "") -> str:
    """Return the summary, and a list of changes for each grade (breaking, additive or cosmetic). The list of cosmetic
    changes is collapsed. `score`: a line about the grade of the tools, or "".
    """
    return "\n".join(_parts(difference, score))


def _parts(difference: Difference, score: str) -> Iterator[str]:
    yield f"**{markdown_text(summary(difference))}**"
    if score:
        yield from ("", score)
    for grade, found in lines(difference):
        folded = grade == "cosmetic"
        yield ""
        yield f"<details><summary>{grade.capitalize()}</summary>" if folded else f"### {grade.capitalize()}"
        yield ""
        yield from (_line(line) for line in found[:MOST])
        if len(found) > MOST:
            yield f"- … and {len(found) - MOST} more; `mcpgen diff` shows all."
        if folded:
            yield ""
            yield "</details>"


def entry(difference: Difference) -> Iterator[str]:
    """Yield the lines of a changelog entry: a list whose items begin with `breaking`, `additive` or `cosmetic`."""
    for grade, found in lines(difference):
        most = _KEPT[grade]
        for line in found[:most]:
            yield _line(line, f"{grade.capitalize()}: ")
        if len(found) > most:
            yield f"- {grade.capitalize()}: … and {len(found) - most} more."


def _line(line: Line, grade: str = "") -> str:
    if line.security:
        grade = f"{grade.removesuffix(': ')}, security: " if grade else SECURITY
    subject = markdown_code(line.tools[0]) if len(line.tools) == 1 else markdown_text(line.subject())
    sentence = _MENTION.sub("@<!-- -->", markdown_text(line.sentence))
    return f"- {grade}{subject}{': ' if subject else ''}{sentence}"
