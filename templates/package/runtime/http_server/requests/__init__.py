# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Handle one HTTP request from its body to its whole response, for both doors."""
