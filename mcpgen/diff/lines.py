"""What a person reads of a difference: by grade, what changed alike in many tools once."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mcpgen.diff.change import GRADES, Change, Difference, Grade

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
    """One sentence, and the tools that it is about; none where it is about the server, or says it itself."""

    tools: tuple[str, ...]
    sentence: str

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
    alike: dict[tuple[str, str], list[str]] = {}
    for change in changes:
        alike.setdefault((change.code, change.sentence), []).append(change.tool)
    for (code, sentence), tools in alike.items():
        if code in _OF_THE_TOOL or not tools[0]:
            yield Line((), sentence)
        elif len(tools) >= MANY:
            yield Line(tuple(tools), sentence)
        else:
            yield from (Line((tool,), sentence) for tool in tools)


def summary(difference: Difference) -> str:
    """How many changes there are of each grade, and which part of a version number moves."""
    counts = ", ".join(f"{count:,} {grade}" for grade, count in difference.counts.items())
    return f"{counts}. {_ENDS[difference.version]}" if difference else _ENDS["none"]
