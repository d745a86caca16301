# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Run the server as a process: the event loop, the reading of stdin, and the running calls.

This package may import `calls` and packages of lower layers.
"""
