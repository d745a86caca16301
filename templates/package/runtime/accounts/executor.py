# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Run each call in its account: an executor for each account, with connections, tokens, limits and results of its own.

The account is the value of an argument, or over HTTP the one that the operator has set for the caller.
"""

from __future__ import annotations

from copy import copy
from itertools import count
from typing import TYPE_CHECKING

from ..calls.execution import ToolExecutor
from ..calls.plain_call import CallUnderWay, sentence
from ..calls.services import Lasting
from ..core import log, spans
from ..core.wire_formats import Contents, Result
from ..request.argument_errors import Problem, Refused
from ..settings.settings import NotReady

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..calls.steps import Plan
    from ..core.catalog import Catalog
    from ..core.effects import Fetch
    from ..core.wire_formats import Block
    from ..http_server.handles import Handles
    from ..result.result_store import KeptResults
    from ..settings.settings import Settings


_NOBODY = "This server does not know the account of this caller. Only its operator can set one, by {}_CALLER_ACCOUNTS."


class AccountsExecutor(ToolExecutor):
    """Executor of the calls of a server with several accounts. Tools that need no account run in itself."""

    def __init__(
        self,
        catalog: Catalog,
        settings: Settings,
        handles: Handles | None = None,
        lasting: Lasting | None = None,
        former: Mapping[str, ToolExecutor] | None = None,
    ) -> None:
        """Create the executors. `former`: those of the accounts for the former tools."""
        super().__init__(catalog, settings, handles, lasting)
        self._settings = settings
        for view, _ in settings.accounts.values():
            view.reader = catalog.reader
        self._of = {
            name: ToolExecutor(
                view, own, lasting=former[name].lasting if former and name in former else self._lasts(name)
            )
            for name, (view, own) in settings.accounts.items()
        }
        stored: Any = _Results(self._of, self._allowed)
        self.resources = self.names = self.lasting.resources = self.lasting.names = stored
        log.redact_with(self._redacted)

    def _lasts(self, name: str) -> Lasting:
        """Return what lasts for an account: over HTTP, handles are sealed for it."""
        view, own = self._settings.accounts[name]
        if (handles := self.lasting.handles) is not None and handles.apart is not None:
            return Lasting(view, own, handles.apart(name))
        return Lasting(view, own, None, _Names(f"{view.name}://result/{name}/"))

    def _redacted(self, text: str) -> str:
        for each in (self, *self._of.values()):
            text = each.lasting.redactor.text(text)
        return text

    def _of_caller(self) -> str | None:
        """Return the account that the operator has set for the caller, or None if calls choose their account.

        Raise NotReady if the caller has no account.
        """
        callers = self._settings["CALLER_ACCOUNTS"]
        if callers is None or self._settings.listening is None:
            return None
        found: str = callers.account(spans.peer(), self._settings)
        if not found:
            raise NotReady(_NOBODY.format(self._settings.prefix))
        return found

    def _allowed(self) -> list[str]:
        """Return the accounts whose results the caller may read."""
        try:
            own = self._of_caller()
        except NotReady:
            return []
        return [*self._of] if own is None else [own]

    def _chosen(self, argument: str, arguments: dict[str, Any]) -> str:
        """Return the account of a call. Raise Refused if the call cannot have the account that it names."""
        own, given = self._of_caller(), arguments.get(argument)
        able = [*self._of] if own is None else [own]
        if given is None and own is not None:
            return own
        if given not in able:
            raise Refused(Problem(argument, f"expected {'one of ' * (len(able) > 1)}{', '.join(able)}"))
        return str(given)

    def plan(self, name: str) -> Plan:
        """Return the plan of a tool. Calls of a tool with an account run the steps that the account's executor makes.

        So the plan has only the tool with its argument, and the time budget, which is the same for all accounts.
        """
        tool = self.services.catalog.tool(name)
        if name not in self._plans and "account" in tool.binding:
            self._plans[name] = entrance = copy(next(iter(self._of.values())).plan(name))
            entrance.tool, entrance.steps, entrance.after, entrance.last = tool, (), (), ()
        return super().plan(name)

    async def run(self, call: CallUnderWay) -> Result:
        argument = call.tool.binding.get("account")
        if argument is None:
            return await super().run(call)
        try:
            name = self._chosen(argument, call.arguments)
        except (Refused, NotReady) as reason:
            call.refuse(sentence(call.tool.name, reason))
            assert call.result is not None
            return call.result
        spans.note(account=name)
        inner = self._of[name]
        inner.lasting.record = self.lasting.record
        left = {key: value for key, value in call.arguments.items() if key != argument}
        plan = inner.plan(call.tool.name)
        return await inner.run(CallUnderWay(plan.tool, left, call.report, call.dialogue, call.ask, plan.budget()))

    async def fetch(self, wanted: Fetch) -> Contents | Result:
        try:
            name = self._of_caller()
        except NotReady as reason:
            return Result.error(str(reason))
        if name is None:
            return Result.error(
                "This server has several accounts, and nothing says which of them is meant. Call a tool."
            )
        return await self._of[name].fetch(wanted)

    async def version(self, wanted: Fetch, before: Any) -> None:
        return None  # a poll has no caller, so no account

    def following(self, catalog: Catalog, settings: Settings) -> ToolExecutor:
        after = AccountsExecutor(catalog, settings, lasting=self.lasting, former=self._of)
        for warning in settings.warnings:
            if warning not in self._settings.warnings:
                log.event("warning", "setting", reason=warning)
        return after

    async def close(self) -> None:
        for each in self._of.values():
            await each.close()
        await super().close()


class _Names:
    """Maker of URIs for the results of one account over stdio."""

    def __init__(self, before: str) -> None:
        self._before = before
        self._numbers = count(1)

    def new(self) -> Callable[[], str]:
        number = next(self._numbers)
        return lambda: f"{self._before}{number}"

    def admits(self, uri: str) -> bool:
        """Return True if a result of this account can be at the URI."""
        return uri.startswith(self._before)


class _Results:
    """Stored results of all accounts. A reader finds those of the accounts that it may use."""

    def __init__(self, accounts: Mapping[str, ToolExecutor], allowed: Callable[[], list[str]]) -> None:
        self._accounts = accounts
        self._allowed = allowed

    def _store(self, uri: str) -> KeptResults | None:
        whole = uri.strip().partition("?")[0]
        able = (self._accounts[name] for name in self._allowed())
        return next((each.lasting.resources for each in able if each.lasting.names.admits(whole)), None)

    def admits(self, uri: str) -> bool:
        """Return True if the caller may read the result at the URI."""
        return self._store(uri) is not None

    def has(self, uri: str) -> bool:
        """Return True if the result at the URI is in this process."""
        store = self._store(uri)
        return store is not None and store.has(uri)

    def take(self, uri: str, media_type: str, text: bool, pieces: list[bytes]) -> None:
        """Store a copy of the result of another replica."""
        if (store := self._store(uri)) is not None:
            store.take(uri, media_type, text, pieces)

    def read(self, uri: str) -> list[Block] | None:
        """Return the contents of a slice, or None if there is none for the caller."""
        store = self._store(uri)
        return None if store is None else store.read(uri)

    def look_up(self, uri: str) -> Contents:
        """Return the contents for `resources/read`."""
        store = self._store(uri)
        return Contents(uri, None) if store is None else store.look_up(uri)

    def close(self) -> None:
        """Do nothing: the executors of the accounts drop their results."""
