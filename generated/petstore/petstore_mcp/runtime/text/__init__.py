# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Pure functions on text: hidden characters, secrets, escapes, shortening, header fields, addresses and file types.

They know neither MCP nor the server's tables. May import no other folder of the runtime.
"""
