"""`Document`: the value of a source and where its parts stand."""

from collections.abc import Iterable
from dataclasses import dataclass

from mcpgen.base.diagnostics import Where
from mcpgen.base.jsonvalue import JsonValue
from mcpgen.read.document.outline import Outline


@dataclass(frozen=True, slots=True)
class Document:
    """`name` is what diagnostics call the file; `text` is kept to look positions up in, and so is the `outline` of what
    is YAML. `nodes` are how many values and keys there are, at most.
    """

    name: str
    value: JsonValue
    text: str
    outline: Outline | None = None
    nodes: int = 0

    def where(self, pointer: str) -> Where:
        """The place of a JSON Pointer, without its line yet."""
        return Where(self.name, pointer)

    def positions(self, pointers: Iterable[str]) -> dict[str, tuple[int, int]]:
        """Line and column, from 1, of each pointer: of its key in an object, of the item in an array.

        No part of the text is walked twice for all of them. A pointer that leads through an alias gets the place of the
        alias, one that leads nowhere the place of the last part that exists.
        """
        from mcpgen.read.document.positions import locate  # only runs that have something to report pay for it

        return locate(self.text, self.outline, pointers)
