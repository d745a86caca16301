# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Logins of users during calls: use stored logins, and ask the user to log in if the client can open a URL.

The URL goes to the user by elicitation (mode `url`), never into a result, so the model does not see it. Only a server
over stdio asks, because the browser must reach the server's local port: both must run on the same machine.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from ..core import log
from ..core.wire_formats import LOGIN, LOGIN_STATE, OtherOutcome, Question, UrlQuestion
from ..settings.settings import LoginNeeded, NotReady
from .errors import LoginFailed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..calls.plain_call import CallUnderWay
    from ..calls.services import Services
    from ..core.catalog import Catalog, Tool
    from ..core.effects import Dialogue
    from ..core.wire_formats import Ask
    from ..http.client import Client
    from ..http.exchange import Response
    from ..request.request import Request
    from ..settings.settings import Settings
    from ..text.addresses import Address
    from .logins import Logins
    from .run import Login

    Step = Callable[[CallUnderWay], Awaitable[None] | None]

_INSTEAD = {
    "decline": "The user does not want to log in. Do not call it again unless the user asks for it.",
    "cancel": "The user closed the question without logging in. Ask the user before you call it again.",
}


def scopes_of(catalog: Catalog, scheme: str) -> str:
    """Return the scopes that the offered tools need of one security scheme, joined by spaces."""
    found = {
        scope for name in catalog.names() for scope in catalog.tool(name).binding.get("scopes", {}).get(scheme, ())
    }
    return " ".join(sorted(found))


def of_server(services: Services) -> UserLogins:
    """Return the logins of users of one version of the tools."""
    lasting, logins = services.lasting, services.preparation.logins
    assert logins is not None
    found = UserLogins(services.catalog, services.settings, logins, lasting.redactor.learn, lambda: lasting.client)
    lasting.closing.append(found.close)
    return found


def look(services: Services, tool: Tool) -> Step:
    """Return the step that loads the stored logins which can authorize the request."""

    async def step(call: CallUnderWay) -> None:
        await services.preparation.keys.look(tool.binding)

    return step


def around(services: Services, steps: dict[str, Step], names: Iterable[str]) -> dict[str, Step]:
    """Return the steps of a call by name, with one step in place of those of `names`.

    If one of these needs a login, the new step asks the user to log in, and runs all of them again.
    """
    inside = [name for name in steps if name in names]
    together = [steps[name] for name in inside]

    async def run(call: CallUnderWay) -> None:
        for step in together:
            if (waiting := step(call)) is not None:
                await waiting
            if call.result is not None:
                return

    async def logged_in(call: CallUnderWay) -> None:
        await services.once(of_server).run(partial(run, call), call.dialogue, call.ask)

    return {name: logged_in if name in inside else step for name, step in steps.items() if name not in inside[1:]}


class _Pending:
    """Login that has begun and not ended.

    `url`: page for the user. `state`: `requestState` that the repeated call must have. `task`: asyncio task that waits
    for the end of the login.
    """

    __slots__ = ("state", "task", "url")

    def __init__(self, url: str, task: asyncio.Task[str]) -> None:
        self.url = url
        self.task = task
        self.state = LOGIN_STATE + secrets.token_urlsafe(32)


class UserLogins:
    """Logins of one server, used and obtained during calls."""

    def __init__(
        self,
        catalog: Catalog,
        settings: Settings,
        logins: Logins,
        learn: Callable[[str, str], None],
        client: Callable[[], Client],
    ) -> None:
        """Create the object. `logins`: the stored logins. `learn` is called with each secret, to redact it. `client()`
        returns the HTTP client.
        """
        self._logins = logins
        self._catalog = catalog
        self._settings = settings
        self._learn = learn
        self._client = client
        self._pending: dict[str, _Pending] = {}

    async def run(self, step: Callable[[], Awaitable[None]], dialogue: Dialogue, ask: Ask | None) -> None:
        """Run `step`, a part of a call.

        If the step needs a login and the client can open a URL, ask the user to log in, and run the step again. Raise
        the exceptions of the step; NotReady if the user does not log in; and OtherOutcome if the question becomes the
        call's outcome, so that the client asks it and calls again.
        """
        try:
            await step()
        except LoginNeeded as needed:
            if not dialogue.urls or self._settings.listening is not None:
                raise
            await self._obtain(needed, dialogue, ask)
            await step()

    # Over HTTP, a caller's browser would be redirected to another machine, and all callers would share one login. The
    # URL is never part of a result, because a model could change it.
    async def _obtain(self, needed: LoginNeeded, dialogue: Dialogue, ask: Ask | None) -> None:
        """Ask the user to log in, and return once that is done.

        Raise NotReady if the login fails. Raise OtherOutcome if the call must end with the login URL, which the client
        opens before it calls again.
        """
        pending = self._pending.get(needed.scheme)
        if pending is None or pending.task.done():
            pending = self._pending[needed.scheme] = await self._begun(needed)
        visit = UrlQuestion(
            f"{self._catalog.title or self._catalog.name} needs you to log in.", pending.url, pending.state
        )
        if dialogue.urls == "request":
            reply = await ask(visit) if ask is not None else None
        elif _is_same(dialogue.state or "", pending.state):
            reply = dialogue.responses.get(LOGIN)
        else:
            raise OtherOutcome(Question(visit.message, pending.state, visit))
        said = reply.get("action") if isinstance(reply, dict) else None
        log.event("info", "login", scheme=needed.scheme, outcome=said if said in ("accept", *_INSTEAD) else "lost")
        if said != "accept":
            raise NotReady(_INSTEAD.get(str(said), str(needed)))
        if problem := await asyncio.shield(pending.task):
            raise NotReady(f"The login did not succeed: {problem} Call it again to ask the user again.")

    async def _begun(self, needed: LoginNeeded) -> _Pending:
        """Begin a login, and start an asyncio task that waits for its end. Raise NotReady if the login cannot begin."""
        from .run import Login  # imported late: most logins are stored

        scheme = self._logins.scheme(needed.scheme)
        login = Login(scheme, self._logins.kept, self._sent, scopes_of(self._catalog, needed.scheme))
        try:
            await login.look_up()
            url = await login.begin_in_browser(self._settings["LOGIN_PORT"])
        except LoginFailed as reason:
            login.close()
            raise NotReady(f"{needed} {reason}") from None
        return _Pending(url, asyncio.ensure_future(self._finished(needed.scheme, login)))

    async def _finished(self, scheme: str, login: Login) -> str:
        """Wait until the user has logged in, and use the login from now on.

        Return "", or a sentence that says why the login failed.
        """
        try:
            _, token = await login.finish()
        except LoginFailed as reason:
            return str(reason)
        finally:
            login.close()
        self._learn(token, f"access {scheme}")
        if login.entry is not None and login.entry.refresh_token:
            self._learn(login.entry.refresh_token, f"refresh {scheme}")
        self._logins.begun(scheme, token, login.life)
        return ""

    async def _sent(self, request: Request, address: Address) -> Response:
        return await self._client().send(request, address, self._settings["TIMEOUT"])

    async def close(self) -> None:
        """Cancel the logins that wait for the user."""
        for each in self._pending.values():
            each.task.cancel()


def _is_same(one: str, other: str) -> bool:
    """Return True if both texts are equal. The comparison takes constant time, so it reveals no part of the texts."""
    return hmac.compare_digest(one.encode(), other.encode())
