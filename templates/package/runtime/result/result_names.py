# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Create the URIs under which large results are stored.

Over stdio, where there is a single client, the URIs end in a number. Over HTTP, `replicas.sealed_results` creates URIs
that nobody can guess.
"""

from __future__ import annotations

from functools import partial
from itertools import count, repeat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    class Names(Protocol):
        """Interface of a creator of URIs for stored results, which also decides who may read them.

        Over HTTP, the module `replicas.sealed_results` implements this protocol.
        """

        def new(self) -> Callable[[], str]:
            """Return a function that creates the URI for a result of the current call, since few calls need a URI."""

        def admits(self, uri: str) -> bool:
            """Return whether the client of the current request may read the result stored at `uri`."""


class CountedNames:
    """Creator of URIs for a single client: `SERVER://result/1` and so on."""

    def __init__(self, server: str) -> None:
        self._before = f"{server}://result/"
        # Each call takes a number, and few calls need a URI: so `new` runs no Python code.
        self.new: Callable[[], Callable[[], str]] = map(partial, repeat(self._uri), count(1)).__next__

    def _uri(self, number: int) -> str:
        return f"{self._before}{number}"

    def admits(self, uri: str) -> bool:
        """Return True: over stdio, the single client may read every result."""
        return True
