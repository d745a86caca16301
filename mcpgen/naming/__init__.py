"""Derive the names of tools from their operations: ids, paths, summaries, verbs, shortening.

All functions are pure. This package imports only `model` and `base`.
"""
