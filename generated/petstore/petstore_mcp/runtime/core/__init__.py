# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Everything that the first answer needs: lines, JSON, JSON-RPC and MCP messages, the catalog of tools, log and
audit.

This package may import only `text`, and most packages import `core`. Most modules of this package are loaded at every
start, so each imports as few modules as possible.
"""
