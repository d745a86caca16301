"""Translate API descriptions in other formats to OpenAPI 3.1: Google Discovery documents and Postman collections.

A translation is a `Document` whose value is OpenAPI and whose text is the file of the user. So later passes need to
know only OpenAPI, and diagnostics still name lines of the file.
"""

from mcpgen.read.translate.formats import translated

__all__ = ["translated"]
