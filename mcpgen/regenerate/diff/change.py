"""Data classes for a single change, and for the difference of two servers as a list of changes.

The gravest grade of the changes gives the next version number of a server (Semantic Versioning 2.0.0).
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from mcpgen.base.jsonvalue import JsonValue

Part = Literal["major", "minor", "patch"]

_FROM_GRAVEST: tuple[Part, ...] = ("major", "minor", "patch")
_RELEASE = re.compile(r"\d{1,9}(?:\.\d{1,9}){0,2}(?!\d)")


def part_below_one(part: Part) -> Part:
    """Return the part that moves in place of `part` while the major version is 0.

    Item 4 allows any change there. Package managers take `^0.2` as 0.2.x alone, so a breaking change moves the minor
    number, and every other change the patch number.
    """
    return "minor" if part == "major" else "patch"


def next_version(version: str, part: str) -> str:
    """Return `version` with its major, minor or patch number incremented (items 6 to 8)."""
    numbers, place = release(version), _FROM_GRAVEST.index(part)
    return ".".join(map(str, [*numbers[:place], numbers[place] + 1, *[0] * (2 - place)]))


def release(version: str) -> tuple[int, ...]:
    """Return the three numbers of a version, with 0 for missing numbers."""
    found = _RELEASE.match(version)
    numbers = [int(number) for number in found[0].split(".")] if found else []
    return (*numbers, 0, 0, 0)[:3]


Grade = Literal["breaking", "additive", "cosmetic"]
GRADES: tuple[Grade, ...] = ("breaking", "additive", "cosmetic")
"""The grades of changes, the gravest first."""

_PARTS: dict[Grade, Part] = {"breaking": "major", "additive": "minor", "cosmetic": "patch"}


# Security is no fourth grade, because version numbers and checks in CI depend on three grades
# (docs/decisions/differences.md).
@dataclass(frozen=True, slots=True)
class Change:
    """One change between two servers.

    `code`: the rule that found the change. `tool`: the tool's name, or "" for the whole server. `argument`, `path`: the
    place of the change in the tool, or "". `path` is dotted, from the argument or the root of the result. `security`:
    True if the rule is in `rules.SECURITY`.
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
    """All changes from one server to another. Changes that concern security come before all others. Both groups are
    sorted: changes of the whole server first, then those of tools by name; for each of these, the gravest first.

    `since`: the version of the earlier server, or "" if it is a document, which has no version of a package.
    """

    changes: tuple[Change, ...]
    since: str = ""

    def __bool__(self) -> bool:
        return bool(self.changes)

    @property
    def counts(self) -> dict[Grade, int]:
        found = Counter(change.grade for change in self.changes)
        return {grade: found[grade] for grade in GRADES}

    @property
    def security(self) -> int:
        """Return how many changes concern security."""
        return sum(change.security for change in self.changes)

    @property
    def version(self) -> str:
        """Return which part of the version number must be raised (Semantic Versioning 2.0.0): major, minor, patch or
        none.
        """
        part = next((_PARTS[grade] for grade, count in self.counts.items() if count), None)
        if part is None:
            return "none"
        return part_below_one(part) if self.since and release(self.since)[0] == 0 else part

    def reaches(self, grade: Grade) -> bool:
        """Return True if at least one change has the grade `grade` or a graver one."""
        return any(GRADES.index(change.grade) <= GRADES.index(grade) for change in self.changes)

    def of_tool(self, *codes: str) -> list[str]:
        """Return the names of the tools that have a change with one of `codes`."""
        return [change.tool for change in self.changes if change.code in codes]


def ordered(changes: Iterable[Change]) -> Difference:
    """Return the difference with these changes, sorted, without repetitions."""
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
