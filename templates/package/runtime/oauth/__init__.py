# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Wing: fetching access tokens, and renewing them. The wings `login`, `identity` and `delegation` need it."""
