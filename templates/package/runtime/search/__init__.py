# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Wing: find tools by what they do, and describe them briefly (`--tools search`)."""
