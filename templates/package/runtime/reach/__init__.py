# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Wing: further ways to reach the API that operators set, such as unix sockets and constant header fields."""
