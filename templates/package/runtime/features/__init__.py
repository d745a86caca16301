# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Wing: resources, prompts and completions that the API fetches."""
