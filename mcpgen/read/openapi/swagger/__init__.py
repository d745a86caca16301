"""OpenAPI 2.0, which was called Swagger → the same `Api`: its parameters are schemas, its bodies are parameters, and
its media types, hosts and security are said in other places.
"""

from mcpgen.read.openapi.swagger.inputs import read_inputs
from mcpgen.read.openapi.swagger.servers import as_servers

__all__ = ["as_servers", "read_inputs"]
