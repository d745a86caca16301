"""How much a document may ask for. Each number is several times the largest published document that we know of.

The largest single documents are about 40 MB of text, two million values, 60 levels deep. An alias-free document of any
size within the first budget is never called a bomb: expansion is counted apart from what was literally written.
"""

BYTES = 64 * 1024 * 1024
DEPTH = 200
FILES = 2000
NODES = 8_000_000
EXPANSION_FACTOR = 10
EXPANSION_FREE = 100_000
NUMBER_CHARACTERS = 400
OUTLINE = 100_000
