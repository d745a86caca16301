"""Drive an official Python client, 1.x or 2.x, from the URL of a server alone.

The client finds the authorization server, registers, sends its user to log in, and calls tools. stdin is a job: `url`;
`browser`, the URL of the test's browser, which gets the authorization URLs; `mode`; `calls`; and `client`. This is the
id of a client already registered at the authorization server `issuer`, or null if the client must register itself.
`document`: URL of the client's metadata document, if it has one. `company`: for enterprise-managed authorization, the
identity provider `idp`, an ID token of the user (`token`), and the client's `id` and `secret` at both servers. The
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
from urllib.parse import parse_qs, urlencode, urlsplit

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
        self._back = await asyncio.to_thread(opened, request)

    async def come_back(self) -> Any:
        told = {name: values[0] for name, values in parse_qs(urlsplit(self._back).query).items()}
        if not NEWER:
            return told["code"], told.get("state")
        from mcp.client.auth import AuthorizationCodeResult

        return AuthorizationCodeResult(code=told["code"], state=told.get("state"), iss=told.get("iss"))


def opened(request: urllib.request.Request) -> str:
    """Send a request, and return the body of its response."""
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as answer:
        return str(answer.read().decode())


def company(job: dict[str, Any], storage: Storage) -> Any:
    """Return a provider of access tokens that gets an identity assertion for each of them."""
    from mcp.client.auth.extensions.identity_assertion import (  # type: ignore[import-not-found,unused-ignore]
        IdentityAssertionOAuthProvider,
    )

    told, urn = job["company"], "urn:ietf:params:oauth"

    async def assertion(audience: str, resource: str) -> str:
        form = {
            "grant_type": f"{urn}:grant-type:token-exchange",
            "requested_token_type": f"{urn}:token-type:id-jag",
            "subject_token_type": f"{urn}:token-type:id_token",
            "subject_token": told["token"],
            "client_id": told["id"],
            "client_secret": told["secret"],
            "audience": audience,
            "resource": resource,
            "scope": "pets:read",
        }
        request = urllib.request.Request(f"{told['idp']}/token", urlencode(form).encode())
        return str(json.loads(await asyncio.to_thread(opened, request))["access_token"])

    login = told["id"], told["secret"], job["issuer"]
    how = "client_secret_basic"
    return IdentityAssertionOAuthProvider(job["url"], storage, *login, assertion, "pets:read", how)


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
    document = {"client_metadata_url": job["document"]} if "document" in job else {}
    if "company" in job:
        provider = company(job, storage)
    else:
        provider = OAuthClientProvider(job["url"], metadata, storage, user.open, user.come_back, **document)
    async with connected(job, provider) as client:
        listed = [each.name for each in (await client.list_tools()).tools]
        results = []
        for tool, arguments in job["calls"]:
            result = await client.call_tool(tool, arguments)
            results.append(result.content[0].text)
    return {"listed": listed, "results": results, "scopes": user.scopes, "granted": storage.tokens.scope}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(drive(json.load(sys.stdin)))))
