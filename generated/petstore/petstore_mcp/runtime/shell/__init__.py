# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Call tools from a shell. Contains flags made from input schemas, an MCP client that runs this server, and shell
completion.

May import `text`, `core` and `search`. Loaded only by the commands `call` and `completion`.
"""
