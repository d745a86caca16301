# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Wing: calls that a call makes, such as those of programs."""
