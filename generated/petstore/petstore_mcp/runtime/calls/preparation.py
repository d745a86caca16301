# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Prepare a call up to the moment before it is sent. The same sequence serves sending and previewing:

    1. Run `before_` hooks, and check the arguments.
    2. Build the request, find its address, run `request_` hooks, and choose credentials.
    3. Attach the credentials.

If the tool has an `instead_of_` hook, a call runs this hook in place of steps 2 and 3. A call that needs the user's
consent waits for it before this hook or before step 3, so that no secret is used for an unwanted call. Nothing here
opens a connection. If a token must be fetched first, http/sending.py attaches it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from ..core import log, spans
from ..core.limits import Budget, Exhausted
from ..request import request
from ..request.argument_errors import HookFailed, Refuse, Refused, report
from ..request.arguments import HOST_MEMBERS, Checker, known_names, unknown_kinds
from ..request.request import WITH_FILES
from ..settings.credential_env import SHORTEST_REDACTED
from ..settings.settings import NotReady
from .hook_loading import load

if TYPE_CHECKING:
    from ..core.catalog import Catalog, Tool
    from ..login.logins import Logins
    from ..results.downloads import Download
    from ..settings.credentials import SelectedCredentials
    from ..settings.settings import Settings
    from ..text.addresses import Address

    class ServerCredentials(Protocol):
        """Interface for selecting the credentials of a request, implemented by credentials.ServerCredentials."""

        async def look(self, binding: Binding) -> None:
            """Load the stored user logins that can authorize requests of `binding`, a tool's entry in
            `bindings.json`.
            """

        def choose(self, binding: Binding) -> SelectedCredentials:
            """Return the credentials for requests of `binding`, a tool's entry in `bindings.json`. Raise NotReady if a
            required credential is not set.
            """

    from ..tables.table import Binding


Unmade = (Refused, NotReady, HookFailed, Refuse)
"""Exceptions for a call that is not made. All of them are raised before a byte is sent."""


_SENDS_NOTHING = {
    "reads": "It reads what this server has kept, and sends nothing.",
    "follows": "It looks at jobs that other tools have started.",
    "search": "It finds or calls other tools, and sends nothing itself.",
}
"""Key in the binding of a tool of the server itself -> why such a tool has no request."""


class PreparedCall:
    """A prepared request, its address and its `chosen` credentials.

    - `files`: digest of the files to send, if the call must be confirmed.
    - `private`: credentials that hooks wrote into the request, to be redacted.
    - `download`: the file to which the response is to be saved, if any.
    """

    __slots__ = ("address", "chosen", "download", "files", "private", "request")

    def __init__(
        self, request: request.Request, address: Address, chosen: SelectedCredentials, files: str, private: list[str]
    ) -> None:
        self.request = request
        self.address = address
        self.chosen = chosen
        self.files = files
        self.private = private
        self.download: Download | None = None

    def __str__(self) -> str:
        """Return the request line for display, without the query, which may contain credentials."""
        return f"{self.request.method} {self.address}{self.request.path}"


