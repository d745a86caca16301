# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Make the URIs under which large results are kept. Over stdio, where there is one client, they end in a number."""

from __future__ import annotations

from itertools import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    class Names(Protocol):
        """Maker of URIs for kept results, which also decides who may read them. Over HTTP: replicas.sealed_results."""

        def new(self) -> Callable[[], str]:
            """Return the function that makes the URI for what the current call may keep. Few calls need the URI."""

        def admits(self, uri: str) -> bool:
            """Return whether the client of the current request may read the result kept at that URI, if there is
            one.
            """


class CountedNames:
    """Maker of URIs for a single client: `SERVER://result/1` and so on."""

    def __init__(self, server: str) -> None:
        self._before = f"{server}://result/"
        self._numbers = count(1)

    def new(self) -> Callable[[], str]:
        """Return the function that makes the URI for what the current call may keep. Calls are counted."""
        number = next(self._numbers)
        return lambda: f"{self._before}{number}"

    def admits(self, uri: str) -> bool:
        """Return True: the single client may read every result."""
        return True
