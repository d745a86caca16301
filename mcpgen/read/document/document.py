"""A document that was parsed: its value, and how to find the positions of its parts."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from mcpgen.base.diagnostics import Where
from mcpgen.base.jsonvalue import JsonValue
from mcpgen.read.document.outline import Outline


def decoded(data: bytes) -> str:
    """Return the text of a file in UTF-8, without a byte order mark. Raises UnicodeDecodeError."""
    return data.decode("utf-8-sig")


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed document.

    `name`: the file's name in diagnostics. `data`, the bytes of the file, and for YAML `outline` are kept to look up
    positions; both are empty where no positions are known. `nodes`: an upper bound on the number of values and keys.
    `sources`, for a document translated from another format: pointer into `value` → pointer into the original text.
    """

    name: str
    value: JsonValue
    data: bytes
    outline: Outline | None = None
    nodes: int = 0
    sources: Mapping[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """Decode the file and return its text. The text is not kept: with one emoji in it, Python stores four bytes for
        each character.
        """
        return self.outline.text if self.outline else decoded(self.data)

    def where(self, pointer: str) -> Where:
        """Return the place of a JSON Pointer in this document: file and pointer, without line and column."""
        return Where(self.name, pointer)

    def source(self, pointer: str) -> str:
        """Return the pointer into the original text for a `pointer` into the value. The two pointers differ only in a
        translated document.

        If `sources` has no entry for `pointer`, the entry for the nearest value around it is used.
        """
        if not self.sources:
            return pointer
        known = pointer
        while known not in self.sources and known:
            known = known.rpartition("/")[0]
        return self.sources.get(known, "") + pointer[len(known) :]

    def positions(self, pointers: Iterable[str]) -> dict[str, tuple[int, int]]:
        """Return pointer → (line, column), from 1: the position of the key in an object, or of the item in an array.

        One walk finds all positions. A pointer through an alias gets the position of the alias. A pointer that leads
        nowhere gets the position of its last part that exists.
        """
        from mcpgen.read.document.positions import locate  # imported late: only runs with diagnostics need it

        wanted = {pointer: self.source(pointer) for pointer in pointers}
        found = locate(self.data, self.outline, set(wanted.values()))
        return {pointer: found[source] for pointer, source in wanted.items()}
