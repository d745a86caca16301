# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""The way to the first answer: lines, JSON, the messages of MCP as a table, the tables of the tools, the log.

Every later room stands on this one. May import `text`. Most modules are loaded at every start, so each imports as
little as it can.
"""
