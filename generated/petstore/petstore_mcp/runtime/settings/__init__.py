# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Read settings from environment variables, and check them before the first call: addresses, limits, credentials, TLS.

This package sends no requests. It may import `request` and packages of lower layers.
"""
