"""The binding of a tool: where each argument goes, and which credentials go with it.

Imports `lower/inputs` and the rooms below it.
"""
