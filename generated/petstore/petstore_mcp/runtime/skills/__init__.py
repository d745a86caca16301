# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Skills: folders of instructions for a model, as resources and by the methods of their extension of MCP."""
