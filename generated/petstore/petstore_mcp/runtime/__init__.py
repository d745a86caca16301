# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""The program inside a generated server: MCP over stdio on one side, HTTP on the other.

Each folder is a room with a floor, and imports only from rooms on floors below its own:

    text > core > request > settings, hooks.py > http > result > calls > serve > server.py

The way to the first answer, which imports no more than `sys`, `os` and builtin C modules, is `server.py` and modules of
`core`. Loaded once a call is likely, in a thread of its own: `serve/engine.py`, `calls/execution.py`, and all that this
uses. Loaded for a flag on the command line: `serve/commands.py` and what it names.
"""
