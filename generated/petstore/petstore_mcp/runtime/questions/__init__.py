# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Wing: asking the user before a call: for a confirmation, for arguments, and by forms."""
