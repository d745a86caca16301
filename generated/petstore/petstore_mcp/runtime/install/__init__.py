# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Add this server to the configuration of MCP clients, and remove it again.

Loaded only by the commands `install` and `uninstall`. Imports `text`, `core` and `settings`.
"""
