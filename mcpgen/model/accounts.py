"""Data type for an account of the API, one of several in a server."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from mcpgen.base.diagnostics import Where


@dataclass(frozen=True, slots=True)
class Account:
    """One account of a server. Its environment variables have `prefix` behind the prefix of the server.

    `headers`: header fields of its requests.
    """

    name: str
    prefix: str
    where: Where
    description: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)

    def environment(self, server: str) -> str:
        """Return how its environment variables begin. `server`: how those of the server begin."""
        return f"{server}_{self.prefix}"
