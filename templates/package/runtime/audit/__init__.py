# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Wing: one audit line for each call."""
