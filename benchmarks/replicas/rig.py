"""Start and stop the replicas, the balancer and the store. All are real processes on loopback."""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.replicas.upstream import DOCUMENT, TOOLS_FILE, Upstream

NGINX = """\
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/nginx.log warn;
events {{ worker_connections 4096; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  upstream replicas {{ {pick}; {servers} }}
  server {{
    listen 127.0.0.1:{port};
    location / {{
      proxy_pass http://replicas; proxy_http_version 1.1;
      proxy_set_header Host $host:$server_port;
      proxy_buffering off; proxy_read_timeout 300s; proxy_next_upstream error timeout http_502;
    }}
  }}
}}
"""


class Missing(Exception):
    """Raised if a program that the trials need is not installed. The message names the package."""


@dataclass
class Rig:
    """The running replicas, balancer, store and API.

    `server`: name of the server. `base_url`: URL of a running API; the server's project is then already in the folder
    `server`. By default, the rig starts an API and generates the project. `balanced`: URL of the balancer. `pick`: how
    the balancer picks a replica, in nginx's words; by default at random.
    """

    folder: Path
    server: str = "depot"
    base_url: str = ""
    upstream: Upstream = field(default_factory=Upstream)
    replicas: list[subprocess.Popen[bytes]] = field(default_factory=list)
    ports: list[int] = field(default_factory=list)
    port: int = 0
    store_port: int = 0
    pick: str = "random"
    _store: subprocess.Popen[bytes] | None = None
    _balancer: subprocess.Popen[bytes] | None = None
    _key: str = field(default_factory=lambda: secrets.token_hex(32))

    @property
    def balanced(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    def url(self, number: int) -> str:
        """Return the URL of replica `number`."""
        return f"http://127.0.0.1:{self.ports[number]}/mcp"

    async def __aenter__(self) -> Rig:
        try:
            await self.start()
        except BaseException:
            await self.stop()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start(self, replicas: int = 3, stored: bool = True, balanced: bool = True) -> None:
        """Start the API and the replicas, the store if `stored`, and the balancer if `balanced`.

        Raise Missing if a program is not installed.
        """
        if not self.base_url:
            await self.upstream.start()
            await asyncio.to_thread(self._generate)
        self.ports = [free_port() for _ in range(replicas)]
        if stored:
            self.store_port = free_port()
            self.start_store()
        for number in range(replicas):
            self.replicas.append(self._replica(number))
        if balanced:
            self._balance()
        for number in range(replicas):
            await self.ready(number)

    async def stop(self) -> None:
        """Stop all processes."""
        for process in [*self.replicas, self._balancer, self._store]:
            if process is not None:
                process.kill()
                await asyncio.to_thread(process.wait)
        await self.upstream.stop()

    def start_store(self) -> None:
        """Start an empty store. Raise Missing if its program is not installed."""
        program = shutil.which("valkey-server") or shutil.which("redis-server")
        if program is None:
            raise Missing("valkey-server or redis-server")
        command = [
            program,
            "--port",
            str(self.store_port),
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--dir",
            str(self.folder),
        ]
        self._store = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for(lambda: can_connect(self.store_port))

    def stop_store(self) -> None:
        """Kill the store."""
        if self._store is not None:
            self._store.kill()
            self._store.wait()

    async def ready(self, number: int) -> None:
        """Wait until replica `number` is ready to serve."""
        await asyncio.to_thread(wait_for, lambda: answers(self.ports[number], "/readyz"))

    def kill(self, number: int) -> None:
        """Kill replica `number` with SIGKILL."""
        self.replicas[number].kill()
        self.replicas[number].wait()

    def begin_to_end(self, number: int) -> None:
        """Send SIGTERM to replica `number`, as a hosting platform does."""
        self.replicas[number].send_signal(signal.SIGTERM)

    async def restart(self, number: int) -> None:
        """Start replica `number` again at its port, after it has ended."""
        await asyncio.to_thread(self.replicas[number].wait)
        self.replicas[number] = self._replica(number)
        await self.ready(number)

    def log(self, number: int) -> str:
        """Return the log of replica `number`."""
        return (self.folder / f"replica-{number}.log").read_text()

    def _generate(self) -> None:
        (self.folder / "depot.yaml").write_text(DOCUMENT % self.upstream.port)
        (self.folder / "tools.yaml").write_text(TOOLS_FILE)
        command = [sys.executable, "-m", "mcpgen", "generate", "--parts", "all", "tools.yaml", "-o", "server"]
        subprocess.run(command, cwd=self.folder, check=True, capture_output=True)

    def _replica(self, number: int) -> subprocess.Popen[bytes]:
        prefix = self.server.upper()
        environment = {**os.environ, f"{prefix}_STATE_KEY": self._key, f"{prefix}_TIMEOUT": "60"}
        if self.store_port:
            environment[f"{prefix}_STORE"] = f"redis://127.0.0.1:{self.store_port}/0"
        if self.base_url:
            environment[f"{prefix}_BASE_URL"] = self.base_url
        with (self.folder / f"replica-{number}.log").open("ab") as log:
            command = [sys.executable, "-m", f"{self.server}_mcp", "--http", str(self.ports[number])]
            return subprocess.Popen(command, cwd=self.folder / "server", env=environment, stdout=log, stderr=log)

    def _balance(self) -> None:
        program = shutil.which("nginx") or ("/usr/sbin/nginx" if os.path.exists("/usr/sbin/nginx") else None)
        if program is None:
            raise Missing("nginx-light")
        self.port = free_port()
        servers = " ".join(f"server 127.0.0.1:{port} max_fails=1 fail_timeout=1s;" for port in self.ports)
        (self.folder / "nginx.conf").write_text(
            NGINX.format(folder=self.folder, servers=servers, port=self.port, pick=self.pick)
        )
        self._balancer = subprocess.Popen(
            [program, "-p", str(self.folder), "-c", str(self.folder / "nginx.conf")],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        wait_for(lambda: can_connect(self.port))


def free_port() -> int:
    """Return a free port on loopback."""
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        return int(opened.getsockname()[1])


def can_connect(port: int) -> bool:
    """Return True if a process listens at this port."""
    with socket.socket() as opened:
        return opened.connect_ex(("127.0.0.1", port)) == 0


def answers(port: int, path: str) -> bool:
    """Return True if a GET of this path gets the status 200."""
    try:
        with socket.create_connection(("127.0.0.1", port), 5) as opened:
            opened.sendall(b"GET %b HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" % path.encode())
            return opened.recv(64).startswith(b"HTTP/1.1 200")
    except OSError:
        return False


def wait_for(holds: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait until `holds` returns True. Raise TimeoutError if it does not within `seconds`."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            raise TimeoutError("it did not come to that")
        time.sleep(0.02)
