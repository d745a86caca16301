"""Read a Python file that serves an API description with FastMCP. It is parsed and never executed.

`values` are what expressions are known to be, `scopes` finds what names are bound to, `evaluate` joins them, `clients`
reads HTTP clients, and `server` reads the calls that make a server.
"""

from mcpgen.adopt.script.server import read

__all__ = ["read"]
