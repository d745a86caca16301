"""Assign diagnostics to tools, and shorten each diagnostic to a label."""

from collections.abc import Iterable, Sequence

from mcpgen.base.diagnostics import Diagnostic
from mcpgen.model import ToolSpec

_WORDS = {"schema-cut": "cut", "over-budget": "over budget", "no-pages": "one page", "job-recognised": "job"}
"""Diagnostic code → short label in the table of `inspect`. Codes without an entry are shown as they are."""

Place = tuple[str, str]
"""A file and a JSON Pointer into it."""


# The place decides, because places are exact and the words of messages are not.
class Concerned:
    """Finds the tools that a diagnostic concerns: tools whose operation or path item contains the place of the
    diagnostic.

    A diagnostic about a shared component concerns no tool.
    """

    def __init__(self, tools: Sequence[ToolSpec]) -> None:
        self._names: dict[Place, list[str]] = {}
        for tool in tools:
            where = tool.operation.where
            beside = where.pointer.rpartition("/")[0] + "/parameters"
            for pointer in (where.pointer, beside):
                self._names.setdefault((where.file, pointer), []).append(tool.name)

    def by(self, diagnostic: Diagnostic) -> list[str]:
        """Return the names of the tools that a diagnostic concerns."""
        if diagnostic.where is None:
            return []
        pointer = diagnostic.where.pointer
        while pointer:
            if found := self._names.get((diagnostic.where.file, pointer)):
                return found
            pointer = pointer.rpartition("/")[0]
        return []


def words(tool: ToolSpec, concerning: Iterable[Diagnostic]) -> list[str]:
    """Return the labels of a tool: its effect (`reads`, `adds`, …), `deprecated`, then a label for each finding."""
    found = [_WORDS.get(diagnostic.code, diagnostic.code) for diagnostic in concerning]
    return list(
        dict.fromkeys([tool.annotations.effect, *(["deprecated"] if tool.operation.deprecated else []), *found])
    )
