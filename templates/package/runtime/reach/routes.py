# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Connect to each host on the way that the operator has set: a unix socket, a proxy (HTTP or SOCKS), or directly.

Only the base URL of the operator leads to a unix socket, and only requests to its origin take it. No text of a document
or of the API names a socket: no redirect and no variable of a server can lead to another.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import aiohttp

from ..http.connections import Connections
from .proxies import SOCKET_HOST, is_socks, socket_path

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from ..http.connections import Answer, Field, SendRecord
    from ..request.request import Request
    from ..settings.settings import Settings
    from ..text.addresses import Address


class Routes(Connections):
    """Direct connections, and a pool for each other way. Create and use it inside a running event loop."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        proxy, base_url = settings["PROXY"], settings["BASE_URL"]
        self._exceptions = settings["NO_PROXY"]
        self._usual: Connections = self
        self._socket: Connections = self
        if is_socks(proxy):
            self._usual = Connections(settings, pool=partial(_socks_pool, proxy))
        elif proxy is not None:
            self._usual = Connections(settings, proxy)
        if base_url.startswith("unix:"):
            self._socket = Connections(settings, pool=partial(aiohttp.UnixConnector, socket_path(base_url), limit=0))

    def ask(self, request: Request, address: Address, fields: list[Field], leaving: SendRecord) -> Awaitable[Answer]:
        """Send a request as `Connections.ask` does, on the way to its address."""
        way = self._way(address)
        ask = super().ask if way is self else way.ask
        return ask(request, address, fields, leaving)

    def _way(self, address: Address) -> Connections:
        if address.host == SOCKET_HOST:
            return self._socket
        if any(is_exempt(address) for is_exempt in self._exceptions):
            return self
        return self._usual

    async def close(self) -> None:
        await super().close()
        for each in {self._usual, self._socket} - {self}:
            await each.close()


def _socks_pool(proxy: str) -> aiohttp.BaseConnector:
    """Return a pool of connections through a SOCKS proxy, which also looks up the names of hosts."""
    # imported late: an extra, which few operators need
    from aiohttp_socks import ProxyConnectionError, ProxyConnector, ProxyError, ProxyTimeoutError

    class Pool(ProxyConnector):
        async def _wrap_create_connection(self, *args: Any, req: aiohttp.ClientRequest, **more: Any) -> Any:
            try:
                return await super()._wrap_create_connection(*args, req=req, **more)
            except (ProxyConnectionError, ProxyError, ProxyTimeoutError):
                # The library's own exceptions are unknown to the client, which names the proxy for this one.
                raise aiohttp.ClientProxyConnectionError(req.connection_key, OSError()) from None

    scheme, _, rest = proxy.partition("://")
    pool: aiohttp.BaseConnector = Pool.from_url(f"{scheme.lower().removesuffix('h')}://{rest}", rdns=True, limit=0)
    return pool
