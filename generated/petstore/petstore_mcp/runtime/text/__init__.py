# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Text: pure functions for hidden characters, secrets, escapes, shortening, header fields, addresses and file types.

They know neither MCP nor the tables of the server. May import no other folder of the runtime.
"""
