"""`Catalog` → `FileTree`: the only place where text of a document becomes part of a file.

It reaches the JSON table through `compact`, and TOML and Markdown through one sink each. The Python of a generated
project is copied byte for byte from `templates/package`, so no byte of it can depend on a document.
"""

from mcpgen.emit.project import emit, user_files

__all__ = ["emit", "user_files"]
