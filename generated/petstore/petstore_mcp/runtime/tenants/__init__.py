# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Wing: variables of the server URL, such as a tenant or a region, that calls give as arguments."""
