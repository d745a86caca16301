"""Bind a tool to HTTP requests: where each argument goes, and which credentials are sent.

Imports `lower/inputs` and the packages below it.
"""
