# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Implement MCP over Streamable HTTP without I/O. HTTP requests go in; effects (actions to carry out) and parts of
responses come out.
"""
