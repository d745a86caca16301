"""Search the whole log of a running server, at its lowest level, for planted secrets.

They are the credential of the API, tokens of callers, right and wrong, and arguments whose names mean secrets.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.leaks import SECRET, forms
from tests.streamable.messages import calling, encoded, mirrored
from tests.streamable.servers import Server
from tests.streamable.upstream import PATIENCE, Upstream

TOKEN, WRONG = "right-caller-4f9d27e1c0ab83d5", "wrong-caller-0c7e55d1b29a46f8"
ARGUMENTS = {"password": "argument-91c3-Zq7", "passphrase": "argument-2f80-Xw4", "text": "plain"}
TOOLS = """
mcpgen: 1
server: {name: caller}
base_url: https://api.example.com
security: {key: {type: apiKey, in: header, name: X-Key}}
tools:
  - name: enter
    request: GET /echo/{text}
    parameters:
      - {name: text, in: path, required: true, schema: {type: string}}
      - {name: password, in: query, schema: {type: string, maxLength: 40}}
      - {name: passphrase, in: query, schema: {type: string}}
"""


@pytest.fixture(scope="module")
def entering(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("entering")
    source = folder / "caller.tools.yaml"
    source.write_text(TOOLS)
    command = [sys.executable, "-m", "mcpgen", "generate", "--parts", "all", str(source), "-o", str(folder / "caller")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "caller"


def test_the_log_holds_no_secret(entering: Path, upstream: Upstream, tmp_path: Path) -> None:
    """Make right and wrong calls with right and wrong tokens, and search the log and the audit log."""
    (tmp_path / "callers").write_text(f"anna {hashlib.sha256(TOKEN.encode()).hexdigest()}\n")
    (tmp_path / "callers").chmod(0o600)
    variables: dict[str, Any] = {
        "HTTP_TOKENS": str(tmp_path / "callers"),
        "LOG_LEVEL": "debug",
        "AUDIT": str(tmp_path / "audit"),
        "AUDIT_ARGUMENTS": "1",
    }
    calls = [calling("enter", **ARGUMENTS), calling("enter", **{**ARGUMENTS, "password": ARGUMENTS["password"] * 9})]
    calls += [calling("no_such_tool", **ARGUMENTS), calling("enter", **{**ARGUMENTS, "text": 1})]
    with Server(entering, upstream, "aiohttp", None, (), **variables) as server:
        for message in calls:
            for token in (TOKEN, WRONG, TOKEN[:-1]):
                fields = {**mirrored(message), "Authorization": f"Bearer {token}"}
                status = server.ask("POST", fields=fields, body=encoded(message)).status
                assert (status == 401) is (token != TOKEN)
        server.ask("GET", f"/mcp?access_token={TOKEN}&password={ARGUMENTS['password']}", {"Cookie": f"sid={WRONG}"})
        server.terminate()
        assert server.ended() == 0
        written = b"".join(server.written).decode() + (tmp_path / "audit").read_text()
    assert '"enter"' in written, "the log tells of the calls"
    for secret in (SECRET, TOKEN, TOKEN[:-1], WRONG, ARGUMENTS["password"], ARGUMENTS["passphrase"]):
        assert [name for name, form in forms(secret).items() if form in written] == []
