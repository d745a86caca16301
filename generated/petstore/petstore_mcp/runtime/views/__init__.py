# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Show results as tables, cards and forms, in clients with the extension MCP Apps (`io.modelcontextprotocol/ui`)."""
