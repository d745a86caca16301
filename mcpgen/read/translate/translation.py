"""A document in the making: OpenAPI, and for its parts the places in the file that they were made of."""

from dataclasses import dataclass, field, replace

from mcpgen.base.jsonvalue import JsonObject, pointer
from mcpgen.read.document import Document


# Decision 0193: Other formats become OpenAPI.
@dataclass(slots=True)
class Translation:
    """An OpenAPI 3.1 document. `sources`: pointer in `value` → pointer in the file that was translated."""

    value: JsonObject
    sources: dict[str, str] = field(default_factory=dict)

    def note(self, target: tuple[str | int, ...], source: str) -> None:
        """Remember that the part at the tokens `target` was made of the part at the pointer `source` of the file."""
        self.sources[pointer("", *target)] = source

    def document(self, original: Document) -> Document:
        """Return the translation as a document with the name and the text of `original`."""
        return replace(original, value=self.value, sources=dict(self.sources))
