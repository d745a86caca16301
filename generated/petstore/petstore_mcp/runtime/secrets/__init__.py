# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Wing: words that name secrets, for which forms must not ask, and which the audit log must not contain."""
