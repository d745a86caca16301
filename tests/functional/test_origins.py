"""Test documents that change the hosts of their servers or token URLs, with real processes and raw sockets.

No secret may reach a host that nobody has accepted, before or after a restart. On loopback, origins differ by port; an
allowed host is allowed at every port.
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from mcpgen.cli import main
from tests.leaks import SECRET
from tests.runtime.process import Server

HASTY = (
    "-c",
    "import sys; from store_mcp.runtime.reload import reload; from store_mcp.runtime import server; "
    "reload.SECONDS = 0.01; sys.exit(server.main())",
)
#: Credentials of the client. The client id has no colon or blank, which would be encoded. Output is searched for the
#: secret.
CLIENT = {"STORE_MACHINE_CLIENT_ID": "the-client", "STORE_MACHINE_CLIENT_SECRET": SECRET}
ALLOWED = {"STORE_ALLOW_HOSTS": "127.0.0.1"}


class Listener:
    """Raw HTTP server that records its requests.

    It answers with an access token, or with the URL of the token endpoint.
    """

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.endpoint = ""
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listening.accept()
                self.heard.append("a connection")
                threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        body = json.dumps({"access_token": "token-1", "token_endpoint": self.endpoint}).encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        with connection, suppress(OSError):
            while data := connection.recv(65536):
                self.heard.append(data.decode("latin-1"))
                if b"\r\n\r\n" in data:
                    connection.sendall(head + body)


@pytest.fixture
def listeners() -> Iterator[tuple[Listener, Listener, Listener]]:
    """Yield three servers: the API, its token host, and a foreign host."""
    made = Listener(), Listener(), Listener()
    yield made
    for each in made:
        each.close()


class Project:
    """A document, and the project that is generated from it again and again."""

    def __init__(self, home: Path) -> None:
        self.home, self.source = home, home / "openapi.json"

    def describe(self, server: str, tokens: str, *, discovery: bool = False) -> None:
        """Write the document with its API at `server` and its token URL `tokens`."""
        flow = {"tokenUrl": tokens, "scopes": {}}
        machine = {"type": "oauth2", "flows": {"clientCredentials": flow}}
        scheme = {"type": "openIdConnect", "openIdConnectUrl": tokens} if discovery else machine
        described = {
            "openapi": "3.1.0",
            "info": {"title": "Store", "version": "1"},
            "servers": [{"url": server}],
            "security": [{"machine": []}],
            "paths": {"/items": {"get": {"operationId": "listItems"}}, "/more": {"get": {"operationId": "listMore"}}},
            "components": {"securitySchemes": {"machine": scheme}},
        }
        self.source.write_text(json.dumps(described))

    def compile(self, *flags: str) -> None:
        """Run `generate`, or `regenerate` if the project exists already."""
        there = (self.home / "store").exists()
        command = ["regenerate", str(self.home / "store")] if there else ["generate", str(self.source), "-o"]
        with pytest.raises(SystemExit) as ended:
            main([*command, *([] if there else [str(self.home / "store")]), *flags])
        assert ended.value.code == 0

    def server(self, *arguments: str, **environ: str) -> Server:
        """Start the server with the client's id and secret in its environment."""
        how: dict[str, Any] = {"package": "store_mcp", "env": {**CLIENT, **environ}}
        return Server(self.home / "store", *arguments, **({**how, "program": HASTY} if arguments else how))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def told(server: Server, tool: str = "list_items") -> str:
    """Call a tool, and return the text of its result."""
    text: str = server.result(tool)["content"][0]["text"]
    return text


def logged(server: Server, event: str) -> dict[str, Any]:
    """Return the next line of the log with this event."""
    while (line := json.loads(server.complaint()))["event"] != event:
        pass
    return dict(line)


def logged_in_any_order(server: Server, *texts: str) -> list[dict[str, Any]]:
    """Return the next log lines that contain these texts.

    They may come in any order, since several threads write them.
    """
    found: dict[str, dict[str, Any]] = {}
    while not found.keys() >= set(texts):
        line = server.complaint()
        found |= {text: json.loads(line) for text in texts if text in line}
    return [found[text] for text in texts]


REFUSED = "list_items was not called. The token URL that the API's description names is on 127.0.0.1, "


def test_hard_05_a_running_server_sends_nothing_to_a_token_host_that_came_with_another_table(
    project: Project, listeners: tuple[Listener, Listener, Listener]
) -> None:
    """Load project files with another token host while the server runs.

    Nothing is sent there, even after the owner of the project has accepted the host, because the operator of the
    running server has not.
    """
    api, login, foreign = listeners
    project.describe(api.url, f"{login.url}/token")
    project.compile()
    with project.server("--reload") as server:
        assert "token-1" not in told(server)
        assert login.heard
        project.describe(api.url, f"{foreign.url}/token")
        project.compile()
        taken, warned = logged_in_any_order(server, "table_taken", "STORE_ALLOW_HOSTS")
        assert taken["tools"] == 2
        assert told(server).startswith(REFUSED + "an origin that was not accepted when this server was generated")
        assert (warned["level"], warned["event"]) == ("warning", "setting")
        project.compile("--accept-origin", foreign.url)
        logged(server, "table_taken")
        assert told(server).startswith(REFUSED + "an origin that came after this server had started")
        assert "STORE_ALLOW_HOSTS" in told(server)
        server.end()
        server.rest()
    assert foreign.heard == []


