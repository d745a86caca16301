"""Combine several API descriptions and the decisions of their owner into one API, in OpenAPI's words.

Decisions are own tools, overrides, options, a base URL and logins. This room imports `naming`, `read` and the rooms
below them.
"""
