"""Limits on the documents of a run.

Each limit is higher than any known published document needs. The largest documents have about 47 MB of text, two
million values and keys, and 60 levels. Values that YAML aliases repeat have a limit of their own, which a document
without aliases never reaches.

Memory is estimated and taken from its budget before it is used. The estimate keeps every run below 1 GiB; 64 MiB of
`[[],[],…]` would otherwise become 2 GB. It assumes the worst documents of a given size: objects with short, distinct
keys and values. It also assumes that each text contains a wide character, for which Python stores every character in
four bytes.
"""

import sys

from mcpgen.base.diagnostics import Where
from mcpgen.base.errors import FatalError

_OF_A_NODE, _OF_A_SCHEMA = 130, 300
"""Estimated bytes of memory for one value or key, and for one converted schema."""


class Memory:
    """Remaining memory budget. `nodes`: how many values and keys were read."""

    def __init__(self) -> None:
        self.nodes = 0
        self._left = MEMORY

    @property
    def nodes_left(self) -> int:
        """Return how many values and keys may still be read."""
        return min(NODES - self.nodes, self._left // _OF_A_NODE)

    def take_text(self, name: str, data: bytes, text: str) -> None:
        """Subtract a file's memory from the budget: its bytes, its decoded text, and the strings parsed from the text.

        Raises FatalError if the budget is exceeded.
        """
        self._left -= len(data) + 2 * sys.getsizeof(text)
        if self._left < 0:
            message = "The documents of this run are together larger than mcpgen's limit."
            raise FatalError("too-large", message, Where(name), "Generate one server for each document.")

    def take_nodes(self, nodes: int) -> None:
        """Count `nodes` values and keys, and subtract their memory from the budget.

        The caller makes sure that `nodes` is at most `nodes_left`.
        """
        self.nodes += nodes
        self._left -= nodes * _OF_A_NODE

    def take_schemas(self, schemas: int) -> bool:
        """Subtract memory from the budget for converted schemas. Return False if the budget is exceeded."""
        self._left -= schemas * _OF_A_SCHEMA
        return self._left >= 0


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


# -- memory ------------------------------------------------------------------------------------------------------------


def too_many_nodes(most: int, where: Where) -> FatalError:
    """Return the error for more than `most` values and keys."""
    message = f"The documents of this run have more than {most:,} values and keys together, which is the limit."
    return FatalError("too-many-nodes", message, where, "Split the document, or remove what you do not need.")


# -- size of a source --------------------------------------------------------------------------------------------------


def within_budget(data: bytes, name: str) -> bytes:
    """Return `data` unchanged. Raises FatalError if it is larger than the limit for a source."""
    if len(data) > BYTES:
        raise too_large(name)
    return data


def too_large(name: str) -> FatalError:
    """Return the error for the source `name` that is too large."""
    return FatalError(
        "too-large",
        f"{name} is larger than {BYTES:,} bytes.",
        Where(name),
        "Split the document, or remove what you do not need.",
    )
