# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Wing: the owner's rules for results, content blocks, output schemas, and downloads."""
