# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Wing: call tools from a shell. Contains flags made from input schemas, an MCP client that runs this server, and shell
completion (`call`, `completion`).
"""
