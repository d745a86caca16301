# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Handle the redirect URI of the authorization code flow, to which the browser returns after a login.

Checks, in this order:

    path of the URI     names a security scheme for which users log in
    `state`             was encrypted by this server for the scheme of the path, and has not expired
    `state`             was not used before, at any replica
    `iss` (RFC 9207)    if present, is the authorization server to which the user was sent
    the user            began this login: shown by the ID token, or confirmed by the user on a page with the user's name
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from ..core import log
from ..settings.settings import NotReady
from . import login_links, login_pages
from .delegation_settings import USER
from .login_links import SECONDS, STATE, TICKET
from .token_requests import Unfetched, code_form
from .who import CheckedCaller

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ..http_server.sealed.seal import Seal
    from .delegation_settings import Delegation
    from .login_links import PendingLogin
    from .login_pages import Page
    from .provider_metadata import Servers
    from .user_tokens import UserTokens

    Spend = Callable[[str, float, str], Awaitable[str]]

LONGEST_CODE = 4096
_MOST_FIELDS = 20
_REFUSALS = ("access_denied", "login_required", "consent_required", "interaction_required")


class Callback:
    """Handler of the redirect URIs of all schemes for which users log in.

    `server` is the server's name, shown on pages.
    """

    def __init__(self, server: str, seal: Seal, spend: Spend, users: UserTokens, servers: Servers) -> None:
        """Create a handler.

        `spend` marks the number of a login (`PendingLogin.number`) as used, for some seconds. It returns "", or the
        reason why the number cannot be marked.
        """
        self._server = server
        self._seal = seal
        self._spend = spend
        self._users = users
        self._servers = servers
        self.delegations: dict[str, Delegation] = {}

    async def arrive(self, path: str, query: str) -> Page:
        """Return the page for a browser that returns from the authorization server.

        `path`: path of the redirect URI, which ends with the name of the security scheme.
        """
        said, delegation = _fields(query), self._of(path)
        begun = self._opened(STATE, said.get("state", ""), delegation)
        if begun is None or delegation is None:
            return login_pages.unknown()
        if (refusal := await self._used_up(begun)) is not None:
            return refusal
        try:
            endpoints = await self._servers.endpoints(delegation)
        except NotReady as reason:
            return self._failed(begun, str(reason))
        named = said.get("iss")
        if endpoints.issuer and named != endpoints.issuer and (named is not None or endpoints.says_issuer):
            log.seldom("warning", "login_mixed_up", scheme=begun.scheme)
            return self._failed(begun, "The answer came from another authorization server than the one that was asked.")
        code = said.get("code", "")
        if "error" in said or not 0 < len(code) <= LONGEST_CODE:
            error = said.get("error")
            told = f" ({error})" if error in _REFUSALS else ""
            return self._failed(begun, f"The authorization server gave no code{told}.")
        begun.code = code
        if begun.claim:
            return await self._finish(begun, delegation)
        begun.number = login_links.new_number()
        provider, ticket = endpoints.token.address.authority, begun.sealed(self._seal, TICKET)
        return login_pages.question(self._server, begun.shown, begun.issuer, provider, path, ticket)

    async def go_on(self, path: str, body: bytes) -> Page:
        """Finish the login after the user has confirmed, on the page `login_pages.question`, that they began it. Return
        the next page.
        """
        ticket = _fields(body.decode("latin-1")).get("ticket", "")
        delegation = self._of(path)
        begun = self._opened(TICKET, ticket, delegation)
        if begun is None or delegation is None:
            return login_pages.unknown()
        if (refusal := await self._used_up(begun)) is not None:
            return refusal
        return await self._finish(begun, delegation)

    async def _used_up(self, begun: PendingLogin) -> Page | None:
        """Mark the random number in a login's `state`, or in a confirmation page's `ticket`, as used. So each of these
        works only once.

        Return None, or an error page if the number was used before at any replica, or if this cannot be found out now.
        """
        void = await self._spend(begun.number, SECONDS, _user(begun))
        if not void:
            return None
        return login_pages.unknown() if void == "used" else login_pages.unavailable()

    async def _finish(self, begun: PendingLogin, delegation: Delegation) -> Page:
        """Redeem the code for tokens, store them for the user who began the login, and return the page for the
        browser.
        """
        try:
            endpoints = await self._servers.endpoints(delegation)
            token = await self._servers.ask(delegation, code_form(delegation, begun.code, begun.verifier))
        except (NotReady, Unfetched) as reason:
            return self._failed(begun, str(reason))
        now, client = time.time(), delegation.client[0]
        if begun.claim and not login_links.is_of_user(token.id_token, begun, endpoints.issuer, client, now):
            log.seldom("warning", "login_of_another", scheme=begun.scheme)
            return self._failed(begun, "Another user has logged in than the one who began the login.")
        await self._users.logins.keep(_user(begun), begun.scheme, self._users.login_of(token))
        log.seldom("info", "login", scheme=begun.scheme)
        return login_pages.done(self._server)

    def _failed(self, begun: PendingLogin, sentence: str) -> Page:
        self._users.logins.fail(_user(begun), begun.scheme)
        return login_pages.failed(self._server, sentence)

    def _of(self, path: str) -> Delegation | None:
        slug = path.rpartition("/")[2]
        return next((each for each in self.delegations.values() if each.way == USER and each.slug == slug), None)

    def _opened(self, purpose: str, handle: str, delegation: Delegation | None) -> PendingLogin | None:
        """Decrypt `handle`: the `state` of a login link, or the hidden field `ticket` on the confirmation page. Return
        the login, or None if `handle` is invalid or belongs to another scheme.
        """
        begun = login_links.opened(self._seal, purpose, handle) if handle else None
        if begun is None or delegation is None or begun.scheme != delegation.scheme:
            return None
        return begun


def _user(begun: PendingLogin) -> str:
    return CheckedCaller(begun.issuer, begun.subject).name


def _fields(text: str) -> dict[str, str]:
    """Return the fields of a query or form.

    Return {} if a name occurs twice, since programs disagree on which value counts.
    """
    try:
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="strict")
    except ValueError:
        return {}
    found = dict(pairs)
    return found if len(found) == len(pairs) else {}
