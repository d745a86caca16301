"""Translate API descriptions in other formats to OpenAPI 3.1: Google Discovery documents and Postman collections.

A translation is a `Document` whose value is OpenAPI and whose text is the file of the user. So later passes need to
know only OpenAPI, and diagnostics still name lines of the file.
"""

from collections.abc import Callable

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.jsonvalue import JsonObject, as_object, as_text
from mcpgen.read.document import Document
from mcpgen.read.translate.translation import Translation


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
