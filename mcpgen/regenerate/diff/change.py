"""One change, and all of them: what a difference is."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from mcpgen.base.jsonvalue import JsonValue

Grade = Literal["breaking", "additive", "cosmetic"]
GRADES: tuple[Grade, ...] = ("breaking", "additive", "cosmetic")
"""The gravest first."""

_PARTS: dict[Grade, str] = {"breaking": "major", "additive": "minor", "cosmetic": "patch"}


# Decision 0149: Security is a mark on a change.
@dataclass(frozen=True, slots=True)
class Change:
    """One change. `code` is the rule; `tool` empty where it is about the server; `argument` and `path` (dotted, from
    the argument on, or from the root of the result) say where in a tool, if they are not empty. `security` is a rule of
    `rules.SECURITY`.
    """

    grade: Grade
    code: str
    tool: str
    sentence: str
    before: JsonValue = None
    after: JsonValue = None
    argument: str = ""
    path: str = ""
    security: bool = False


@dataclass(frozen=True, slots=True)
class Difference:
    """All changes from one surface to another: what concerns security first; of that and of the rest what is of the
    server first, then by tool, the gravest of each first.
    """

    changes: tuple[Change, ...]

    def __bool__(self) -> bool:
        return bool(self.changes)

    @property
    def counts(self) -> dict[Grade, int]:
        found = Counter(change.grade for change in self.changes)
        return {grade: found[grade] for grade in GRADES}

    @property
    def security(self) -> int:
        """How many changes concern security."""
        return sum(change.security for change in self.changes)

    @property
    def version(self) -> str:
        """Which part of a version number moves (Semantic Versioning 2.0.0): major, minor, patch or none."""
        return next((_PARTS[grade] for grade, count in self.counts.items() if count), "none")

    def reaches(self, grade: Grade) -> bool:
        """Whether there is a change of that grade, or a graver one."""
        return any(GRADES.index(change.grade) <= GRADES.index(grade) for change in self.changes)

    def of_tool(self, *codes: str) -> list[str]:
        """The tools of changes with one of `codes`."""
        return [change.tool for change in self.changes if change.code in codes]


def ordered(changes: Iterable[Change]) -> Difference:
    """The difference that `changes` are, each once."""
    found = sorted(
        changes,
        key=lambda change: (
            not change.security,
            change.tool,
            GRADES.index(change.grade),
            change.argument,
            change.path,
            change.code,
        ),
    )
    kept: list[Change] = []
    for change in found:
        if change not in kept[-1:]:
            kept.append(change)
    return Difference(tuple(kept))
