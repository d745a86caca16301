# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""ASGI application of this server, for ASGI servers with their own worker processes: `uvicorn NAME_mcp.asgi:app`."""

import os

from .runtime.http_server.over_http import application

app = application(os.path.dirname(os.path.abspath(__file__)))
