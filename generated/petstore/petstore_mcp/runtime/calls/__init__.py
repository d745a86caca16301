# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Run one tool call from its name to its result: hooks, request, user consent, exchange, response.

This package defines the order of these steps; lower packages and wings define the rules of each step.
"""
