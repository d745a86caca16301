"""Which diagnostics speak of which tool, and what they come to in a word."""

from collections.abc import Iterable, Sequence

from mcpgen.base.diagnostics import Diagnostic
from mcpgen.model import ToolSpec

_WORDS = {"schema-cut": "cut", "over-budget": "over budget"}
"""Codes that have a shorter word; any other stands as it is."""

Place = tuple[str, str]
"""A file and a pointer in it."""


# Decision 0135: A diagnostic belongs to the tools of its place.
class Concerned:
    """Finds the tools that a diagnostic speaks of: those whose operation it stands in, or whose path it stands beside.
    What stands in a shared component speaks of no tool.
    """

    def __init__(self, tools: Sequence[ToolSpec]) -> None:
        self._names: dict[Place, list[str]] = {}
        for tool in tools:
            where = tool.operation.where
            beside = where.pointer.rpartition("/")[0] + "/parameters"
            for pointer in (where.pointer, beside):
                self._names.setdefault((where.file, pointer), []).append(tool.name)

    def by(self, diagnostic: Diagnostic) -> list[str]:
        """The names of the tools."""
        if diagnostic.where is None:
            return []
        pointer = diagnostic.where.pointer
        while pointer:
            if found := self._names.get((diagnostic.where.file, pointer)):
                return found
            pointer = pointer.rpartition("/")[0]
        return []


def words(tool: ToolSpec, concerning: Iterable[Diagnostic]) -> list[str]:
    """What is to be known of a tool at a glance: its effect first, then what was found."""
    found = [_WORDS.get(diagnostic.code, diagnostic.code) for diagnostic in concerning]
    return list(
        dict.fromkeys([tool.annotations.effect, *(["deprecated"] if tool.operation.deprecated else []), *found])
    )
