# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""One call from its name to its result: hooks, request, consent of the user, exchange, answer.

The order of these steps is here; the rules of each are in lower rooms. May import `runtime/hooks.py` and the rooms
below it.
"""
