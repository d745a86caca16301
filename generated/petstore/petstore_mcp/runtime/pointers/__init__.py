# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Wing: JSON Pointers, and the conditions and removals that use them."""
