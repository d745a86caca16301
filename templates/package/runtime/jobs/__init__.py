# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Wing: jobs that a call starts, and the MCP tasks that stand for them."""
