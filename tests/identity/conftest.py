"""Provide two servers: one over aiohttp, and one as an ASGI application. Each trusts two small authorization servers.

All tests that need no other settings share these servers.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.identity.guarded import PAGE, URL, Guarded
from tests.identity.issuer import OAUTH, Issuer
from tests.streamable.servers import DOORS, Server
from tests.streamable.upstream import PATIENCE, Upstream

TOOLS = Path(__file__).parents[1] / "streamable" / "caller.tools.yaml"


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the generated project."""
    folder = tmp_path_factory.mktemp("identity") / "caller"
    command = [sys.executable, "-m", "mcpgen", "generate", "--parts", "all", str(TOOLS), "-o", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    """Yield the API for a server that a test starts by itself."""
    found = Upstream()
    yield found
    found.close()


@pytest.fixture(scope="session", params=DOORS)
def guarded(request: pytest.FixtureRequest, project: Path) -> Iterator[Guarded]:
    """Yield a server that trusts two authorization servers.

    One of them has a path, and publishes only RFC 8414 metadata.

    The server writes a log at the most detailed level.
    """
    upstream = Upstream()
    with Issuer() as first, Issuer("RS256", "/realm", OAUTH) as second:
        settings = {
            "HTTP_URL": URL,
            "HTTP_ORIGINS": PAGE,
            "AUTH_ISSUER": f"{first.name}, {second.name}",
            "AUTH_SCOPES": "pets:read pets:write",
            "LOG_LEVEL": "debug",
            "AUDIT": "stderr",
            "AUDIT_ARGUMENTS": "1",
        }
        with Server(project, upstream, request.param, None, (), **settings) as server:
            found = Guarded(server, first, second)
            yield found
            server.terminate()
            # uvicorn handles SIGTERM and then raises it again, so the exit code may be the signal
            assert server.ended() in (0, -signal.SIGTERM)
        found.search()
    upstream.close()
