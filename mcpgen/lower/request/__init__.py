"""The binding of a tool: where each argument goes, and which credentials go with it.

May import `lower/inputs` and the rooms below it.
"""
