"""Bytes → `Document`: one JSON value, and the line and column of any part of it on demand.

JSON is tried first, since it is several times quicker, then YAML with the meaning of YAML 1.2. Both are read under
budgets, so hostile text is refused and never crashes or hangs the compiler. What the value means is left to `openapi`,
`overlay` and `toolsfile`.
"""

from mcpgen.read.document.document import Document
from mcpgen.read.document.library import Library
from mcpgen.read.document.load import load

__all__ = ["Document", "Library", "load"]
