"""Derive tool names from operationIds, paths, summaries and HTTP methods, and shorten long names.

All functions are pure. This package imports only `model` and `base`.
"""
