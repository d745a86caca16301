# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Everything that the first answer needs: framing, JSON, JSON-RPC and MCP messages, tool tables, log and audit.

All later folders build on `core`. May import `text`. Most of these modules are loaded at every start, so each imports
as few modules as possible.
"""
