"""Turn a `Catalog` into a `FileTree`. Only this package writes text of a document into files.

Text reaches the JSON files through `compact`, and TOML, YAML and Markdown through one escaping function (sink) each.
The Python of a generated project is copied byte for byte from `templates/package`, so no byte of it depends on a
document. This package imports `check` and packages of lower layers.
"""

from mcpgen.emit.offered import DEPLOYMENT, OFFERED, ONCE, offered_now
from mcpgen.emit.project import emit, parts_in, unneeded, user_files

__all__ = ["DEPLOYMENT", "OFFERED", "ONCE", "emit", "offered_now", "parts_in", "unneeded", "user_files"]
