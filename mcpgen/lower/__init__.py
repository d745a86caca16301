"""Turn an `Api` (in OpenAPI's terms) into a `Catalog` (in MCP's terms): names, arguments, schemas, descriptions, hints
and HTTP requests of tools.

This package imports `lock`, `merge` and packages of lower layers. Its subpackages, from the lowest: `text`, `schema`,
`inputs`, `request`, `tool`. `lower.py` calls them in order.
"""

from mcpgen.lower.lower import lower

__all__ = ["lower"]
