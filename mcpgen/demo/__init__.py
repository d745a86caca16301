"""Embedded upstreams: small real HTTP APIs on loopback, for `mcpgen demo` and for the tests, and the story that the
demo tells.

The APIs implement the documents in `specs/` and share nothing with the compiler or with generated servers. So they read
independently what was sent. They use only the standard library, no clock and no randomness. The story imports
`regenerate` and the rooms below it.
"""
