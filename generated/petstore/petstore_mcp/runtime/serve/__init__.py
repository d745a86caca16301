# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""The server as a process: its event loop, who reads stdin, reloading, and the flags of the command line.

May import `calls` and the rooms below it.
"""
