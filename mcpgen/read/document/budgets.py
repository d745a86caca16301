"""How much the documents of a run may ask for. Each number is above the largest published document that we know of.

The largest single documents are about 47 MB of text, two million values and keys, 60 levels deep.
An alias-free document of any size within the first budget is never called a bomb: expansion is counted apart from what
was literally written.
"""

BYTES = 64 * 1024 * 1024
DEPTH = 200
FILES = 2000
NODES = 4_000_000
MEMORY = 800 * 1024 * 1024
"""Both of all files of a run together. What is made of them needs the rest of a GiB (`memory.py`)."""

EXPANSION_FACTOR = 10
EXPANSION_FREE = 100_000
NUMBER_CHARACTERS = 400
OUTLINE = 100_000
