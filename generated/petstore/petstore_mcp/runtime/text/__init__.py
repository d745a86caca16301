# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Pure functions over text: hidden characters, secrets, escapes, shortening, header fields, addresses, types of
files.

They know neither MCP nor the tables of the server. May import no other room.
"""
