"""Replace the server of a document by a base URL.

The rules are those for the environment variable `NAME_BASE_URL` of a generated server called NAME
(`runtime/settings/origins.py`). URLs on the origin of the replaced server move to the base URL. Other origins get no
calls until the project's owner accepts them.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from mcpgen.base import origins
from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.names import clipped
from mcpgen.model import Api, Operation, SecurityScheme, Server
from mcpgen.read.openapi import servers

_FRONT = re.compile(r"[^/?#]*//[^/?#]*")
"""Scheme and host of a URL; both may contain variables."""


def hoist_server(api: Api) -> Api:
    """Make the servers of the operations those of the API, if all operations have the same servers and the first URL
    is absolute. Otherwise return `api` unchanged.

    Some documents (Twilio) name a server at each path and none at the top level. Without this step, a base URL would
    not replace the server of such a document, since `replace_server` compares URLs with the top-level server.
    """
    own = next((operation.servers for operation in api.operations), api.servers)
    if own[0] == api.servers[0] or "://" not in own[0].url or any(each.servers != own for each in api.operations):
        return api
    return replace(api, servers=own)


# The owner accepted origins for the API whose server is replaced, so all others must be accepted again
# (docs/decisions/origins.md).
def replace_server(api: Api, base: Server, diagnostics: Diagnostics) -> Api:
    """Return `api` with its first server replaced by `base`, also in the operations that use this server.

    Other servers and token URLs on the origin of the first server are moved to the origin of `base`. If `base` has no
    path, it gets the path of the first server, and this is reported. The result's `unconfirmed` lists all other
    origins: the owner must accept them, since a document whose server was replaced is not trusted about hosts.
    """
    described = api.servers[0]
    kept = _with_path(base, described)
    if kept != base:
        diagnostics.add(
            "base-url-path",
            f"The base URL {clipped(base.url)} has no path, so the path of the document's server URL is kept: "
            f"calls go to {clipped(kept.url)}.",
            hint=f"If the API's base URL has no path, write {clipped(base.url)}/.",
        )
    operations = (replace(each, servers=(kept,)) if each.servers[0] == described else each for each in api.operations)
    api = replace(api, servers=(kept,), operations=tuple(operations))
    before, after = _origin(described), _origin(base)
    if not before or before == after:
        return api

    def moved(url: str, filled: str) -> str:
        return after + _FRONT.sub("", filled, count=1) if origins.of_url(filled) == before else url

    def moved_server(server: Server) -> Server:
        url = moved(server.url, servers.with_defaults(server))
        return server if url == server.url else Server(url, description=server.description)

    def moved_scheme(scheme: SecurityScheme) -> SecurityScheme:
        token_url, discovery_url = (moved(url, url) for url in (scheme.token_url, scheme.discovery_url))
        user = scheme.user and scheme.user.moved(lambda url: moved(url, url))
        return replace(scheme, token_url=token_url, discovery_url=discovery_url, user=user)

    def moved_operation(operation: Operation) -> Operation:
        return replace(operation, servers=tuple(map(moved_server, operation.servers)))

    found = replace(
        api,
        operations=tuple(map(moved_operation, api.operations)),
        schemes=tuple(map(moved_scheme, api.schemes)),
    )
    return replace(found, unconfirmed=frozenset(named_origins(found)) - {after})


def named_origins(api: Api) -> Iterator[str]:
    """Yield every origin in the server URLs and security schemes of `api`."""
    for server in dict.fromkeys((*api.servers, *(each for one in api.operations for each in one.servers))):
        yield from origins.of_server(server.url, {each.name: each.default for each in server.variables})
    for scheme in api.schemes:
        urls = scheme.token_url, scheme.discovery_url, *(scheme.user.urls if scheme.user else ())
        yield from filter(origins.is_origin, map(origins.of_url, urls))


# Some operators want the path of the document's server, others none: a slash at the end of the base URL means none.
def _with_path(base: Server, described: Server) -> Server:
    """Return `base`. If it has no path, append the path of the server `described`, including its variables."""
    if _FRONT.sub("", base.url, count=1):
        return base
    url = described.url if "://" in described.url or described.url[:1] == "/" else servers.with_defaults(described)
    path = _FRONT.sub("", url, count=1).rstrip("/")
    if not path:
        return base
    used = tuple(each for each in described.variables if f"{{{each.name}}}" in path)
    return Server(f"{base.url}/{path.lstrip('/')}", (*base.variables, *used), base.description)


def _origin(server: Server) -> str:
    return origins.of_url(servers.with_defaults(server))
