# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""An MCP server over stdio whose tools call an HTTP API.

`tools.json` describes the tools, and `bindings.json` the requests that they send. `hooks.py` is for your own code.
`runtime/` is the program that serves the tools, and is the same in every generated server.
"""
