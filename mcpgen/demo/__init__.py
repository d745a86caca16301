"""Embedded upstreams: small real HTTP APIs on loopback, for `mcpgen demo` and for the tests.

They implement the documents in `specs/` and share nothing with the compiler or with generated servers, so what they
receive is an independent reading of what was sent. Standard library only, no clock, no randomness.
"""
