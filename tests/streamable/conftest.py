"""Provide a generated project, an upstream, and servers with default settings: one over aiohttp, one as an ASGI
application.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.streamable.servers import DOORS, Server
from tests.streamable.upstream import PATIENCE, Upstream

TOOLS = Path(__file__).with_name("caller.tools.yaml")


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the generated project."""
    folder = tmp_path_factory.mktemp("streamable") / "caller"
    command = [sys.executable, "-m", "mcpgen", "generate", "--parts", "all", str(TOOLS), "-o", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    """Yield an upstream for a server that a test starts by itself."""
    found = Upstream()
    yield found
    found.close()


@pytest.fixture(scope="session", params=DOORS)
def server(request: pytest.FixtureRequest, project: Path) -> Iterator[Server]:
    """Yield a server with default settings and its own upstream, once over aiohttp and once as an ASGI application."""
    upstream = Upstream()
    with Server(project, upstream, request.param) as found:
        yield found
    upstream.close()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[str]:
    """Yield the URL of a store that replicas share. The store listens at a socket file."""
    program = shutil.which("valkey-server") or shutil.which("redis-server")
    if program is None:
        pytest.skip("this needs valkey-server or redis-server")
    path = tmp_path / "store.sock"
    command = [program, "--port", "0", "--unixsocket", str(path), "--save", "", "--dir", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        while b"eady to accept connections" not in (line := process.stdout.readline()):
            assert line, "the store ended"
        yield f"unix://{path}"
        process.kill()
