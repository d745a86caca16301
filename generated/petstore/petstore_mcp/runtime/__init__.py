# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""The program inside a generated server: MCP over stdio on one side, HTTP on the other.

Each folder is a room with a floor, and imports only from rooms on floors below its own. From the lowest floor up:

    text > core > request > settings, hooks.py > http > result > calls > serve > server.py

The first answer needs only `server.py` and modules of `core`, which import no more than `sys`, `os` and builtin C
modules. `serve/engine.py`, `calls/execution.py` and the modules that they import are loaded once a call is likely, in a
thread of their own. `serve/commands.py` and its imports are loaded only for a flag or command on the command line.
"""
