"""Test the official Python clients with servers that are reached below a prefix of the path.

The prefix is kept or removed by a real proxy, or belongs to an application that mounts the server.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from benchmarks.replicas.rig import answers, can_connect, free_port, wait_for
from mcpgen.demo import petstore
from tests.interop import environments
from tests.interop.clients import CLIENTS, Client, Step, carry_out_over_http
from tests.leaks import SECRET

PLACES = "/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin:/opt/homebrew/bin"
NGINX = shutil.which("nginx", path=PLACES)
PROXY = """
daemon off; pid {folder}/nginx.pid; error_log stderr;
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
  uwsgi_temp_path {folder}; scgi_temp_path {folder};
  server {{
    listen 127.0.0.1:{port};
    location /tools/ {{ proxy_pass http://127.0.0.1:{upstream}{rest}; proxy_buffering off; }}
  }}
}}
"""
MOUNTED = """
from petstore_mcp.asgi import app as petstore
from starlette.applications import Starlette
from starlette.routing import Mount

app = Starlette(routes=[Mount("/tools", app=petstore)])
"""
HTTP = ("-m", "petstore_mcp", "--http", "{port}")
UVICORN = ("-m", "uvicorn", "--no-access-log", "--port", "{port}")
WAYS = {
    "a proxy that keeps the prefix": (HTTP, ""),
    "a proxy that removes the prefix": (HTTP, "/"),
    "uvicorn with a root path": ((*UVICORN, "--root-path", "/tools", "petstore_mcp.asgi:app"), "/"),
    "an application that mounts the server": ((*UVICORN, "mounted:app"), None),
}
STEPS: list[Step] = [{"do": "list"}, {"do": "call", "tool": "get_inventory", "arguments": {}}]
OFFICIAL = {client.name: client for client in reversed(CLIENTS) if client.name.startswith("python")}.values()
"""One client of each release of the official SDK."""

pytestmark = pytest.mark.skipif(NGINX is None, reason="not installed: nginx")


@cache
def python(project: Path) -> Path:
    """Return a Python in whose environment the server's libraries, uvicorn and Starlette are installed."""
    digest = hashlib.sha256((project / "pyproject.toml").read_bytes()).hexdigest()
    wanted = (f"{project}[http]", "uvicorn==0.54.0", "starlette==1.10.0")
    return environments.python("mounted", *wanted, digest=digest) / "bin" / "python"


@contextlib.contextmanager
def running(command: list[str], folder: Path, port: int, **variables: str) -> Iterator[None]:
    """Run a program that listens at `port`."""
    with subprocess.Popen(command, cwd=folder, env={**os.environ, **variables}, stderr=subprocess.DEVNULL) as process:
        try:
            wait_for(lambda: can_connect(port))
            yield
        finally:
            process.terminate()


@contextlib.contextmanager
def placed(way: str, project: Path, folder: Path, api: str) -> Iterator[int]:
    """Run a server below `/tools/` in the given way, and yield the port for clients."""
    program, rest = WAYS[way]
    (folder / "mounted.py").write_text(MOUNTED)
    with contextlib.ExitStack() as stack:
        server, port = free_port(), free_port()
        variables = {
            "PETSTORE_BASE_URL": api,
            "PETSTORE_API_KEY": SECRET,
            "PETSTORE_HTTP_URL": f"http://127.0.0.1:{port}/tools/mcp",
            "PYTHONPATH": f"{project}{os.pathsep}{folder}",
        }
        if rest is None:
            server = port
        command = [str(python(project)), *(each.format(port=server) for each in program)]
        stack.enter_context(running(command, folder, server, **variables))
        if rest is not None:
            (folder / "nginx.conf").write_text(PROXY.format(folder=folder, port=port, upstream=server, rest=rest))
            proxy = [str(NGINX), "-p", str(folder), "-c", str(folder / "nginx.conf")]
            stack.enter_context(running(proxy, folder, port))
        yield port


@pytest.mark.parametrize("way", WAYS)
def test_clients_reach_a_server_below_a_prefix(way: str, project: Path, tmp_path: Path) -> None:
    with petstore.serve(api_key=SECRET, token=SECRET) as api, placed(way, project, tmp_path, api.url) as port:
        assert answers(port, "/tools/healthz")
        assert answers(port, "/tools/readyz")
        assert not answers(port, "/tools/other")
        for client in OFFICIAL:
            for path in ("/tools/mcp", "/tools/mcp/"):
                listed, called = _outcomes(client, f"http://127.0.0.1:{port}{path}")
                assert listed["tools"], (client, path)
                assert called["result"]["isError"] is False, (client, path)


def _outcomes(client: Client, url: str) -> list[Any]:
    try:
        work = carry_out_over_http(client, url, STEPS)
    except environments.Missing as missing:
        pytest.skip(str(missing))
    assert work.complaints == [], client
    return work.outcomes
