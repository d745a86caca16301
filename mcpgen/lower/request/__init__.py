"""Describe the HTTP request of a tool: where each argument goes, and which credentials are sent.

Imports `lower/inputs` and packages of lower layers.
"""
