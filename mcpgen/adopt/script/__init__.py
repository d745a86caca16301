"""Read a Python file that serves an API description with FastMCP. The file is parsed and never executed.

`values` holds data types for the values of expressions, and `scopes` finds the assignments to names. `evaluate`
computes the value of an expression from both. `clients` reads HTTP clients, and `server` reads the calls that create a
server.
"""

from mcpgen.adopt.script.server import read

__all__ = ["read"]
