# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Wing: bodies and parameters that a template writes, and XML."""
