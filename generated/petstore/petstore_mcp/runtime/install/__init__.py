# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Write this server into the configuration of MCP clients, and take it out again.

Loaded by the commands `install` and `uninstall` alone. Imports `text`, `core` and `settings`.
"""
