# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Wing: add this server to the configuration of MCP clients, and remove it again (`install`, `uninstall`)."""
