# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Run the server as a process: event loop, reading of stdin, reloading, HTTP, and the flags of the command line.

This package may import `calls` and all lower packages.
"""
