"""Measure what a model sees of real APIs: names, schemas, tokens, descriptions.

Each part reads the document by its own reader, and the emitted files; it uses nothing of the compiler.
"""
