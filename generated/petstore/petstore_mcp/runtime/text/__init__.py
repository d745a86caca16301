# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Pure functions on text: hidden characters, secrets, escapes, shortening, header fields, addresses and file types.

This package uses neither MCP nor the generated JSON files. It may import no other package of the runtime.
"""
