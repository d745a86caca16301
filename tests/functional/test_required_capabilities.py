"""Test tools that require a client capability: a compiled tools file and a real process, in revisions with and without
a handshake.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

import pytest

from mcpgen.cli import main
from tests.runtime.process import Server
from tests.runtime.revisions import ENVELOPE, R3

FILE = """
mcpgen: 1
server: {name: mirror}
base_url: http://127.0.0.1:9
tools:
  - {name: sample, description: Needs a model., request: GET /a, requires: [sampling]}
  - {name: both, description: Needs a model and folders., request: GET /a, requires: [roots, sampling]}
"""
_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("mirror")
    (folder / "mirror.tools.yaml").write_text(FILE)
    with pytest.raises(SystemExit) as ended:
        main(["generate", str(folder / "mirror.tools.yaml"), "-o", str(folder / "out")])
    assert ended.value.code == 0
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    with Server(folder / "out", env=kept) as running:
        yield running


def stateless(server: Server, name: str, capabilities: dict[str, object]) -> dict[str, object]:
    meta = {**ENVELOPE, _CAPABILITIES: capabilities}
    params = {"name": name, "arguments": {}, "_meta": meta}
    line = json.dumps({"jsonrpc": "2.0", "id": f"{name} {len(capabilities)}", "method": "tools/call", "params": params})
    server.say(line.encode() + b"\n")
    return dict(server.message())


def test_the_stateless_era_gets_the_error_with_what_is_missing(server: Server) -> None:
    error = stateless(server, "sample", {})["error"]
    assert error == {
        "code": -32021,
        "message": "sample was not called. It needs the capability sampling, which this client does not declare."
        " Use a client that does.",
        "data": {"requiredCapabilities": {"sampling": {}}},
    }
    needed = stateless(server, "both", {})["error"]["data"]["requiredCapabilities"]  # type: ignore[index]
    assert needed == {"roots": {}, "sampling": {}}


def test_a_client_that_declares_the_capability_is_served(server: Server) -> None:
    result = stateless(server, "sample", {"sampling": {}})["result"]
    assert "was not called" not in json.dumps(result)


def test_the_handshake_era_gets_a_sentence(server: Server) -> None:
    declared: list[tuple[dict[str, object], bool]] = [
        ({}, True),
        ({"roots": {}}, True),
        ({"roots": {}, "sampling": {}}, False),
    ]
    for capabilities, refused in declared:
        params = {"protocolVersion": R3, "capabilities": capabilities, "clientInfo": {"name": "c", "version": "1"}}
        said = {"jsonrpc": "2.0", "id": f"a{len(capabilities)}", "method": "initialize", "params": params}
        server.say(json.dumps(said).encode() + b"\n")
        server.message()
        said = {"jsonrpc": "2.0", "id": f"b{len(capabilities)}", "method": "tools/call", "params": {"name": "both"}}
        server.say(json.dumps(said).encode() + b"\n")
        text = server.message()["result"]["content"][0]["text"]
        assert text.startswith("both was not called.") is refused
