"""`Api` → `Catalog`: the bridge from OpenAPI's words to MCP's. Names, arguments, schemas, descriptions, hints and
bindings.

This room imports `lock`, `merge` and the rooms below them. Its own floors: `text`, `schema`, `inputs`, `request`,
`tool`, and `lower.py`, which calls them in order.
"""

from mcpgen.lower.lower import lower

__all__ = ["lower"]
