"""Test which path of the server each path of a request stands for, below a prefix and without one."""

from __future__ import annotations

import pytest
from package.runtime.http_server.streamable.admission import OwnPaths

TOOLS = "https://mcp.example.com/tools/mcp"
ROWS = [
    ("the server's own path", None, "", "/mcp", "/mcp"),
    ("a slash at the end", None, "", "/mcp/", "/mcp"),
    ("another path", None, "", "/other", "/other"),
    ("a prefix that nothing names", None, "", "/tools/mcp", "/tools/mcp"),
    ("a proxy that keeps the prefix", TOOLS, "", "/tools/mcp", "/mcp"),
    ("the prefix and a slash at the end", TOOLS, "", "/tools/mcp/", "/mcp"),
    ("a proxy that removes the prefix", TOOLS, "", "/mcp", "/mcp"),
    ("health below the prefix", TOOLS, "", "/tools/healthz", "/healthz"),
    ("a login below the prefix", TOOLS, "", "/tools/mcp/callback/x", "/mcp/callback/x"),
    ("the card below the prefix", TOOLS, "", "/tools/mcp/server-card", "/mcp/server-card"),
    (
        "metadata at the root of the host",
        TOOLS,
        "",
        "/.well-known/oauth-protected-resource/tools/mcp",
        "/.well-known/oauth-protected-resource/tools/mcp",
    ),
    ("a path that begins like the prefix", TOOLS, "", "/toolsmcp", "/toolsmcp"),
    ("a path that begins like the endpoint", TOOLS, "", "/tools/mcpx", "/mcpx"),
    ("the prefix twice", TOOLS, "", "/tools/tools/mcp", "/tools/mcp"),
    ("an endpoint of another name", "https://example.com/pets", "", "/pets", "/mcp"),
    ("a login at an endpoint of another name", "https://example.com/pets", "", "/pets/callback/x", "/mcp/callback/x"),
    ("an endpoint at the root", "https://example.com", "", "/", "/mcp"),
    ("health of an endpoint at the root", "https://example.com", "", "/healthz", "/healthz"),
    ("a prefix of the ASGI server", None, "/tools", "/tools/mcp", "/mcp"),
    ("a prefix of the ASGI server with a slash", None, "/tools/", "/tools/mcp", "/mcp"),
    ("an ASGI server that removes its prefix", None, "/tools", "/mcp", "/mcp"),
    ("an ASGI prefix that is decoded", None, "/große", "/gro%C3%9Fe/mcp", "/mcp"),
    ("an ASGI prefix that the path only begins like", None, "/tools", "/toolsmcp", "/toolsmcp"),
    ("both prefixes", TOOLS, "/apps", "/apps/tools/mcp", "/mcp"),
]


@pytest.mark.parametrize(("url", "root", "path", "own"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_a_path_is_found(url: str | None, root: str, path: str, own: str) -> None:
    assert OwnPaths(url).find(path, root) == own
