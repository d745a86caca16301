"""What the documents of one run may take of memory: estimated before it is taken, so that no run needs more than a GiB.

64 MiB of `[[],[],…]` would become 2 GB. The estimate is of the worst documents of their size: objects whose keys and
values are short texts that differ, and characters of which one takes four bytes and so each does.
"""

import sys

from mcpgen.base.diagnostics import Where
from mcpgen.base.errors import CannotGoOn
from mcpgen.read.document import budgets

_OF_A_NODE, _OF_A_SCHEMA = 130, 300
"""Bytes of a value or a key, and of a schema that is converted."""


class Memory:
    """What is left of it. `nodes` are the values and keys that were read."""

    def __init__(self) -> None:
        self.nodes = 0
        self._left = budgets.MEMORY

    @property
    def nodes_left(self) -> int:
        """How many values and keys may still be read."""
        return min(budgets.NODES - self.nodes, self._left // _OF_A_NODE)

    def take_text(self, name: str, data: bytes, text: str) -> None:
        """Take what a file needs: its bytes, its text, and the texts in it once more. CannotGoOn if it is too much."""
        self._left -= len(data) + 2 * sys.getsizeof(text)
        if self._left < 0:
            message = "The files of the run are too large to be read together."
            raise CannotGoOn("too-large", message, Where(name), "Make a server of each.")

    def take_nodes(self, nodes: int) -> None:
        """Take what so many values and keys need, of which `nodes_left` said that there may be so many."""
        self.nodes += nodes
        self._left -= nodes * _OF_A_NODE

    def take_schemas(self, schemas: int) -> bool:
        """Take what so many converted schemas need; return whether there is as much left."""
        self._left -= schemas * _OF_A_SCHEMA
        return self._left >= 0


def too_many_nodes(most: int, where: Where) -> CannotGoOn:
    """Return the error that says that there are more values and keys than `most`."""
    message = f"There are more than {most:,} values and keys: that is all that there is room for in one run."
    return CannotGoOn("too-many-nodes", message, where, "Split the document, or take out what is not needed.")
