"""`Api` → `Catalog`: the bridge from OpenAPI's words to MCP's. Names, arguments, schemas, descriptions, hints and
bindings.
"""

from mcpgen.lower.lower import lower

__all__ = ["lower"]
