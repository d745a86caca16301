# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Carry out a login from its beginning until its tokens are stored."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from .answers import Client
from .browser import SECONDS, BrowserLogin
from .device import DeviceLogin
from .endpoints import Endpoints, find
from .errors import LoginFailed
from .lock import locked
from .registration import register
from .token_answer import granted

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..oauth.discovery import Send
    from .answers import Answer
    from .entry import Entry
    from .kept import KeptLogins
    from .scheme import UserScheme
    from .token_store import Store

OFFLINE = "offline_access"


class Login:
    """One login of a user for one scheme.

    Call `begin_in_browser` or `begin_on_device`, show the user the URL or code that it returns, then call `finish`.
    Call `close` at the end.
    """

    def __init__(self, scheme: UserScheme, kept: KeptLogins, send: Send, scopes: str) -> None:
        """Create the login. `scopes` are separated by spaces."""
        self._scheme = scheme
        self._kept = kept
        self._send = send
        self._scopes = scopes
        self._found = Endpoints()
        self._client = Client("")
        self._registered_at: int | None = None
        self._browser: BrowserLogin | None = None
        self._device: DeviceLogin | None = None
        self.entry: Entry | None = None

    @property
    def scopes(self) -> str:
        """Return the scopes to request, separated by spaces."""
        return self._scopes

    async def look_up(self) -> Endpoints:
        """Find the endpoints, and check that the login can be stored.

        Raise LoginFailed if there is no token endpoint, or if the store cannot be read.
        """
        await asyncio.to_thread(self._kept.check)
        self._found = await find(self._scheme, self._send)
        if self._found.gives_offline_access and OFFLINE not in self._scopes.split():
            self._scopes = f"{self._scopes} {OFFLINE}".strip()
            if "openid" not in self._scopes.split():
                self._scopes = f"openid {self._scopes}"
        return self._found

    async def begin_in_browser(self, port: int = 0) -> str:
        """Return the URL that the user opens. Raise LoginFailed if the port is taken or no client can be registered."""
        known = await self._registered()
        self._browser = BrowserLogin(self._found, f"{self._scheme.server}: {self._scheme.label}")
        try:
            await self._browser.listen(port or (known.port if known is not None else 0))
        except LoginFailed:
            if port or known is None:
                raise
            await self._browser.listen(0)
            known = None  # the OAuth client's registered port cannot be opened: register a new client
        if known is not None and known.port != self._browser.receiver.port:
            known = None
        await self._choose_client(known, self._browser.receiver.redirect_uri)
        if self._registered_at is not None:
            self._registered_at = self._browser.receiver.port
        return self._browser.url(self._client, self._scopes)

    async def begin_on_device(self) -> tuple[str, str]:
        """Return the URL that the user opens on another device, and the code to type there.

        Raise LoginFailed if the authorization server gives no code or no valid URL.
        """
        await self._choose_client(None, "")
        self._device = DeviceLogin(self._found, self._client, self._send)
        return await self._device.begin(self._scopes)

    async def finish(self, seconds: float = SECONDS) -> tuple[Store, str]:
        """Wait for the user, and store the login.

        Return the store and the access token. Raise LoginFailed if the login fails.
        """
        answer = await self._answer(seconds)
        assert self._found.token is not None
        server = self._found.token.address.authority
        self.entry, token = await granted(
            answer, self._client, self._found, self._scopes, self._send, server, self._registered_at
        )
        async with locked(self._scheme.server):
            return await asyncio.to_thread(self._kept.write, self._scheme, self.entry), token

    @property
    def life(self) -> float:
        """Return for how many more seconds the access token is valid, 0 if unknown."""
        ends = self.entry.access_ends if self.entry is not None else 0.0
        return max(ends - time.time(), 1.0) if ends else 0.0

    def close(self) -> None:
        """Close the port that waits for the browser."""
        if self._browser is not None:
            self._browser.close()

    async def _answer(self, seconds: float) -> Answer:
        if self._browser is not None:
            return await self._browser.finish(self._client, self._send, seconds)
        assert self._device is not None
        return await self._device.finish()

    async def _registered(self) -> Entry | None:
        """Return the stored login whose dynamically registered client can be used again, or None."""
        if self._scheme.client_id:
            return None
        try:
            found = await asyncio.to_thread(self._kept.read, self._scheme)
        except LoginFailed:
            return None
        if found is None or not found[0].registered or found[0].issuer != self._found.issuer:
            return None
        return found[0] if found[0].port else None

    async def _choose_client(self, known: Entry | None, redirect_uri: str) -> None:
        """Use the operator's client, else the client registered before, else register one.

        Raise LoginFailed if the registration fails.
        """
        if self._scheme.client_id:
            self._client = Client(self._scheme.client_id, self._scheme.client_secret)
            return
        self._registered_at = 0
        if known is not None:
            self._client = Client(known.client_id, known.client_secret)
        else:
            self._client = await register(self._scheme, self._found, redirect_uri, self._scopes, self._send)


def open_page(url: str, open_url: Callable[[str], bool]) -> bool:
    """Open the URL in a browser. Return True if that seems to have worked."""
    try:
        return open_url(url)
    except Exception:  # any exception, since browser launchers raise different exceptions on different systems
        return False
