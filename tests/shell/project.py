"""Run a generated server's commands as its user types them: a real process, and a real API that records requests."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from mcpgen.cli import main
from tests.leaks import SECRET, searched

PNG = b"\\x89PNG\\r\\n\\x1a\\n".decode("unicode_escape").encode("latin-1") + bytes(range(200))


class Api(BaseHTTPRequestHandler):
    """API that answers each request with its method, path, header and body, and records it."""

    seen: ClassVar[list[str]] = []

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        self.seen.append(f"{self.command} {self.path} {body}".strip())
        is_picture = self.path == "/picture"
        data = PNG if is_picture else json.dumps({"asked": self.seen[-1]}).encode()
        self.send_response(500 if self.path == "/fault" else 200)
        self.send_header("Content-Type", "image/png" if is_picture else "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_DELETE = answer  # noqa: N815 (names of the base class)

    def log_message(self, *_: object) -> None:
        pass


class Shell:
    """A generated server, called as from a shell."""

    def __init__(self, project: Path) -> None:
        self.project = project
        self.environment = {**os.environ, "STORE_KEY": SECRET}

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "store_mcp", *words]

    def __call__(self, *words: str, stdin: str = "", **settings: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            self.command(*words),
            input=stdin,
            capture_output=True,
            text=True,
            cwd=self.project,
            env=self.environment | settings,
            timeout=120,
            check=False,
        )
        searched((done.stdout + done.stderr).encode())
        return done

    def on_a_terminal(self, *words: str, typed: bytes) -> tuple[int, str]:
        """Run a call on a pseudo-terminal whose user has already typed `typed`. Return the exit code and the output."""
        ours, theirs = pty.openpty()
        os.write(ours, typed)
        done = subprocess.run(
            self.command(*words),
            stdin=theirs,
            stdout=subprocess.PIPE,
            stderr=theirs,
            cwd=self.project,
            env=self.environment,
            timeout=120,
            check=False,
        )
        os.close(theirs)
        shown = b""
        try:
            while part := os.read(ours, 65536):
                shown += part
        except OSError:  # Linux raises EIO once the other side of the pseudo-terminal is closed
            pass
        os.close(ours)
        return done.returncode, shown.decode()


@contextmanager
def served(folder: Path, document: str, tools_file: str = "") -> Iterator[Shell]:
    """Yield a server generated into `folder`, and its API. `%s` in `document` stands for the URL of the API."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Api) as api:
        threading.Thread(target=api.serve_forever, daemon=True).start()
        source = folder / "openapi.yaml"
        source.write_text(document.replace("%s", f"http://127.0.0.1:{api.server_port}"), encoding="utf-8")
        if tools_file:
            source = folder / "tools.yaml"
            source.write_text(tools_file, encoding="utf-8")
        with pytest.raises(SystemExit) as end:
            main(["generate", str(source), "-o", str(folder / "project")])
        assert not end.value.code
        yield Shell(folder / "project")
        api.shutdown()
