"""The description of a tool for models and clients: title, hints, results, confirmation, roles, prompts and resources.

Imports `lower/request` and the rooms below it.
"""
