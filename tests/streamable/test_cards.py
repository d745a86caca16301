"""Test the server card and the AI catalog at a raw socket: public, valid by the published schema, and present only if
configured.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from package.runtime.http_server import listening

from tests.bundle.checkers import CARD, schema_findings
from tests.leaks import planted, searched
from tests.streamable.messages import NEW, encoded, mirrored, stateless
from tests.streamable.servers import DOORS, Server
from tests.streamable.upstream import PATIENCE, Upstream

URL = "https://mcp.example.com/caller/mcp"
NAME = "com.example.mcp/caller"
PLACES = {"/mcp/server-card": "mcp-server-card", "/.well-known/ai-catalog.json": "ai-catalog"}
PAGE = {"Origin": "https://elsewhere.example.org", "Host": "mcp.example.com"}


@pytest.mark.parametrize("door", DOORS)
def test_a_server_that_is_named_has_a_card_that_everybody_may_read(
    project: Path, upstream: Upstream, door: str, tmp_path: Path
) -> None:
    callers = tmp_path / "callers"
    callers.write_text(f"alice {'0' * 64}\n")
    named: dict[str, Any] = {"HTTP_URL": URL, "HTTP_CARD": NAME, "HTTP_TOKENS": str(callers)}
    with Server(project, upstream, door, **named) as server:
        for path, kind in PLACES.items():
            found = server.ask("GET", path, PAGE)
            assert (found.status, found.field("content-type")) == (200, f"application/{kind}+json")
            assert found.field("access-control-allow-origin") == "*"
            assert found.field("cache-control") == "public, max-age=3600"
            head = server.ask("HEAD", path, PAGE)
            assert (head.status, head.body) == (200, b"")
            assert server.ask("OPTIONS", path, PAGE).field("access-control-allow-methods") == "GET"
            assert server.ask("POST", path, PAGE).status == 405
        card = json.loads(server.ask("GET", "/mcp/server-card").body)
        catalog = json.loads(server.ask("GET", "/.well-known/ai-catalog.json").body)
        assert server.ask("GET", "/mcp/server-card/x", {"Host": "mcp.example.com"}).status == 404
        refused = server.ask("POST", fields=mirrored(stateless("tools/list")), body=encoded(stateless("tools/list")))
        assert refused.status == 401, "the card opens nothing else"
    assert (card["name"], card["title"], card["version"]) == (NAME, "caller", "0.1.0")
    [remote] = card["remotes"]
    assert (remote["type"], remote["url"], remote["supportedProtocolVersions"][-1]) == ("streamable-http", URL, NEW)
    [entry] = catalog["entries"]
    assert entry == {
        "identifier": "urn:air:mcp.example.com:caller",
        "displayName": "caller",
        "type": "application/mcp-server-card+json",
        "url": f"{URL}/server-card",
    }
    assert schema_findings(CARD, card) == []


def test_a_server_without_a_name_has_no_card(server: Server) -> None:
    for path in PLACES:
        assert server.ask("GET", path).status == 404


@pytest.mark.parametrize(
    "name", ["caller", "a b/c", "a/b/c", "/c", "a/", "-a/b", "a/b.", "a_b/c", "é/b", f"a/{'b' * 200}"]
)
def test_a_name_that_the_registry_would_refuse_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="must be the name in the MCP registry"):
        listening.card_name(name)


def test_a_card_needs_a_url(project: Path) -> None:
    command = [sys.executable, "-m", "caller_mcp", "--http", "0"]
    environ = {**planted("CALLER"), "CALLER_HTTP_CARD": NAME}
    done = subprocess.run(
        command, cwd=project, env=environ, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    searched((done.stdout + done.stderr).encode())
    assert (done.returncode, done.stdout) == (78, "")
    assert "CALLER_HTTP_CARD needs CALLER_HTTP_URL" in done.stderr
