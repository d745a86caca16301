"""Several descriptions and the decisions of their owner as one API, in OpenAPI's words.

Decisions are own tools, overrides, options, a base URL and logins. May import `naming`, `read` and the rooms below
them.
"""
