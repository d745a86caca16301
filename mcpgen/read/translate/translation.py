"""Data type for a translated document under construction: the OpenAPI document, and for each of its parts the place in
the original file.
"""

from dataclasses import dataclass, field, replace

from mcpgen.base.jsonvalue import JsonObject, pointer
from mcpgen.read.document import Document


# The passes of the compiler understand only OpenAPI, so other formats are translated (docs/decisions/compiling.md).
@dataclass(slots=True)
class Translation:
    """An OpenAPI document. `sources`: pointer in `value` → pointer into the file that was translated."""

    value: JsonObject
    sources: dict[str, str] = field(default_factory=dict)

    def note(self, target: tuple[str | int, ...], source: str) -> None:
        """Record that the part of `value` at the JSON Pointer tokens `target` was made from the part of the file at the
        pointer `source`.
        """
        self.sources[pointer("", *target)] = source

    def document(self, original: Document) -> Document:
        """Return a document with the translation as its value, and the name and text of `original` for diagnostics."""
        return replace(original, value=self.value, sources=dict(self.sources))
