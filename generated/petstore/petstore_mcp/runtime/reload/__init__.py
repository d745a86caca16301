# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Wing: loading regenerated tables into a running server."""
