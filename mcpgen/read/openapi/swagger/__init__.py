"""OpenAPI 2.0, formerly Swagger → the same `Api`.

Its parameters are schemas, its bodies are parameters, and media types, hosts and security stand in other places.
"""

from mcpgen.read.openapi.swagger.inputs import read_inputs
from mcpgen.read.openapi.swagger.servers import as_servers

__all__ = ["as_servers", "read_inputs"]
