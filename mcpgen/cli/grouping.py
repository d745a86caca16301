"""Group findings for a reader: the most serious first, and equal messages once with a count."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mcpgen.base.diagnostics import IN_THE_WAY, Diagnostic, Where
from mcpgen.model import Skipped


@dataclass(frozen=True, slots=True)
class Finding:
    """A diagnostic that is shown once. `other`: further places with an equal diagnostic.

    `operation`: METHOD and path of the operation that was skipped because of it, or "".
    """

    diagnostic: Diagnostic
    other: tuple[Where, ...] = ()
    operation: str = ""

    @property
    def count(self) -> int:
        """Return the number of places with this diagnostic."""
        return 1 + len(self.other)

    @property
    def message(self) -> str:
        """Return the message of the diagnostic. For a skipped operation it begins with METHOD and path."""
        said = self.diagnostic.message
        return f"{self.operation} was skipped: {said}" if self.operation else said

    @property
    def is_in_the_way(self) -> bool:
        """Return True if, because of this finding, a tool is missing or cannot be called, or nothing is written."""
        found = self.diagnostic
        return bool(self.operation) or found.severity == "error" or found.code in IN_THE_WAY


def together(found: Iterable[Diagnostic]) -> list[Finding]:
    """Return the findings in the order in which they occur first. Equal ones at several places are one finding."""
    places: dict[Diagnostic, list[Where]] = {}
    first: dict[tuple[str, str, str, str], Diagnostic] = {}
    for each in found:
        key = (each.severity, each.code, each.message, each.hint)
        shown = first.setdefault(key, each)
        others = places.setdefault(shown, [])
        if each is not shown and each.where is not None:
            others.append(each.where)
    return [Finding(shown, tuple(places[shown])) for shown in first.values()]


def group(found: Iterable[Diagnostic], skipped: Sequence[Skipped] = ()) -> list[Finding]:
    """Return the findings, the most serious first.

    The order is: errors, skipped operations, warnings that calls will fail (IN_THE_WAY), other warnings, violations of
    the OpenAPI schema, notes.
    If the reason for a skipped operation is already an error among `found`, it is not repeated.
    """
    findings = together(found)
    errors = {each.diagnostic for each in findings if each.diagnostic.severity == "error"}
    findings += [Finding(each.reason, (), each.operation) for each in skipped if each.reason not in errors]
    return sorted(findings, key=_gravity)


def _gravity(finding: Finding) -> int:
    found = finding.diagnostic
    ranks = (
        found.severity == "error",
        bool(finding.operation),
        finding.is_in_the_way,
        found.severity == "warning" and found.code != "invalid-document",
        found.severity == "warning",
    )
    return ranks.index(True) if True in ranks else len(ranks)
