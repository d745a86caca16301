"""Test `--http … --doctor` : the report has one row for each setting of HTTP."""

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

pytestmark = pytest.mark.slow  # each row starts a process; tests/functional/test_doctor.py has the others

KEY = "k" * 40
INTROSPECTION_SECRET = "AUTH_INTROSPECTION_CLIENT_SECRET"
TABLE = {
    "nothing set": ("8000", {}, 0, ["for this machine only", "confirmations end when the server ends"]),
    "a key": ("8000", {"STATE_KEY": KEY}, 0, ["Replicas with the same T_STATE_KEY continue"]),
    "names": ("8000", {"HTTP_HOSTS": "mcp.example.com"}, 0, ["Clients reach the server as mcp.example.com"]),
    "callers": ("0.0.0.0:8000", {"HTTP_TOKENS": "callers"}, 0, ["for 1 caller listed in T_HTTP_TOKENS"]),
    "anybody": ("[::]:8000", {"HTTP_OPEN": "1"}, 0, ["http://[::]:8000/mcp, for everybody who reaches it"]),
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
        ["those who may call, T_AUTH_ISSUER to", "or T_HTTP_OPEN=1"],
    ),
    "a short key": ("8000", {"STATE_KEY": "short"}, 1, ["T_STATE_KEY must hold 32 bytes or more"]),
    "a store without a key": ("8000", {"STORE": "redis://127.0.0.1:1/0"}, 1, ["T_STORE needs T_STATE_KEY"]),
    "a store of another kind": ("8000", {"STATE_KEY": KEY, "STORE": "mysql://x"}, 1, ["T_STORE must be a URL such as"]),
    "an issuer without a URL": (
        "0.0.0.0:8000",
        {"AUTH_ISSUER": "https://login.example"},
        1,
        ["T_AUTH_ISSUER needs T_HTTP_URL, the endpoint's URL as clients use it"],
    ),
    "an issuer away": (
        "8000",
        {"AUTH_ISSUER": "http://127.0.0.1:1"},
        1,
        [
            "for callers with an access token",
            "Access tokens must be issued for http://127.0.0.1:8000/mcp.",
            "by http://127.0.0.1:8000/.well-known/oauth-protected-resource/mcp.",
            "Clients request no scope at first; T_AUTH_FIRST_SCOPES can name others.",
            "The issuer http://127.0.0.1:1 gave no answer: 127.0.0.1:1 refused the connection.",
        ],
    ),
    "tokens without an audience": (
        "8000",
        {"AUTH_ISSUER": "http://127.0.0.1:1", "AUTH_INTROSPECTION_CLIENT_ID": "a", INTROSPECTION_SECRET: KEY},
        1,
        ["Introspected tokens without an audience are refused; T_AUTH_INSTEAD_OF_AUDIENCE can name clients."],
    ),
    "tokens of our clients without an audience": (
        "8000",
        {
            "AUTH_ISSUER": "http://127.0.0.1:1",
            "AUTH_INTROSPECTION_CLIENT_ID": "a",
            INTROSPECTION_SECRET: KEY,
            "AUTH_INSTEAD_OF_AUDIENCE": "client:app, scope:pets.mcp",
        },
        1,
        ["without an audience are accepted of the client app or with the scope pets.mcp."],
    ),
    "clients without introspection": (
        "8000",
        {"AUTH_ISSUER": "http://127.0.0.1:1", "AUTH_INSTEAD_OF_AUDIENCE": "client:app"},
        1,
        ["T_AUTH_INSTEAD_OF_AUDIENCE needs T_AUTH_INTROSPECTION_CLIENT_ID: JWTs have an audience."],
    ),
    "an issuer without TLS": ("8000", {"AUTH_ISSUER": "http://login.example"}, 1, ["T_AUTH_ISSUER must begin with"]),
    "an issuer that is no URL": ("8000", {"AUTH_ISSUER": "login"}, 1, ["T_AUTH_ISSUER must be a URL such as https://"]),
    "a URL without TLS": ("8000", {"HTTP_URL": "http://mcp.example/mcp"}, 1, ["T_HTTP_URL must begin with https://"]),
    "a URL with a query": ("8000", {"HTTP_URL": "https://mcp.example/?a"}, 1, ["T_HTTP_URL must be a URL such as"]),
    "scopes without an issuer": ("8000", {"AUTH_SCOPES": "a"}, 1, ["T_AUTH_SCOPES needs T_AUTH_ISSUER"]),
    "scopes that end a challenge": (
        "8000",
        {"AUTH_ISSUER": "http://127.0.0.1:1", "AUTH_SCOPES": 'a"b'},
        1,
        ["T_AUTH_SCOPES must be scopes such as pets:read"],
    ),
    "half a login": (
        "8000",
        {"AUTH_ISSUER": "http://127.0.0.1:1", "AUTH_INTROSPECTION_CLIENT_ID": "a"},
        1,
        ["T_AUTH_INTROSPECTION_CLIENT_ID and T_AUTH_INTROSPECTION_CLIENT_SECRET are needed together."],
    ),
    "a login at two issuers": (
        "8000",
        {
            "AUTH_ISSUER": "http://127.0.0.1:1, http://127.0.0.1:2",
            "AUTH_INTROSPECTION_CLIENT_ID": "a",
            "AUTH_INTROSPECTION_CLIENT_SECRET": KEY,
        },
        1,
        ["T_AUTH_INTROSPECTION_CLIENT_ID needs exactly one issuer"],
    ),
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
