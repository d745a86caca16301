"""Test that this server starts, lists its tools, and refuses a wrong argument without sending a request.

This file is yours: mcpgen writes it once and never again. Install the server, then run
`python -m unittest discover tests`.
"""

import json
import os
import select
import socket
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[1]
CLIENT = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


class ServerTest(unittest.TestCase):
    def test_a_wrong_argument_is_refused_and_no_request_leaves(self) -> None:
        package = next(PROJECT.glob("*_mcp/__main__.py")).parent.name
        # Prefix of the server's environment variables. The server is started without them, except ROLES, which
        # selects the listed tools.
        own = package.removesuffix("mcp").upper()
        environ = {key: value for key, value in os.environ.items() if not key.startswith(own) or key == f"{own}ROLES"}
        with socket.create_server(("127.0.0.1", 0)) as api:
            command = [sys.executable, "-m", package, "--base-url", f"http://127.0.0.1:{api.getsockname()[1]}/"]
            pipe = subprocess.PIPE
            with subprocess.Popen(command, cwd=PROJECT, env=environ, stdin=pipe, stdout=pipe) as server:
                ask(server, "initialize", CLIENT)
                for tool in ask(server, "tools/list", {})["tools"]:
                    if wrong := wrong_call(tool["inputSchema"]):
                        break
                else:
                    self.skipTest(f"No tool is listed that must refuse a call. If yours are for roles, set {own}ROLES.")
                result = ask(server, "tools/call", {"name": tool["name"], "arguments": wrong[0]})
                assert result.get("isError"), result
                assert wrong[1] in result["content"][0]["text"], result
            assert not select.select([api], [], [], 0)[0], "A request left the server."


def wrong_call(schema: dict[str, Any]) -> tuple[dict[str, Any], str] | None:
    """Return arguments that the input schema forbids, and the argument name that the error must contain.

    Return None if no argument is required and arguments of any name are allowed.
    """
    if schema.get("required"):
        return {}, schema["required"][0]
    is_open = schema.get("additionalProperties", False) is not False or "patternProperties" in schema
    unknown = "no_such_argument"
    return None if is_open or unknown in schema.get("properties", {}) else ({unknown: True}, unknown)


def ask(server: "subprocess.Popen[bytes]", method: str, params: dict[str, Any]) -> Any:
    """Send one request to the server and return its result."""
    assert server.stdin is not None
    assert server.stdout is not None
    request = {"jsonrpc": "2.0", "id": method, "method": method, "params": params}
    server.stdin.write(json.dumps(request).encode() + b"\n")
    server.stdin.flush()
    answers = (json.loads(line) for line in server.stdout)
    answer = next((each for each in answers if each.get("id") == method), {"error": "The server ended."})
    assert "result" in answer, answer
    return answer["result"]