# Credentials are selected first, because a user should not be asked about a call that cannot be sent
# (docs/decisions/calls.md).
class Preparation:
    """Component that checks the arguments of tool calls and builds HTTP requests from them.

    `agent`: the value of User-Agent in these requests, `NAME-mcp/VERSION`.
    """

    def __init__(
        self,
        catalog: Catalog,
        settings: Settings,
        keys: ServerCredentials,
        entropy: Callable[[int], bytes] = os.urandom,
    ) -> None:
        """Load the hooks of the tools in `catalog`. `keys`: object that selects the credentials of a request.
        `entropy(n)` returns n random bytes.
        """
        self.agent = f"{catalog.name}-mcp/{catalog.version}"
        self.hooks = load([*catalog.names(), *catalog.hidden])
        self._settings = settings
        self._limit = f"{settings.prefix}_TIMEOUT"
        self._keys = keys
        self._entropy = entropy
        self._ignored, self._told = settings["IGNORE_ARGUMENTS"], set[str]()
        self._checker = Checker(HOST_MEMBERS | self._ignored)
        closed = settings.listening is not None and not settings.listening["HTTP_FILES"]
        allowed_by = f"{settings.prefix}_HTTP_FILES" if closed else ""
        self._opened = settings["FILES_DIR"], f"{settings.prefix}_FILES_DIR", allowed_by

    def budget(self, tool: Tool) -> Budget:
        """Return the time budget for one call of `tool`."""
        setting = self._limit
        if "timeout" in tool.binding:
            setting = f"`timeout` of {tool.name}"
        return Budget(tool.binding.get("timeout", self._settings["TIMEOUT"]), time.monotonic, setting=setting)

    async def checked(self, tool: Tool, arguments: dict[str, Any], budget: Budget) -> dict[str, Any]:
        """Run the hooks on the arguments, then check and return the arguments.

        Raise Refused if an argument is wrong, HookFailed if a hook fails, and Refuse if a hook refuses the call.
        """
        if not self.hooks.idle:
            arguments = await self.hooks.before(tool.name, arguments, budget)
        return self.verified(tool, arguments, budget)

    def verified(self, tool: Tool, arguments: dict[str, Any], budget: Budget) -> dict[str, Any]:
        """Check the arguments by the tool's input schema and return them. Raise Refused if an argument is wrong."""
        with budget:
            if self._checker.fits(tool, arguments):
                return arguments
            checked, sent = self._read_leniently(tool, arguments, budget)
            if self._checker.fits(tool, checked):
                return sent
            problems = self._checker.check(tool, checked, budget)
        if problems or not problems.complete:
            raise Refused(*problems, complete=problems.complete)
        return sent

    def _read_leniently(
        self, tool: Tool, arguments: dict[str, Any], budget: Budget
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Read arguments that do not fit the schema as clients write them. Return the arguments to check and to send.

        They differ if the body may contain null where the schema does not show it.
        """
        # Imported late: only needed for arguments that do not fit.
        from ..request.arguments import read_leniently, with_argument_names, without_host_members

        known = known_names(tool)
        named = with_argument_names(tool.binding, known, arguments)
        named, left_out = without_host_members(named, known, self._ignored)
        for name in left_out:
            if name not in self._told:
                self._told.add(name)
                log.event(
                    "info",
                    "ignored_argument",
                    argument=name,
                    reason="clients add it to calls, and the tool has no such argument",
                )
        reading = budget.apart()  # if it runs out, the check must still find what is wrong
        try:
            checked, parsed = read_leniently(tool.schema, named, reading)
            nullable = tool.binding.get("nullable", ())
            sent, _ = read_leniently(tool.schema, named, reading, nullable) if nullable else (checked, [])
        except Exhausted:
            return named, named
        if parsed:
            spans.note(parsed=tuple(parsed))
        return checked, sent

    async def ready(self, tool: Tool, arguments: dict[str, Any], budget: Budget) -> PreparedCall:
        """Build the request for checked arguments and run the hooks on it.

        Raise Refused if an argument is wrong, NotReady if a setting is missing, HookFailed if a hook fails, and Refuse
        if a hook refuses the call.
        """
        if not tool.binding.keys().isdisjoint(_SENDS_NOTHING):
            raise NotReady(next(reason for key, reason in _SENDS_NOTHING.items() if key in tool.binding))
        for each in tool.binding.get("lookups", ()):
            if each["argument"] in arguments:
                raise NotReady(f"{each['argument']} is looked up by {each['tool']} first: give {each['id']} to see it.")
        built, address, digest = self._built(tool, arguments)
        download = self._download(tool, arguments)
        hooked = built if self.hooks.idle else await self.hooks.request(tool.name, built, budget)
        private = [] if hooked is built else _private(hooked)
        await self._keys.look(tool.binding)
        ready = PreparedCall(hooked, address, self._keys.choose(tool.binding), digest, private)
        ready.download = download
        return ready

    async def unhooked(self, tool: Tool, arguments: dict[str, Any]) -> PreparedCall:
        """Build the request without running hooks.

        Raise Refused if an argument is wrong, and NotReady if a setting is missing.
        """
        await self._keys.look(tool.binding)
        built, address, digest = self._built(tool, arguments)
        return PreparedCall(built, address, self._keys.choose(tool.binding), digest, [])

    def at(self, binding: Binding, built: request.Request, address: Address) -> PreparedCall:
        """Combine a finished request with the credentials that `binding`, a tool's entry in `bindings.json`, requires.
        Raise NotReady if a credential is not set.
        """
        return PreparedCall(built, address, self._keys.choose(binding), "", [])

    def _download(self, tool: Tool, arguments: dict[str, Any]) -> Download | None:
        """Return the file in which the call wants to save the response, or None if it wants no file.

        Raise Refused if the file name is wrong.
        """
        if self._settings["DOWNLOADS_DIR"] is None:
            return None
        argument = tool.binding.get("saves")
        if argument not in arguments or argument not in tool.schema.get("properties", ()):
            return None
        from ..results.downloads import Download  # imported late: few calls save their response

        return Download(argument, arguments[argument], self._settings)

    def _built(self, tool: Tool, arguments: dict[str, Any]) -> tuple[request.Request, Address, str]:
        """Return the request, its address, and the digest of its files: "" if it sends none or needs no consent."""
        if self._settings.problems:
            raise NotReady(" ".join(self._settings.problems))
        if tool.plan is None and (strange := unknown_kinds(tool.binding)):
            raise NotReady(f"Its request has the {strange}, which this server does not know: generate it again.")
        files = None
        if (body := tool.binding.get("body")) is not None and body["encoding"] in WITH_FILES:
            from ..files.files import Digested, Files  # imported late: few tools send files

            files = (Digested if "confirm" in tool.binding else Files)(*self._opened)
        built = request.build(tool, arguments, files, self._entropy)
        return built, self._settings.server(built.server), files.digest if files else ""


def kept_logins(catalog: Catalog, settings: Settings, learn: Callable[[str, str], None]) -> Logins | None:
    """Return the stored logins of this server, or None if users cannot log in for any of its security schemes.

    `learn` is called with each secret, to redact it.
    """
    if not any("user" in scheme for scheme in catalog.security.values()):
        return None
    from ..login.logins import Logins  # imported late: most servers have no logins

    return Logins(catalog, settings, learn)


def _private(built: request.Request) -> list[str]:
    """Return the credentials that hooks have written into the Authorization header field of a request. The server's own
    credentials are attached later.
    """
    values = [value for name, value in built.headers if name.lower() == "authorization"]
    parts = [part for value in values for part in (value, value.rpartition(" ")[2])]
    return [part for part in parts if len(part) >= SHORTEST_REDACTED]


def sentence(tool: str, reason: Exception) -> str:
    """Return the text for the model that says why a tool was not called. `reason`: one of the exceptions in `Unmade`.

    If the tool was called and its result is withheld, use `hook_runner.withheld` instead.
    """
    if isinstance(reason, Refused):
        return report(reason.problems, tool, reason.complete)
    if isinstance(reason, Refuse):
        from ..hooks.hook_runner import refusal  # already loaded: only hooks and calls with hooks raise Refuse

        return f"{tool} was not called. {refusal(reason)}"
    return f"{tool} was not {'completed' if isinstance(reason, HookFailed) else 'called'}. {reason}"
