"""What a model sees of real APIs, measured: names, schemas, tokens, descriptions.

Each part reads the document with a reader of its own and the emitted files; of the compiler it knows nothing.
"""
