"""Foundations for all other rooms: diagnostics, errors, JSON values, rules for names and addresses, a tree of files.

Nothing here knows about API descriptions or tools. This room imports no other room.
"""
