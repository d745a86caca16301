# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""The program inside a generated server: MCP over stdio on one side, HTTP on the other.

Each folder of the plain core is a room with a floor, and imports only from rooms below its own. From the lowest floor
up:

    text > core > request > settings > http > result > calls > serve, commands > server.py

Every other folder is a wing: all files of one feature, such as `login`. A server has only the wings that it needs, so
the plain core imports a wing only when a call or a flag asks for it.

The first answer needs only `server.py` and modules of `core`, which import no more than `sys`, `os` and builtin C
modules. `serve/engine.py`, `calls/execution.py` and the modules that they import are loaded once a call is likely, in a
thread of their own. `commands` is loaded only for a flag or command on the command line.
"""
