# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Kept logins of a running server: which schemes have one, and the grants that take tokens from them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ..settings.grants import TokenRequest
from .errors import LoginFailed
from .kept import KeptLogins
from .renewal import Renewal
from .scheme import UserScheme, command

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..core.catalog import Catalog
    from ..settings.settings import Settings


class Logins:
    """Logins of one server. `learn` is called with each secret, and its purpose, before the secret is used."""

    def __init__(self, catalog: Catalog, settings: Settings, learn: Callable[[str, str], None]) -> None:
        self._catalog = catalog
        self._settings = settings
        self._learn = learn
        self._known: set[str] = set()
        self._renewals: dict[str, Renewal] = {}
        self.kept = KeptLogins(catalog.name, settings.token_store, settings.prefix)

    async def look(self, scheme: str) -> None:
        """Find out whether a login of the scheme is kept. The store is asked in a thread, as a keyring may wait."""
        if scheme not in self._known:
            await asyncio.to_thread(self.look_now, scheme)

    def look_now(self, scheme: str) -> None:
        """Find out whether a login of the scheme is kept."""
        try:
            if self.kept.has(self.scheme(scheme)):
                self._known.add(scheme)
        except LoginFailed:  # its URLs are not accepted
            return

    def has(self, scheme: str) -> bool:
        """Return True if a login of the scheme was found."""
        return scheme in self._known

    def begun(self, scheme: str, token: str, seconds: float) -> None:
        """Use a login that the user has just made. `seconds` is the life of its access token, 0 if unknown."""
        self._known.add(scheme)
        self.renewal(scheme).offer(token, seconds)

    def command(self, scheme: str) -> str:
        """Return the command that logs a user in for a scheme."""
        return command(self._catalog.name, self._catalog.security[scheme], self._catalog.prefix)

    def scheme(self, name: str) -> UserScheme:
        """Return what is known of a scheme."""
        return UserScheme(name, self._catalog, self._settings)

    def renewal(self, name: str) -> Renewal:
        """Return the source of access tokens of a scheme."""
        if name not in self._renewals:
            self._renewals[name] = Renewal(self.scheme(name), self.kept, self._learn)
        return self._renewals[name]

    def grant(self, name: str) -> TokenRequest:
        """Return the grant that takes its tokens from the login of a scheme. Raises LoginFailed."""
        scheme = self.scheme(name)
        grant = TokenRequest(scheme.resolve(scheme.place), "", "", (), [scheme.variable])
        grant.user = self.renewal(name)
        return grant
