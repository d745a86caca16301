"""Run a generated server that calls an API with the rights of its callers, and act as each of its callers."""

from __future__ import annotations

import hashlib
import json
import os
import queue
import secrets
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from tests.delegation.authority import CLIENT, SECRET
from tests.delegation.endpoint import Answer, Asked, Endpoint
from tests.leaks import planted
from tests.streamable.client import Connection, Fields
from tests.streamable.messages import META, calling, encoded, mirrored, stateless
from tests.streamable.servers import Server as Streamable

START = Path(__file__).with_name("start.py")
PACKAGE, PREFIX = "pets_mcp", "PETS"
USERS = ("alice", "bob", "carol")
NEVER = (SECRET.encode(),)
"""Secrets that neither output nor responses of a server may contain. Parts of the callers' tokens are added
to these.
"""

DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Pets", "version": "1"},
    "servers": [{"url": "https://api.example.com"}],
    "components": {
        "securitySchemes": {
            "oauth": {
                "type": "oauth2",
                "flows": {
                    "clientCredentials": {
                        "tokenUrl": "https://api.example.com/token",
                        "scopes": {"pets:read": "", "pets:write": ""},
                    }
                },
            },
            "code": {
                "type": "oauth2",
                "flows": {
                    "authorizationCode": {
                        "authorizationUrl": "https://api.example.com/authorize",
                        "tokenUrl": "https://api.example.com/token",
                        "scopes": {},
                    }
                },
            },
            "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
            "tenant": {"type": "apiKey", "in": "header", "name": "X-Tenant"},
        }
    },
    "paths": {
        "/pets": {
            "get": {"operationId": "listPets", "security": [{"oauth": ["pets:read"]}], "responses": {"200": {}}},
            "post": {"operationId": "addPet", "security": [{"oauth": ["pets:write"]}], "responses": {"200": {}}},
        },
        "/rented": {
            "get": {"operationId": "readRented", "security": [{"key": [], "tenant": []}], "responses": {"200": {}}}
        },
        "/shared": {
            "get": {"operationId": "readShared", "security": [{"oauth": [], "tenant": []}], "responses": {"200": {}}}
        },
        "/both": {
            "get": {"operationId": "readBoth", "security": [{"oauth": [], "code": []}], "responses": {"200": {}}}
        },
        "/keyed": {"get": {"operationId": "readKeyed", "security": [{"key": []}], "responses": {"200": {}}}},
        "/coded": {"get": {"operationId": "readCoded", "security": [{"code": []}], "responses": {"200": {}}}},
        "/either": {
            "get": {"operationId": "readEither", "security": [{"key": []}, {"oauth": []}], "responses": {"200": {}}}
        },
    },
}


class Api(Endpoint):
    """The API, which records its requests. `unaccepted`: tokens that it answers with 401."""

    def __init__(self) -> None:
        super().__init__(self._answered)
        self.unaccepted: set[str] = set()

    def _answered(self, asked: Asked) -> Answer:
        token = asked.fields.get("authorization", "").removeprefix("Bearer ")
        return (401, b'{"error":"stale"}') if token in self.unaccepted else (200, b'{"ok":true}')


