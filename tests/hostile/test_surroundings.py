"""Test which addresses a server connects to, and which code its installation runs."""

from __future__ import annotations

import re
import shutil
import threading
import tomllib
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tests.runtime.process import PACKAGE, Server, generate

GENERATED = Path(__file__).parents[2] / "generated"

WATCHED = """
import os, runpy, sys
told = os.open(sys.argv.pop(1), os.O_WRONLY | os.O_CREAT)
def hear(event, given):
    if event in ("socket.connect", "socket.getaddrinfo", "subprocess.Popen", "os.exec", "os.posix_spawn"):
        os.write(told, f"{event} {given[1] if event == 'socket.connect' else given[0]}\\n".encode())
sys.addaudithook(hear)
runpy.run_module("mirror_mcp", run_name="__main__")
"""


class Quiet(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_: object) -> None:
        """Log nothing."""


def test_cfg_07_a_server_connects_to_its_api_and_to_nothing_else(tmp_path: Path) -> None:
    package = generate(tmp_path)
    shutil.copy(PACKAGE / "runtime" / "calls" / "execution.py", package / "runtime" / "calls")
    shutil.copy(PACKAGE / "hooks.py", package)
    api = HTTPServer(("127.0.0.1", 0), Quiet)
    threading.Thread(target=api.serve_forever, daemon=True).start()
    told = {"MIRROR_BASE_URL": f"http://127.0.0.1:{api.server_port}", "HTTP_PROXY": "http://127.0.0.1:9"}
    with Server(tmp_path, program=("-c", WATCHED, str(tmp_path / "heard")), env=told) as server:
        server.ask("server/discover")
        server.ask("tools/list")
        assert server.result("echo", text="hi")["isError"] is False
        server.end()
        assert server.ended() == 0
    api.shutdown()
    api.server_close()
    heard = (tmp_path / "heard").read_text().splitlines()
    assert f"socket.connect ('127.0.0.1', {api.server_port})" in heard
    assert {each for each in heard if "127.0.0.1" not in each} == set()


@pytest.mark.parametrize("project", sorted(GENERATED.iterdir()), ids=lambda path: path.name)
def test_cfg_08_installing_runs_nothing_of_the_project_and_dependencies_have_two_bounds(project: Path) -> None:
    declared = tomllib.loads((project / "pyproject.toml").read_text())
    assert declared["build-system"]["build-backend"] == "hatchling.build"
    assert "backend-path" not in declared["build-system"]
    assert set(declared["tool"]["hatch"]["build"]["targets"]) == {"sdist", "wheel"}
    assert set(declared["tool"]["hatch"]["build"]) == {"targets"}
    assert not [path for path in project.iterdir() if path.suffix in (".py", ".cfg", ".pth")]
    for dependency in [*declared["build-system"]["requires"], *declared["project"]["dependencies"]]:
        assert re.fullmatch(r"[a-z-]+>=[\d.]+,<[\d.]+", dependency), dependency
