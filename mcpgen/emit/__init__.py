"""`Catalog` → `FileTree`: the only room where text of a document becomes part of a file.

Text reaches the JSON table through `compact`, and TOML, YAML and Markdown through one sink each. The Python of a
generated project is copied byte for byte from `templates/package`, so no byte of it depends on a document. This room
imports `check` and the rooms below it.
"""

from mcpgen.emit.offered import DEPLOYMENT, OFFERED, ONCE, offered_now
from mcpgen.emit.project import emit, user_files

__all__ = ["DEPLOYMENT", "OFFERED", "ONCE", "emit", "offered_now", "user_files"]
