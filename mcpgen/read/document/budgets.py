"""Limits on the documents of a run.

Each limit is higher than any known published document needs. The largest documents have about 47 MB of text, two
million values and keys, and 60 levels. Values that YAML aliases repeat have a limit of their own, which a document
without aliases never reaches.
"""

BYTES = 64 * 1024 * 1024
DEPTH = 200
FILES = 2000
NODES = 4_000_000
MEMORY = 800 * 1024 * 1024
"""Limits for all files of a run together: number of values and keys, and bytes of memory.

The compiler's own data needs the rest of a GiB (`memory.py`).
"""

EXPANSION_FACTOR = 10
EXPANSION_FREE = 100_000
NUMBER_CHARACTERS = 400
OUTLINE = 100_000
