"""Example APIs and the steps of `mcpgen demo`. The APIs are small real HTTP servers on loopback, also used by tests.

The APIs implement the documents in `specs/` and share no code with the compiler or with generated servers, so they
check requests independently. They use only the standard library, no clock and no randomness. The package imports
`regenerate` and packages of lower layers.
"""
