"""Write a difference as lines for a person: by grade (breaking, additive or cosmetic), security first. Equal changes of
many tools become one line. As Markdown, the lines fit a pull request or a changelog.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mcpgen.emit.sinks import markdown_code, markdown_text
from mcpgen.regenerate.diff.change import GRADES, Change, Difference, Grade

_MOST = 150
"""Limit on the lines of one grade: code hosts take comments of 65,536 characters."""

_MENTION = re.compile(r"(?<![\w/])@(?=[A-Za-z0-9])")
"""Pattern of the beginning of a mention (`@name`), with which code hosts notify a person. Text of a document must not
notify anybody.
"""

_SECURITY = "**Security:** "
"""Beginning of a line about a change of security. Workflows search for this text, and text of a document cannot produce
it.
"""

_KEPT: Mapping[Grade, int] = {"breaking": _MOST, "additive": _MOST, "cosmetic": 20}
"""Grade → limit on its lines in a changelog entry."""

MANY = 4
"""If at least this many tools have the same change, it is written as one line."""

_NAMED = 3
_OF_THE_TOOL = frozenset({"tool-added", "tool-removed", "tool-renamed"})
"""Codes of rules whose sentence already names the tool."""

_ENDS: Mapping[str, str] = {
    "major": "The major version moves.",
    "minor": "The minor version moves.",
    "patch": "The patch version moves.",
    "none": "Nothing changed.",
}


@dataclass(frozen=True, slots=True)
class Line:
    """One line about a change.

    `tools`: the tools with this change, or () if it concerns the server or `sentence` names the tool. `security`: True
    if the change concerns security.
    """

    tools: tuple[str, ...]
    sentence: str
    security: bool = False

    def subject(self) -> str:
        """Return the tools as text: "" for none, a single name, or the number of tools with the first names."""
        if len(self.tools) < 2:
            return "".join(self.tools)
        return f"{len(self.tools)} tools ({', '.join(self.tools[:_NAMED])}, …)"


def lines(difference: Difference) -> Iterator[tuple[Grade, list[Line]]]:
    """Yield each grade (breaking, additive or cosmetic) that occurs, with its lines. The gravest grade comes first."""
    for grade in GRADES:
        found = [change for change in difference.changes if change.grade == grade]
        if found:
            yield grade, list(_grouped(found))


def _grouped(changes: list[Change]) -> Iterator[Line]:
    alike: dict[tuple[str, str, bool], list[str]] = {}
    for change in changes:
        alike.setdefault((change.code, change.sentence, change.security), []).append(change.tool)
    for (code, sentence, security), tools in alike.items():
        if code in _OF_THE_TOOL or not tools[0]:
            yield Line((), sentence, security)
        elif len(tools) >= MANY:
            yield Line(tuple(tools), sentence, security)
        else:
            yield from (Line((tool,), sentence, security) for tool in tools)


def summary(difference: Difference) -> str:
    """Return a text with the number of breaking, additive and cosmetic changes, the number of changes of security, and
    the part of the version number to raise.
    """
    of_security = f" ({difference.security:,} of security)" if difference.security else ""
    notes: Mapping[Grade, str] = {"breaking": of_security}
    counts = ", ".join(f"{count:,} {grade}{notes.get(grade, '')}" for grade, count in difference.counts.items())
    return f"{counts}. {_ENDS[difference.version]}" if difference else _ENDS["none"]


# -- Markdown ----------------------------------------------------------------------------------------------------------


def markdown_document(difference: Difference) -> str:
    """Return the summary, and a list of changes for each grade (breaking, additive or cosmetic). The list of cosmetic
    changes is collapsed.
    """
    return "\n".join(_markdown_parts(difference))


def _markdown_parts(difference: Difference) -> Iterator[str]:
    yield f"**{markdown_text(summary(difference))}**"
    for grade, found in lines(difference):
        folded = grade == "cosmetic"
        yield ""
        yield f"<details><summary>{grade.capitalize()}</summary>" if folded else f"### {grade.capitalize()}"
        yield ""
        yield from (_line(line) for line in found[:_MOST])
        if len(found) > _MOST:
            yield f"- … and {len(found) - _MOST} more; `mcpgen diff` shows all."
        if folded:
            yield ""
            yield "</details>"


def changelog_entry(difference: Difference) -> Iterator[str]:
    """Yield the lines of a changelog entry: a list whose items begin with `breaking`, `additive` or `cosmetic`."""
    for grade, found in lines(difference):
        most = _KEPT[grade]
        for line in found[:most]:
            yield _line(line, f"{grade.capitalize()}: ")
        if len(found) > most:
            yield f"- {grade.capitalize()}: … and {len(found) - most} more."


def _line(line: Line, grade: str = "") -> str:
    if line.security:
        grade = f"{grade.removesuffix(': ')}, security: " if grade else _SECURITY
    subject = markdown_code(line.tools[0]) if len(line.tools) == 1 else markdown_text(line.subject())
    sentence = _MENTION.sub("@<!-- -->", markdown_text(line.sentence))
    return f"- {grade}{subject}{': ' if subject else ''}{sentence}"
