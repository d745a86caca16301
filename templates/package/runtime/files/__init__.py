# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Wing: files of the operator in requests, and opening files in a folder without following links."""
