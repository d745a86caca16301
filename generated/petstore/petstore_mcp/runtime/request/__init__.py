# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Arguments of a call to the exact request.

Checks arguments against their schema, words what is wrong with them, and writes each parameter and the body. Pure:
the content of files and random bytes are handed in. May import `core` and `text`.
"""
