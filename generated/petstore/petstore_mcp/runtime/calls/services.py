# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Hold the objects that the steps of calls share."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, TypeVar

from ..core import limits, log
from ..core.limits import Shares
from ..http.client import Client
from ..http.sending import Sender
from ..result.result_store import CountedNames, KeptResults
from ..settings import credentials
from ..settings.origins import kept_to
from ..text.redaction import Redactor
from .plain_call import Exchange, Preparation, ResultWriter, kept_logins

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any, Protocol

    from ..core.catalog import Catalog, Tool
    from ..core.effects import Dialogue
    from ..core.limits import Budget
    from ..core.wire_formats import Ask, Result
    from ..http_server.handles import Handles
    from ..inner_calls.inner_calls import Record
    from ..questions.signed_state import States
    from ..result.result_store import Names
    from ..settings.settings import Settings
    from .plain_call import CallUnderWay, PreparedCall

    class Plan(Protocol):
        """Interface of the plan of a tool's calls (steps.Plan)."""

        tool: Tool
        budget: Callable[[], Budget]

    class Calls(Protocol):
        """Interface by which a step makes other calls (execution.ToolExecutor)."""

        lasting: Lasting

        async def call(
            self,
            name: str,
            arguments: dict[str, Any],
            report: Callable[[str], None],
            dialogue: Dialogue,
            ask: Ask | None,
        ) -> Result:
            """Call the tool `name` and return its result.

            Raise OtherOutcome if the call ends with a question to the user or with a protocol error.
            """

        def plan(self, name: str) -> Plan:
            """Return the plan of the calls of the tool `name`."""

        async def run(self, call: CallUnderWay) -> Result:
            """Run the steps of a call, and return its result. Raise OtherOutcome as the method `call` does."""

        async def prepared(self, tool: Tool, arguments: dict[str, Any], budget: Budget) -> PreparedCall:
            """Prepare another request of a tool. Raise one of the exceptions in `Unmade` if that is not possible."""

        async def finished(self, name: str, result: Result, budget: Budget) -> Result:
            """Run the hooks of the tool `name` on a result, and return the result without secrets."""


T = TypeVar("T")

_RESULTS = 4
"""How many results of the largest size are stored at a time."""


class Lasting:
    """Objects that stay when the tools are loaded again: connections, limits, tokens, stored results, and secrets.

    `handles`: stores and issuers of ids that calls need only over HTTP, None over stdio. `record`: the audit log of
    calls that a running call makes, or None; calls of clients are logged where they are received. `closing`: what to
    call when the server ends.
    """

    def __init__(
        self, catalog: Catalog, settings: Settings, handles: Handles | None, names: Names | None = None
    ) -> None:
        self.handles = handles
        self.shared = handles.shared if handles else None
        self.callers = handles.callers if handles else None
        self.record: Record | None = None
        self.closing: list[Callable[[], Awaitable[None]]] = []
        self.redactor = Redactor(())
        log.redact_with(self.redactor.text)
        rooms, files = limits.plan_descriptors(settings["CONCURRENCY"], len(kept_to(settings)))
        if rooms < settings["CONCURRENCY"]:
            log.event("warning", "few_descriptors", rooms=rooms, wanted=settings["CONCURRENCY"])
        shares = Shares(files=files)
        self.client = Client(settings, f"{catalog.name}-mcp/{catalog.version}", shares)
        if self.callers is not None:
            self.callers.connect(self.client, settings["TIMEOUT"], self.redactor.learn)
        turn = self.shared.turn if self.shared else None
        self.sender = Sender(self.client, settings, self.redactor.learn, rooms=rooms, turn=turn, callers=self.callers)
        self.names = names or (handles.names if handles else CountedNames(catalog.name))
        self.resources = KeptResults(_RESULTS * settings.sizes.kept, shares, self.names)
        self._states: States | None = handles.states if handles else None
        self._made: dict[object, Any] = {}

    @property
    def states(self) -> States:
        """Return the object that issues and checks `requestState` values."""
        if self._states is None:
            from ..questions.signed_state import Tickets  # imported late: few calls need a requestState

            self._states = Tickets(os.urandom(32), time.monotonic, os.urandom)
        return self._states

    def once(self, make: Callable[[Lasting], T]) -> T:
        """Return what `make(self)` has made at its first use. So a wing keeps an object as long as the server runs."""
        if make not in self._made:
            self._made[make] = make(self)
        found: T = self._made[make]
        return found

    async def bring(self, uri: str) -> None:
        """Copy the result at `uri` from another replica to this replica, if the current client may read it."""
        whole = uri.strip().partition("?")[0]
        if self.shared is None or self.resources.has(whole) or not self.names.admits(whole):
            return
        if (found := await self.shared.kept(whole)) is not None:
            self.resources.take(whole, *found)

    async def close(self) -> None:
        """Close the connections to the upstream, drop all stored results, and end what the wings have begun."""
        for close in self.closing:
            await close()
        self.resources.close()
        await self.client.close()


class Services:
    """Objects that the steps share, for one version of the tools. `calls`: how a step makes other calls.

    `previews`: False, since calls are made. The services of `--explain` only preview a call.
    """

    calls: Calls
    previews = False

    def __init__(self, catalog: Catalog, settings: Settings, lasting: Lasting) -> None:
        self.catalog = catalog
        self.settings = settings
        self.lasting = lasting
        redactor = lasting.redactor
        redactor.add(credentials.sensitive(catalog.security, settings))
        logins = kept_logins(catalog, settings, redactor.learn)
        keys = credentials.ServerCredentials(catalog.security, settings, logins)
        if settings.rotation is not None:
            settings.rotation.renewed = self._learn_files
        self.preparation = Preparation(catalog, settings, keys, logins)
        lasting.client.agent = self.preparation.agent
        self.exchange = Exchange(catalog, settings, lasting.sender, lasting.names, redactor)
        self.writer = ResultWriter(redactor, lasting.resources, lasting.shared, settings.sizes.shown)
        self._made: dict[object, Any] = {}

    def _learn_files(self) -> None:
        """Redact credentials that files have supplied since the start."""
        for number, secret in enumerate(credentials.sensitive(self.catalog.security, self.settings)):
            self.lasting.redactor.learn(secret, f"file {number}")

    def once(self, make: Callable[[Services], T]) -> T:
        """Return what `make(self)` has made at its first use. So a wing keeps an object for these tools."""
        if make not in self._made:
            self._made[make] = make(self)
        found: T = self._made[make]
        return found
