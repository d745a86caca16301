"""Measure what a model sees of real APIs: names, schemas, tokens, descriptions.

Each part reads the document with a reader of its own, and the generated files. These readers use no code of the
compiler.
"""
