# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Group what calls need over HTTP, where there are several clients and replicas. Over stdio nothing of this is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Protocol

    from ..result.result_names import Names
    from .consent import States

    class Shared(Protocol):
        """What replicas share through the store (replicas.sharing.Sharing)."""

        async def keep(self, name: str, media_type: str, text: bool, pieces: list[bytes], seconds: float) -> None:
            """Let other replicas read the result kept under that name."""

        async def kept(self, name: str) -> tuple[str, bool, list[bytes]] | None:
            """Return what another replica kept under that name: its media type, whether it is text, and its pieces;
            None if absent.
            """

        async def turn(self, most: int, span: float, latest: float) -> tuple[bool, float] | None:
            """Take the next slot of the rate that replicas share; None if each replica counts alone."""


class Handles:
    """Names of kept results, states of confirmations, and the `shared` store: None if there is no store."""

    __slots__ = ("names", "shared", "states")

    def __init__(self, names: Names, states: States, shared: Shared | None = None) -> None:
        self.names = names
        self.states = states
        self.shared = shared