def generate(folder: Path) -> Path:
    """Generate the server into a project."""
    (folder / "pets.json").write_text(json.dumps(DOCUMENT))
    command = [
        sys.executable,
        "-m",
        "mcpgen",
        "generate",
        "--parts",
        "all",
        str(folder / "pets.json"),
        "-o",
        str(folder / "pets"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "pets"


def free_port() -> int:
    """Return a port at which nobody listens."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Issuer(Protocol):
    """Interface of an authorization server that issues access tokens for callers, such as `authority.Authority`."""

    @property
    def issuer(self) -> str:
        """Return the issuer identifier."""

    def caller_token(self, user: str, audience: str) -> str:
        """Return an access token of this user for an MCP server."""

    def proofs(self) -> list[bytes]:
        """Return the parts of callers' tokens (claims and signatures) that `Server.search` must not find."""


class Server(Streamable):
    """A server process. Its callers are `users`, by default USERS.

    Its output never contains SECRET or a part of a caller's token.
    """

    def __init__(
        self,
        project: Path,
        folder: Path,
        api: Api,
        issuer: Issuer | None,
        settings: Mapping[str, str],
        users: tuple[str, ...] = USERS,
        constants: dict[str, float] | None = None,
        port: int = 0,
    ) -> None:
        """Start the server. `issuer`: issuer of the callers' tokens, or None if callers have only static tokens.

        `settings`: environment variables without their prefix. `constants`: values to set in the runtime's modules.
        """
        self.users = users
        self.issuer = issuer
        self._tokens: dict[str, str] = {}
        tokens, self.audit = folder / "tokens", folder / f"audit-{secrets.token_hex(4)}"
        digests = {name: hashlib.sha256(f"token-of-{name}".encode()).hexdigest() for name in users}
        tokens.write_text("".join(f"{name} {digest}\n" for name, digest in digests.items()))
        self.bound = port or free_port()
        told = json.dumps({"http_server.over_http.LINGER": 0.0, **(constants or {})})
        command = [sys.executable, str(START), PACKAGE, str(self.bound), told]
        given = {
            "BASE_URL": api.origin,
            "STATE_KEY": "k" * 32,
            "AUDIT": str(self.audit),
            "LOG_LEVEL": "debug",
            **({"AUTH_ISSUER": issuer.issuer} if issuer is not None else {"HTTP_TOKENS": str(tokens)}),
            **settings,
        }
        environ = {
            **{name: value for name, value in planted(PREFIX).items() if not name.startswith(f"{PREFIX}_")},
            **{f"{PREFIX}_{name}": value for name, value in given.items()},
        }
        self._start(command, project, {**os.environ, **environ})
        self.url = given.get("HTTP_URL", f"http://127.0.0.1:{self.port}/mcp")

    def _start(self, command: list[str], project: Path, environ: dict[str, str]) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, cwd=project, env=environ, stdout=pipe, stderr=pipe)
        self.written, self.lines, self._printed = [], queue.Queue(), []
        self._readers = [
            threading.Thread(target=self._collect, args=(self.process.stderr, True), daemon=True),
            threading.Thread(target=self._collect, args=(self.process.stdout, False), daemon=True),
        ]
        for each in self._readers:
            each.start()
        self.port = self._port()

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        self.search(b"".join(self.written) + self.audit.read_bytes())

    def search(self, content: bytes) -> None:
        """Raise AssertionError if `content`, which the server has written or sent, holds a secret.

        Secrets are the claims and signatures of callers' tokens, and the server's own secret.
        """
        for secret in (*NEVER, *(self.issuer.proofs() if self.issuer is not None else ())):
            assert secret not in content

    def token(self, user: str) -> str:
        """Return the access token with which this user calls the server."""
        if self.issuer is None:
            return f"token-of-{user}"
        if user not in self._tokens:
            self._tokens[user] = self.issuer.caller_token(user, self.url)
        return self._tokens[user]

    def begin_again(self) -> None:
        """Forget all access tokens, so that every user gets a new one."""
        self._tokens.clear()

    def until_ready(self) -> None:
        """Wait until the server has fetched the keys of the issuer."""
        while self.ask("GET", "/readyz").status != 200:
            pass

    def audited(self) -> list[Any]:
        """Return the audit records so far."""
        return [json.loads(line) for line in self.audit.read_text().splitlines()]

    def as_user(self, user: str, tool: str, can: dict[str, Any] | None = None, **more: Any) -> Any:
        """Make a call without a session (revision 2026-07-28) as this user, and return the response.

        `can`: value that the client declares for its capability `elicitation`. None means an empty object.
        """
        with self.connect() as connection:
            message = self.by(connection, user, tool, can, **more)
        self.search(encoded(message))
        return message

    def by(self, connection: Connection, user: str, tool: str, can: dict[str, Any] | None = None, **more: Any) -> Any:
        """Make a call without a session (revision 2026-07-28) as this user on an open connection, and return the
        response.
        """
        fields: Fields = more.pop("fields", {})
        message = calling(tool) if not more else stateless("tools/call", 1, name=tool, arguments={}, **more)
        if can is not None:
            message["params"].setdefault("_meta", {})[f"{META}clientCapabilities"] = {"elicitation": can}
        headers = {**mirrored(message), "Authorization": f"Bearer {self.token(user)}", **fields}
        answer = connection.ask("POST", fields=headers, body=encoded(message))
        assert answer.status in (200, 400), answer
        return answer.message


def exchange(**more: str) -> dict[str, str]:
    """Return the settings for a token exchange."""
    return {"OAUTH_AS": "exchange", "OAUTH_CLIENT_ID": CLIENT, "OAUTH_CLIENT_SECRET": SECRET, **more}
