"""Convert OpenAPI 2.0 documents (formerly Swagger) to the same `Api` as later versions.

In OpenAPI 2.0, parameters are schemas, bodies are parameters, and media types, hosts and security are written in other
places.
"""

from mcpgen.read.openapi.swagger.inputs import read_inputs
from mcpgen.read.openapi.swagger.servers import as_servers

__all__ = ["as_servers", "read_inputs"]
