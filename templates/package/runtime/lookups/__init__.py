# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Wing: calls that need more than one request: all pages of a list, and ids that are found by names."""
