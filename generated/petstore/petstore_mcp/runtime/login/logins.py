# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Logins that a running server uses: which security schemes have a login, and the access tokens obtained with them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ..settings.credentials import TokenRequest
from .errors import LoginFailed
from .kept import KeptLogins
from .renewal import Renewal
from .scheme import UserScheme, command

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..core.catalog import Catalog
    from ..settings.settings import Settings


class Logins:
    """Logins of one server.

    `learn` is called with each secret and its purpose before the secret is used, to redact it.
    """

    def __init__(self, catalog: Catalog, settings: Settings, learn: Callable[[str, str], None]) -> None:
        self._catalog = catalog
        self._settings = settings
        self._learn = learn
        self._known: set[str] = set()
        self._renewals: dict[str, Renewal] = {}
        self.kept = KeptLogins(catalog.name, settings["TOKEN_STORE"], settings.prefix)

    async def look(self, scheme: str) -> None:
        """Find out whether a login of the scheme is stored; `has` then returns the result.

        This happens in a thread, as reading a keyring may block.
        """
        if scheme not in self._known:
            await asyncio.to_thread(self.look_now, scheme)

    def look_now(self, scheme: str) -> None:
        """Find out whether a login of the scheme is stored; `has` then returns the result. May block."""
        try:
            if self.kept.has(self.scheme(scheme)):
                self._known.add(scheme)
        except LoginFailed:  # requests to the authorization server are not allowed: treat the login as not stored
            return

    def has(self, scheme: str) -> bool:
        """Return True if `look` has found a stored login of the scheme, or the user has logged in during a call."""
        return scheme in self._known

    def begun(self, scheme: str, token: str, seconds: float) -> None:
        """From now on, use the user's new login for `scheme` in requests.

        `token`: its access token, used first. `seconds`: lifetime of this token, 0 if unknown.
        """
        self._known.add(scheme)
        self.renewal(scheme).offer(token, seconds)

    def command(self, scheme: str) -> str:
        """Return the command that logs a user in for a scheme."""
        return command(self._catalog, self._catalog.security[scheme], self._settings["LOGIN_NAME"])

    def scheme(self, name: str) -> UserScheme:
        """Return the settings and endpoints of the scheme `name`."""
        return UserScheme(name, self._catalog, self._settings)

    def renewal(self, name: str) -> Renewal:
        """Return the object that provides access tokens for the scheme `name`, and renews them."""
        if name not in self._renewals:
            self._renewals[name] = Renewal(self.scheme(name), self.kept, self._learn)
        return self._renewals[name]

    def grant(self, name: str) -> TokenRequest:
        """Return the token request that uses the stored login of a scheme.

        Raise LoginFailed if requests may not be sent to the authorization server's URL.
        """
        scheme = self.scheme(name)
        grant = TokenRequest(scheme.resolve(scheme.place), "", "", (), [scheme.variable])
        grant.user = self.renewal(name)
        return grant
