"""The arguments of a tool: parameters and members of the body, each with a name and a schema.

Imports `lower/schema` and `lower/text`.
"""
