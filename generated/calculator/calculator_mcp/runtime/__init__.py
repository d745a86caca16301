# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""The program inside a generated server: MCP over stdio on one side, HTTP on the other.

Each module imports only those before it. The way to the first answer, which imports no more than `sys`, `os` and
builtin C modules:

    framing > jsontext > jsonrpc > effects > shapes > catalog > protocol > stdio > server

Loaded once a call is likely, in a thread of its own: engine, calls, and all that `calls` uses. Loaded for a flag on the
command line: commands, doctor, reload, subscriptions. `log` belongs to all.
"""
