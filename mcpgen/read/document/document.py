"""A source that was read: its value, and the positions of its parts."""

from collections.abc import Iterable
from dataclasses import dataclass

from mcpgen.base.diagnostics import Where
from mcpgen.base.jsonvalue import JsonValue
from mcpgen.read.document.outline import Outline


@dataclass(frozen=True, slots=True)
class Document:
    """A source that was read.

    `name`: the file's name in diagnostics. `text` and, for YAML, `outline`: kept to look up positions. `nodes`: upper
    bound on the number of values and keys.
    """

    name: str
    value: JsonValue
    text: str
    outline: Outline | None = None
    nodes: int = 0

    def where(self, pointer: str) -> Where:
        """Return the place of a JSON Pointer, without its line and column."""
        return Where(self.name, pointer)

    def positions(self, pointers: Iterable[str]) -> dict[str, tuple[int, int]]:
        """Return line and column, from 1, of each pointer: of the key in an object, of the item in an array.

        One walk finds all of them. A pointer through an alias gets the position of the alias. A pointer that leads
        nowhere gets the position of its last part that exists.
        """
        from mcpgen.read.document.positions import locate  # imported only by runs that have a diagnostic to place

        return locate(self.text, self.outline, pointers)
