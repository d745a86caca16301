# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Encrypt the ids and states that clients store for the server, so that any replica can read them."""
