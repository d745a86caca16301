"""List mutations that remove safety checks on the servers that a document names."""

from __future__ import annotations

from tests.hostile.mutation import Mutation, cases

OF_SERVERS = (
    Mutation(
        "an operation whose servers are refused",
        "mcpgen/read/openapi/servers.py",
        "    if not found and any(",
        "    if False and any(",
        cases("servers/not_http", "servers/of_an_operation"),
    ),
    Mutation(
        "a server relative to an unknown document",
        "mcpgen/read/openapi/servers.py",
        'which is not known" if has_steps else ""',
        'which is not known" if False else ""',
        cases("servers/not_http"),
    ),
    Mutation(
        "schemes of Swagger that are not HTTP",
        "mcpgen/read/openapi/swagger.py",
        'if scheme in ("wss", "ws")]',
        "if False]",
        cases("servers/not_http_swagger"),
    ),
    Mutation(
        "requests of a collection that are not HTTP",
        "mcpgen/read/translate/postman/__init__.py",
        "if each is not None and each.url.is_http)",
        "if each is not None)",
        cases("servers/not_http_postman"),
    ),
    Mutation(
        "https of two twins",
        "mcpgen/read/openapi/servers.py",
        "    return _without_twins(found)\n",
        "    return tuple(found)\n",
        cases("servers/twins"),
    ),
    Mutation(
        "https of a variable",
        "mcpgen/read/openapi/servers.py",
        'if is_scheme and "https" in variable.enum else variable',
        "if False else variable",
        cases("servers/twins"),
    ),
)
