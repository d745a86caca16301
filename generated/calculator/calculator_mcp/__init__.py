# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""An MCP server over stdio whose tools call an HTTP API.

`tools.json` and `bindings.json` say what the tools are and what each sends; `hooks.py` is yours; `runtime/` is the
program that serves them, the same in every generated server.
"""
