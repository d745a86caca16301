# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Call tools from a shell: flags from input schemas, a client of the server itself, shell completion.

May import `text`, `core` and `search`. Loaded only by the commands `call` and `completion`.
"""
