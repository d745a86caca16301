# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Wing: workflows, tools whose calls run a sequence of other tools."""
