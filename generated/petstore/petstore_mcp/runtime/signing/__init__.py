# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Wing: credentials that never leave the server, because a signature of each request proves them."""
