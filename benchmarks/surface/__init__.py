"""Measure what a model sees of real APIs: names, schemas, tokens, descriptions.

Each part reads the document with a reader of its own, and the generated files. It uses no code of the compiler.
"""
