"""Parse bytes into a `Document`: one JSON value, with the line and column of any part of it on demand.

Text is parsed as JSON first, which is several times faster, and else as YAML with the meaning of YAML 1.2. Both parsers
have limits, so hostile text is refused and cannot crash or block the compiler. `openapi`, `overlay` and `toolsfile`
interpret the value.
"""

from mcpgen.read.document.document import Document
from mcpgen.read.document.library import Library
from mcpgen.read.document.load import load
from mcpgen.read.document.redaction import redacted

__all__ = ["Document", "Library", "load", "redacted"]
