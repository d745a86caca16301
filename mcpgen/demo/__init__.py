"""Example APIs: small real HTTP servers on loopback, for `mcpgen demo` and for tests, and the scenes of the demo.

The APIs implement the documents in `specs/` and share no code with the compiler or with generated servers, so they
check requests independently. They use only the standard library, no clock and no randomness. The demo imports
`regenerate` and the rooms below it.
"""
