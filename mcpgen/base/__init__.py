"""Foundations for all other packages of mcpgen: diagnostics, errors, JSON values, rules for names and addresses, a tree
of files.

Nothing here knows about API descriptions or tools. This package imports no other package of mcpgen.
"""
