# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Wing: several accounts of the API in one server, each with settings, credentials, limits and results of its own."""
