"""Test that `mcpgen run --http` serves a document over HTTP, without a file that stays."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from tests.architecture.imports import ROOT

PETSTORE = ROOT / "specs" / "petstore.openapi.yaml"
SESSION = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "reader", "version": "1"}}


def asked(port: int, message: dict[str, Any], session: str = "") -> tuple[str, dict[str, Any]]:
    """Send one message. Return the session's id, and the response in JSON."""
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    with closing(HTTPConnection("127.0.0.1", port)) as connection:
        given = {"Mcp-Session-Id": session} if session else {}
        connection.request("POST", "/mcp", json.dumps(message), headers | given)
        response = connection.getresponse()
        assert response.status == 200
        text = response.read().decode()
    return response.headers["Mcp-Session-Id"] or session, json.loads(text[text.index("{") :])


def test_a_document_is_served_over_http_and_leaves_no_file(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = [sys.executable, "-m", "mcpgen", "run", str(PETSTORE), "--http", str(port)]
    with subprocess.Popen(words, cwd=tmp_path, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as running:
        try:
            assert running.stderr is not None
            while f":{port}" not in (line := running.stderr.readline()):
                assert line, "it has ended"
            session, begun = asked(port, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": SESSION})
            assert begun["result"]["serverInfo"]["name"] == "petstore"
            _, listed = asked(port, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}, session)
            assert "list_pets" in {tool["name"] for tool in listed["result"]["tools"]}
        finally:
            running.terminate()
    assert running.returncode == 143, "128 and the number of SIGTERM"
    assert list(tmp_path.iterdir()) == []
