"""Combine several API descriptions, and the decisions of their owner, into one API.

Decisions are the owner's own tools, overrides, options, a base URL and logins. This room imports `naming`, `read` and
the rooms below them.
"""
