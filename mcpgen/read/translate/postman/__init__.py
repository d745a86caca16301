"""Translate Postman collections (format 2.0 and 2.1).

The format is described by the JSON Schema that `info.schema` of a collection names, and by the documentation of the
Postman Collection SDK. A collection describes requests by examples, so types are guessed from values, cautiously.
"""

from mcpgen.read.translate.postman.collection import translate

__all__ = ["translate"]
