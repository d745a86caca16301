"""Turn an `Api` (in OpenAPI's terms) into a `Catalog` (in MCP's terms): names, arguments, schemas, descriptions, hints
and HTTP requests of tools.

This package imports `base`, `model`, `naming` and `read`. Its subpackages, from the lowest: `text`, `schema`, `inputs`,
`request`, `tool`, `jobs`. `lower.py` calls them.
"""

from mcpgen.lower.lower import lower

__all__ = ["lower"]
