# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Wing: a store that all replicas share. A replica is one of several processes that serve the same API."""
