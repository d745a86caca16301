"""Translate API descriptions in other formats to OpenAPI 3.1: Google Discovery documents and Postman collections.

A translation is a `Document` whose value is OpenAPI and whose text is the file of the user. So later passes need to
know only OpenAPI, and diagnostics still name lines of the file.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.jsonvalue import JsonObject, as_object, as_text, pointer
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


def translated(document: Document, diagnostics: Diagnostics) -> Document:
    """Return `document` translated to OpenAPI 3.1 if it is in another known format, else the document itself.

    Raises FatalError if the format is known, but its version is not.
    """
    translate = _translator(as_object(document.value))
    if translate is None:
        return document
    return translate(document, diagnostics).document(document)


def _translator(root: JsonObject) -> Callable[[Document, Diagnostics], Translation] | None:
    if root.get("kind") == "discovery#restDescription":
        from mcpgen.read.translate.discovery import translate as discovery  # imported late: few documents need it

        return discovery
    if _is_collection(root) or _is_collection(as_object(root.get("collection"))):
        from mcpgen.read.translate.postman import translate as postman  # imported late: few documents have this format

        return postman
    return None


def _is_collection(root: JsonObject) -> bool:
    info = as_object(root.get("info"))
    return "item" in root and ("schema.getpostman.com" in as_text(info.get("schema")) or "_postman_id" in info)
