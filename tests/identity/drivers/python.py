"""Drive an official Python client, 1.x or 2.x, from the URL of a server alone.

The client finds the authorization server, registers, sends its user to log in, and calls tools. stdin is a job: `url`;
`browser`, the URL of the test's browser, which gets the authorization URLs; `mode`; `calls`; and `client`. This is the
id of a client already registered at the authorization server `issuer`, or null if the client must register itself. The
output is a report: `listed`, `results`, the `scopes` requested at each login, and `granted`, the scopes of the last
token.
"""

from __future__ import annotations

import asyncio
import json
import sys
import urllib.request
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qs, urlsplit

import mcp  # type: ignore[import-not-found,unused-ignore]
from mcp.client.auth import OAuthClientProvider  # type: ignore[import-not-found,unused-ignore]
from mcp.client.streamable_http import streamable_http_client  # type: ignore[import-not-found,unused-ignore]
from mcp.shared.auth import (  # type: ignore[import-not-found,unused-ignore]
    OAuthClientInformationFull,
    OAuthClientMetadata,
)

BACK = "http://127.0.0.1:4444/callback"
NEWER = hasattr(mcp, "Client")


class Storage:
    """Stores tokens and the registration in memory."""

    def __init__(self) -> None:
        self.tokens: Any = None
        self.client: Any = None

    async def get_tokens(self) -> Any:
        return self.tokens

    async def set_tokens(self, tokens: Any) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> Any:
        return self.client

    async def set_client_info(self, client_info: Any) -> None:
        self.client = client_info


class User:
    """Opens authorization URLs in the test's browser."""

    def __init__(self, browser: str) -> None:
        self.scopes: list[str] = []
        self._browser = browser
        self._back = ""

    async def open(self, url: str) -> None:
        self.scopes.append(parse_qs(urlsplit(url).query).get("scope", [""])[0])
        request = urllib.request.Request(self._browser, url.encode(), method="POST")
        opened = await asyncio.to_thread(urllib.request.build_opener(urllib.request.ProxyHandler({})).open, request)
        with opened:
            self._back = opened.read().decode()

    async def come_back(self) -> Any:
        told = {name: values[0] for name, values in parse_qs(urlsplit(self._back).query).items()}
        if not NEWER:
            return told["code"], told.get("state")
        from mcp.client.auth import AuthorizationCodeResult

        return AuthorizationCodeResult(code=told["code"], state=told.get("state"), iss=told.get("iss"))


@asynccontextmanager
async def connected(job: dict[str, Any], provider: Any) -> Any:
    if NEWER:
        import httpx2 as library  # type: ignore[import-not-found,unused-ignore]
    else:
        import httpx as library
    async with library.AsyncClient(auth=provider, timeout=60, trust_env=False, follow_redirects=True) as http:
        if NEWER:
            streams = streamable_http_client(job["url"], http_client=http)
            async with mcp.Client(streams, mode=job["mode"]) as client:
                yield client
        else:
            async with (
                streamable_http_client(job["url"], http_client=http) as (read, write, _),
                mcp.ClientSession(read, write) as client,
            ):
                await client.initialize()
                yield client


async def drive(job: dict[str, Any]) -> dict[str, Any]:
    storage, user = Storage(), User(job["browser"])
    if job["client"]:
        storage.client = OAuthClientInformationFull(client_id=job["client"], redirect_uris=[BACK], issuer=job["issuer"])
        storage.client.token_endpoint_auth_method = "none"
    metadata = OAuthClientMetadata(redirect_uris=[BACK], client_name="tests", token_endpoint_auth_method="none")
    provider = OAuthClientProvider(job["url"], metadata, storage, user.open, user.come_back)
    async with connected(job, provider) as client:
        listed = [each.name for each in (await client.list_tools()).tools]
        results = []
        for tool, arguments in job["calls"]:
            result = await client.call_tool(tool, arguments)
            results.append(result.content[0].text)
    return {"listed": listed, "results": results, "scopes": user.scopes, "granted": storage.tokens.scope}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(drive(json.load(sys.stdin)))))