def test_hard_05_a_running_server_goes_there_where_its_operator_named_the_host(
    project: Project, listeners: tuple[Listener, Listener, Listener]
) -> None:
    api, login, foreign = listeners
    project.describe(api.url, f"{login.url}/token")
    project.compile()
    with project.server("--reload", **ALLOWED) as server:
        server.ask("server/discover")
        project.describe(api.url, f"{foreign.url}/token")
        project.compile()
        logged(server, "table_taken")
        assert "was not called" not in told(server)
    assert any("Authorization: Basic" in each for each in foreign.heard)
    assert login.heard == []


@pytest.mark.parametrize("moved", ["token URL", "provider", "server"])
@pytest.mark.parametrize("word", ["nobody's", "the operator's", "the operator's URL", "the owner's"])
def test_hard_05_a_server_that_is_started_again_goes_where_somebody_said_so(
    project: Project, listeners: tuple[Listener, Listener, Listener], moved: str, word: str
) -> None:
    api, login, foreign = listeners
    login.endpoint, foreign.endpoint = f"{login.url}/token", f"{foreign.url}/token"
    discovery = moved == "provider"
    project.describe(api.url, f"{login.url}/token", discovery=discovery)
    project.compile()
    if moved == "server":
        project.describe(foreign.url, f"{login.url}/token")
    else:
        project.describe(api.url, f"{foreign.url}/token", discovery=discovery)
    project.compile(*(["--accept-origin", foreign.url] if word == "the owner's" else []))
    environ = {"the operator's": ALLOWED}.get(word, {})
    if word == "the operator's URL":
        environ = {"STORE_MACHINE_TOKEN_URL": f"{foreign.url}/token"}
        if moved == "server":
            environ = {"STORE_BASE_URL": foreign.url, "STORE_MACHINE_TOKEN_URL": f"{login.url}/token"}
    with project.server(**environ) as server:
        said = told(server)
    if word == "nobody's":
        assert "an origin that was not accepted when this server was generated" in said
        assert "STORE_ALLOW_HOSTS" in said
        assert (api.heard, foreign.heard) == ([], [])
    else:
        assert "was not called" not in said
        assert foreign.heard


@pytest.mark.parametrize("discovery", [False, True], ids=["token URL", "provider"])
@pytest.mark.parametrize("environ", [{}, ALLOWED], ids=["nobody's word", "the operator's word"])
def test_hard_06_with_a_base_url_of_the_operator_no_secret_goes_to_the_described_token_host(
    project: Project, listeners: tuple[Listener, Listener, Listener], discovery: bool, environ: dict[str, str]
) -> None:
    api, login, _ = listeners
    login.endpoint = f"{login.url}/token"
    project.describe("https://api.example.com", f"{login.url}/token", discovery=discovery)
    project.compile()
    with project.server(STORE_BASE_URL=api.url, **environ) as server:
        said = told(server)
    if environ:
        assert "was not called" not in said
        assert any("Authorization: Basic" in each for each in login.heard)
    else:
        assert "is on 127.0.0.1, another host than STORE_BASE_URL: name that host in STORE_ALLOW_HOSTS" in said
        assert "STORE_MACHINE_TOKEN_URL can name another" in said
        assert (api.heard, login.heard) == ([], [])


def test_hard_06_a_provider_sends_no_secret_to_another_host(
    project: Project, listeners: tuple[Listener, Listener, Listener]
) -> None:
    api, login, foreign = listeners
    login.endpoint = f"{foreign.url}/token"
    project.describe(api.url, f"{login.url}/.well-known/openid-configuration", discovery=True)
    project.compile()
    with project.server() as server:
        assert "names is on 127.0.0.1, another origin than its own" in told(server)
    assert not any("Authorization" in each for each in login.heard)
    assert foreign.heard == []
    project.compile("--accept-origin", foreign.url)
    with project.server() as server:
        assert "was not called" not in told(server)
    assert any("Authorization: Basic" in each for each in foreign.heard)


def test_a_base_url_of_the_owner_leaves_nothing_at_the_hosts_of_the_document(
    project: Project, listeners: tuple[Listener, Listener, Listener]
) -> None:
    """Check that `--base-url` of `generate` protects credentials as the variable STORE_BASE_URL does at run time.

    No token host of the document gets the credentials (HARD-06).
    """
    api, login, foreign = listeners
    project.describe(f"{foreign.url}/v1", f"{login.url}/token")
    described = json.loads(project.source.read_text())
    described["paths"]["/more"]["servers"] = [{"url": f"{login.url}/v1"}]
    project.source.write_text(json.dumps(described))
    project.compile("--base-url", api.url)
    with project.server(STORE_MACHINE="ready-token") as server:
        assert "was not called" not in told(server)
        assert "an origin that was not accepted" in told(server, "list_more")
    with project.server() as server:
        assert "an origin that was not accepted" in told(server)
    assert any(each.startswith("GET /v1/items HTTP/1.1\r\n") for each in api.heard)
    assert (login.heard, foreign.heard) == ([], [])
    project.compile("--accept-origin", login.url)
    with project.server() as server:
        assert "was not called" not in told(server)
    assert any("Authorization: Basic" in each for each in login.heard)
    assert foreign.heard == []


@pytest.mark.parametrize(("typed", "path"), [("", "/v1/items"), ("/", "/items"), ("/v2", "/v2/items")])
def test_a_base_url_without_a_path_keeps_the_described_one(
    project: Project, listeners: tuple[Listener, Listener, Listener], typed: str, path: str
) -> None:
    api, login, _ = listeners
    project.describe("https://api.example.com/v1/", f"{login.url}/token")
    project.compile()
    with project.server(STORE_MACHINE="ready-token", STORE_BASE_URL=api.url + typed) as server:
        assert "was not called" not in told(server)
    assert any(each.startswith(f"GET {path} HTTP/1.1\r\n") for each in api.heard)
