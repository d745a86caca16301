"""What a person reads of a difference: by grade, security first, and what changed alike in many tools once."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mcpgen.regenerate.diff.change import GRADES, Change, Difference, Grade

MANY = 4
"""Tools of which a change that all of them have is told once."""

_NAMED = 3
_OF_THE_TOOL = frozenset({"tool-added", "tool-removed", "tool-renamed"})
"""Changes whose sentence names the tool."""

_ENDS: Mapping[str, str] = {
    "major": "The major version moves.",
    "minor": "The minor version moves.",
    "patch": "The patch version moves.",
    "none": "Nothing changed.",
}


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence, and the tools that it is about; none where it is about the server, or says it itself. `security`
    is what such a line begins with, before all others of its grade.
    """

    tools: tuple[str, ...]
    sentence: str
    security: bool = False

    def subject(self) -> str:
        """The tools in a few words: a name, or how many."""
        if len(self.tools) < 2:
            return "".join(self.tools)
        return f"{len(self.tools)} tools ({', '.join(self.tools[:_NAMED])}, …)"


def lines(difference: Difference) -> Iterator[tuple[Grade, list[Line]]]:
    """The lines of each grade that there is, the gravest first."""
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
    """How many changes there are of each grade, and of security, and which part of a version number moves."""
    of_security = f" ({difference.security:,} of security)" if difference.security else ""
    notes: Mapping[Grade, str] = {"breaking": of_security}
    counts = ", ".join(f"{count:,} {grade}{notes.get(grade, '')}" for grade, count in difference.counts.items())
    return f"{counts}. {_ENDS[difference.version]}" if difference else _ENDS["none"]
