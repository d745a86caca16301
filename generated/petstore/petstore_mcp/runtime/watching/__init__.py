# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Wing: resources that clients watch. The server polls the API for them."""
