# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""A call up to the moment before it is sent. One sequence, for what sends and for what only shows:

    hooks, arguments checked | request built, address found, hooks, credentials attached

Between its halves stands the hook that answers in place of the request. Nothing in here opens a connection: an access
token that has to be fetched is attached later (sending.py).
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Protocol

from . import hooking, request
from .allowance import Allowance
from .arguments import Checker
from .files import Files
from .keys import SHORTEST_REDACTED
from .refusal import HookFailed, Refuse, Refused, report
from .settings import NotReady

if TYPE_CHECKING:
    from .addresses import Address
    from .catalog import Catalog, Tool
    from .credentials import Attached
    from .settings import Settings

    class Keys(Protocol):
        """What puts credentials into requests (credentials.Keys)."""

        def attach(self, request: request.Request, binding: dict[str, Any]) -> Attached:
            """Attach what the binding wants, as far as it is there. Raises NotReady."""


Unmade = (Refused, NotReady, HookFailed, Refuse)
"""Why a call is not made, all of it before a byte leaves."""


class Ready:
    """A request with its credentials, where it goes, the variables that the credentials came from, and what its access
    token is to be fetched with, where it needs one. `private` is what hooks put where credentials go.
    """

    __slots__ = ("address", "grant", "private", "request", "variables")

    def __init__(
        self, request: request.Request, address: Address, attached: Attached, private: list[str] | None = None
    ) -> None:
        self.request = request
        self.address = address
        self.private = private or []
        self.variables = attached.variables
        self.grant = attached.grant

    def __str__(self) -> str:
        """The request line, for people: without the query, which may hold credentials."""
        return f"{self.request.method} {self.address}{self.request.path}"


class Preparation:
    """Prepares the calls of one server. `agent` is the User-Agent, `NAME-mcp/VERSION`."""

    def __init__(self, catalog: Catalog, settings: Settings, keys: Keys) -> None:
        self.agent = f"{catalog.name}-mcp/{catalog.version}"
        self.hooks = hooking.load([*catalog.names(), *catalog.hidden])
        self._settings = settings
        self._keys = keys
        self._checker = Checker()
        self._files = Files(settings.files_dir, f"{settings.prefix}_FILES_DIR")

    def allowance(self, tool: Tool) -> Allowance:
        """What a call of that tool may take."""
        return Allowance(tool.binding.get("timeout", self._settings.timeout), time.monotonic)

    async def checked(self, tool: Tool, arguments: dict[str, Any], allowance: Allowance) -> dict[str, Any]:
        """The arguments as the hooks leave them, checked. Raises Refused, HookFailed or Refuse."""
        arguments = await self.hooks.before(tool.name, arguments, allowance)
        if problems := self._checker.check(tool, arguments):
            raise Refused(*problems)
        return arguments

    async def ready(self, tool: Tool, arguments: dict[str, Any], entropy: bytes, allowance: Allowance) -> Ready:
        """The request for checked arguments, as the hooks leave it. Raises Refused, NotReady, HookFailed or Refuse.

        `entropy` is at least 16 random bytes.
        """
        if self._settings.problems:
            raise NotReady(" ".join(self._settings.problems))
        built = request.build(tool, arguments, self._files, entropy)
        address = self._settings.server(built.server)
        built = await self.hooks.request(tool.name, built, allowance)
        private = _private(built)
        return Ready(built, address, self._keys.attach(built, tool.binding), private)


def _private(built: request.Request) -> list[str]:
    """What hooks put where only credentials go; no parameter writes it."""
    values = [value for name, value in built.headers if name.lower() == "authorization"]
    parts = [part for value in values for part in (value, value.rpartition(" ")[2])]
    return [part for part in parts if len(part) >= SHORTEST_REDACTED]


def sentence(tool: str, reason: Exception) -> str:
    """Why that tool was not called, for the model that called it; `reason` is one of Unmade."""
    if isinstance(reason, Refused):
        return report(reason.problems, tool)
    if isinstance(reason, Refuse):
        return f"{tool} was not called. {hooking.refusal(reason)}"
    return f"{tool} was not {'completed' if isinstance(reason, HookFailed) else 'called'}. {reason}"
