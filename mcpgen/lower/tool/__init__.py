"""Derive what models and clients see of a tool (title, description, hints, output schema), its guards (confirmation,
roles), and prompts and resources.

Imports `lower/request` and packages of lower layers.
"""
