# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Implement MCP over Streamable HTTP without I/O: HTTP requests go in; actions to carry out (effects) and parts of
responses come out.

This package may import `text`, `core`, `settings` and `replicas`. It is imported only by a server that uses the HTTP
transport. The two HTTP servers, called doors, are in `serve`.
"""
