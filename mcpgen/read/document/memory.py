"""Memory budget for the documents of one run. Memory is estimated and taken from the budget before it is used.

The estimate keeps every run below 1 GiB; 64 MiB of `[[],[],…]` would otherwise become 2 GB. It assumes the worst
documents of a given size: objects with short, distinct keys and values. It also assumes that each text contains a wide
character, for which Python stores every character in four bytes.
"""

import sys

from mcpgen.base.diagnostics import Where
from mcpgen.base.errors import FatalError
from mcpgen.read.document import budgets

_OF_A_NODE, _OF_A_SCHEMA = 130, 300
"""Estimated bytes of memory for one value or key, and for one converted schema."""


class Memory:
    """Remaining memory budget. `nodes`: how many values and keys were read."""

    def __init__(self) -> None:
        self.nodes = 0
        self._left = budgets.MEMORY

    @property
    def nodes_left(self) -> int:
        """Return how many values and keys may still be read."""
        return min(budgets.NODES - self.nodes, self._left // _OF_A_NODE)

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


def too_many_nodes(most: int, where: Where) -> FatalError:
    """Return the error for more than `most` values and keys."""
    message = f"The documents of this run have more than {most:,} values and keys together, which is the limit."
    return FatalError("too-many-nodes", message, where, "Split the document, or remove what you do not need.")
