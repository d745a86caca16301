"""Test `--http … --doctor`: one row for each setting of HTTP."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from mcpgen.cli import main
from tests.functional.test_doctor import Upstream, always
from tests.leaks import SECRET, searched

KEY = "k" * 40
TABLE = {
    "nothing set": ("8000", {}, 0, ["to this machine alone", "sessions and confirmations end with it"]),
    "a key": ("8000", {"STATE_KEY": KEY}, 0, ["Replicas with the same T_STATE_KEY go on"]),
    "names": ("8000", {"HTTP_HOSTS": "mcp.example.com"}, 0, ["Clients know it as mcp.example.com"]),
    "callers": ("0.0.0.0:8000", {"HTTP_TOKENS": "callers"}, 0, ["to 1 caller of the file in T_HTTP_TOKENS"]),
    "anybody": ("[::]:8000", {"HTTP_OPEN": "1"}, 0, ["http://[::]:8000/mcp, to whoever reaches it"]),
    "a store away": (
        "8000",
        {"STATE_KEY": KEY, "STORE": "redis://127.0.0.1:1/0"},
        1,
        ["The store that T_STORE names does not answer."],
    ),
    "open to others": (
        "0.0.0.0:8000",
        {},
        1,
        ["those who may call, or T_HTTP_OPEN=1"],
    ),
    "a short key": ("8000", {"STATE_KEY": "short"}, 1, ["T_STATE_KEY must hold 32 bytes or more"]),
    "a store without a key": ("8000", {"STORE": "redis://127.0.0.1:1/0"}, 1, ["T_STORE needs T_STATE_KEY"]),
    "a store of another kind": ("8000", {"STATE_KEY": KEY, "STORE": "mysql://x"}, 1, ["T_STORE must be a URL such as"]),
    "no caller": ("8000", {"HTTP_TOKENS": "empty"}, 1, ["T_HTTP_TOKENS names a file without callers"]),
    "a wrong line": ("8000", {"HTTP_TOKENS": "wrong"}, 1, ["whose line 2 is not a name and a SHA-256"]),
    "a page with a path": ("8000", {"HTTP_ORIGINS": "https://a.example/x"}, 1, ["T_HTTP_ORIGINS must be origins"]),
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("doctor")
    (folder / "t.tools.yaml").write_text(
        "mcpgen: 1\nserver: {name: t}\nbase_url: http://127.0.0.1:9/\n"
        "security: {pass: {type: apiKey, in: header, name: X-Pass}}\ntools: [{name: ping, request: GET /ping}]\n"
    )
    with suppress(SystemExit):
        main(["generate", str(folder / "t.tools.yaml"), "-o", str(folder / "t")])
    (folder / "t" / "callers").write_text(f"anna {hashlib.sha256(b'token').hexdigest()}  # the first\n")
    (folder / "t" / "empty").write_text("# nobody\n")
    (folder / "t" / "wrong").write_text(f"anna {hashlib.sha256(b'token').hexdigest()}\nberta 12\n")
    return folder / "t"


@pytest.mark.parametrize(("address", "variables", "code", "said"), TABLE.values(), ids=TABLE)
def test_the_doctor_tells_of_http(
    home: Path, address: str, variables: dict[str, str], code: int, said: list[str]
) -> None:
    upstream = Upstream(always(200))
    try:
        environ = {**os.environ, "T_PASS": SECRET, **{f"T_{name}": value for name, value in variables.items()}}
        command = [sys.executable, "-m", "t_mcp", "--http", address, "--doctor", "--base-url", upstream.url]
        done = subprocess.run(command, cwd=home, env=environ, capture_output=True, text=True, timeout=120, check=False)
    finally:
        upstream.close()
    searched((done.stdout + done.stderr).encode())
    assert [each for each in said if each not in done.stdout] == [], done.stdout + done.stderr
    assert done.returncode == code
    assert KEY not in done.stdout + done.stderr
