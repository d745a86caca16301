# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Settings from environment variables, checked before the first call: addresses, origins, limits, credentials, TLS.

Nothing is sent here. May import `request` and the folders below it.
"""
