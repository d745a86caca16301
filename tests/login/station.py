"""Provide what tests of logins need: a generated server, its API, its commands as real processes, and an authorization
server.

The authorization server is a mock. Tests can change its responses.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import queue
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

import httpx
import pytest

from mcpgen.cli import main
from tests.leaks import searched
from tests.runtime import bytecode
from tests.runtime.process import Server

PATIENCE = 60
"""Timeout in seconds for an event that must happen. No test measures time with it."""

OFFERED = "items:read"

DOCUMENT = """
openapi: 3.1.0
info: {title: Store, version: '1'}
servers: [{url: %(api)s}]
security: [{user: [items:read]}]
paths:
  /items: {get: {operationId: list_items}, post: {operationId: add_item, security: [{user: [items:write]}]}}
  /status: {get: {operationId: get_status, security: []}}
components:
  securitySchemes:
    user: %(scheme)s
"""

Answer = tuple[int, dict[str, str], bytes]


class Handler(BaseHTTPRequestHandler):
    """Handler that passes each request to `server.answer`."""

    protocol_version = "HTTP/1.1"

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        status, fields, content = self.server.answer(  # type: ignore[attr-defined]
            self.command, self.path, dict(self.headers.items()), body
        )
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_HEAD = do_PUT = do_PATCH = do_DELETE = _answer  # noqa: N815

    def log_message(self, *_: object) -> None:
        """Write no log."""


@contextmanager
def listening(answer: Callable[[str, str, dict[str, str], bytes], Answer]) -> Iterator[str]:
    """Serve HTTP on a loopback port, with responses from the function `answer`. Yield the origin."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.answer = answer  # type: ignore[attr-defined]
        server.daemon_threads = True
        server.block_on_close = False
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join(PATIENCE)


def told(content: object, status: int = 200) -> Answer:
    """Return a JSON response."""
    return status, {"Content-Type": "application/json"}, json.dumps(content).encode()


class Api:
    """The API. `heard` has method, path and Authorization of each request. Tokens in `refused` get 401."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, str, str]] = []
        self.refused: set[str] = set()

    def answer(self, method: str, path: str, fields: dict[str, str], _: bytes) -> Answer:
        given = fields.get("Authorization", "")
        self.heard.append((method, path, given))
        if given.removeprefix("Bearer ") in self.refused:
            return told({"error": "unauthorized"}, 401)
        return told({"path": path})

    @property
    def tokens(self) -> list[str]:
        return [given for method, _, given in self.heard if method != "HEAD"]


class Authority:
    """A mock authorization server (RFC 6749, 7636, 7591, 8628, 8414). It is strict where clients make mistakes.

    `requests` has the path and the form of each request. `instead` maps paths to responses that replace its own.
    Refresh tokens rotate: each can be used once, and a second use ends the whole login, as RFC 9700 demands.
    """

    def __init__(self, *, metadata: bool = True, iss: bool = True) -> None:
        self.origin = ""
        self._iss = iss
        self._metadata = metadata
        self._turn = threading.Lock()
        self.reset()

    def reset(self) -> None:
        """Forget all requests, tokens and changed responses."""
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.instead: dict[str, Answer] = {}
        self.secret = ""
        self.takes_basic = True
        self.pending = 1
        self.given: list[str] = []
        self.refreshes = True
        self.life = 3600
        self._codes: dict[str, dict[str, str]] = {}
        self._good: set[str] = set()
        self._number = 0
        self.ended = False

    def answer(self, _method: str, path: str, fields: dict[str, str], body: bytes) -> Answer:
        with self._turn:
            return self._answer(path, fields, body)

    def _answer(self, path: str, fields: dict[str, str], body: bytes) -> Answer:
        where = path.partition("?")[0]
        is_json = fields.get("Content-Type", "").startswith("application/json")
        form = json.loads(body) if is_json else dict(parse_qsl(body.decode()))
        self.requests.append((where, form))
        if where in self.instead:
            return self.instead[where]
        if where.startswith("/.well-known/"):
            return told(self.metadata()) if self._metadata else told({}, 404)
        if where == "/register":
            return told({**form, "client_id": "registered"}, 201)
        if where == "/revoke":
            self._good.discard(form["token"])
            return told({})
        if where == "/device":
            code = {"device_code": "device-code-1", "user_code": "WDJB-MJHT", "verification_uri": f"{self.origin}/go"}
            return told({**code, "interval": 1, "expires_in": 600})
        return self._token(form, fields) if where == "/token" else told({}, 404)

    def metadata(self) -> dict[str, Any]:
        return {
            "issuer": self.origin,
            "authorization_endpoint": f"{self.origin}/authorize",
            "token_endpoint": f"{self.origin}/token",
            "device_authorization_endpoint": f"{self.origin}/device",
            "registration_endpoint": f"{self.origin}/register",
            "revocation_endpoint": f"{self.origin}/revoke",
            "authorization_response_iss_parameter_supported": self._iss,
        }

    def agree(self, url: str) -> str:
        """Agree to an authorization URL as the user. Return the redirect to the client."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        assert asked["response_type"] == "code"
        assert asked["code_challenge_method"] == "S256"
        assert len(base64.urlsafe_b64decode(asked["state"] + "==")) >= 16
        self._number += 1
        code = f"code-{self._number}"
        self._codes[code] = asked
        iss = {"iss": self.origin} if self._iss else {}
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state'], **iss})}"

    def grants(self, kind: str) -> list[dict[str, str]]:
        return [form for path, form in self.requests if path == "/token" and form.get("grant_type") == kind]

    def _token(self, form: dict[str, str], fields: dict[str, str]) -> Answer:
        if self.secret and not self._knows_secret(form, fields):
            return told({"error": "invalid_client"}, 401)
        match form.get("grant_type"):
            case "authorization_code":
                asked = self._codes.pop(form["code"], None)
                digest = hashlib.sha256(form["code_verifier"].encode()).digest()
                challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
                if (
                    asked is None
                    or challenge != asked["code_challenge"]
                    or form["redirect_uri"] != asked["redirect_uri"]
                ):
                    return told({"error": "invalid_grant"}, 400)
                return self._given(asked.get("scope", ""))
            case "refresh_token":
                if form["refresh_token"] not in self._good:
                    self.ended = True
                    self._good.clear()
                    return told({"error": "invalid_grant"}, 400)
                self._good.discard(form["refresh_token"])
                return self._given("")
            case _:
                self.pending -= 1
                return told({"error": "authorization_pending"}, 400) if self.pending >= 0 else self._given("")

    def _knows_secret(self, form: dict[str, str], fields: dict[str, str]) -> bool:
        basic = base64.b64encode(f"the-client:{self.secret}".encode()).decode()
        return (self.takes_basic and fields.get("Authorization") == f"Basic {basic}") or form.get(
            "client_secret"
        ) == self.secret

    def _given(self, scope: str) -> Answer:
        self._number += 1
        content: dict[str, Any] = {"access_token": f"access-{self._number}", "token_type": "Bearer"}
        self.given += [f"access-{self._number}", f"refresh-{self._number}"]
        if self.life:
            content["expires_in"] = self.life
        if self.refreshes:
            content["refresh_token"] = f"refresh-{self._number}"
            self._good.add(content["refresh_token"])
        return told({**content, **({"scope": scope} if scope else {})})


class Command:
    """A command of the server as a process. Its stderr is read line by line."""

    def __init__(self, project: Path, *arguments: str, program: tuple[str, ...], env: dict[str, str]) -> None:
        command = [sys.executable, *program, *arguments]
        self.process = subprocess.Popen(
            command, cwd=project, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self._lines: queue.Queue[str | None] = queue.Queue()
        self.said: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self._lines.put(line.decode())
        self._lines.put(None)

    def find(self, pattern: str) -> str:
        """Return the first group of the first line of stderr that matches the pattern."""
        while (line := self._lines.get(timeout=PATIENCE)) is not None:
            self.said.append(line)
            if found := re.search(pattern, line):
                return found[1]
        raise AssertionError(f"no {pattern} in {''.join(self.said)}")

    def url(self) -> str:
        return self.find(r"browser, at (\S+)")

    def end(self) -> tuple[int, str]:
        """Wait for the end of the process. Return the exit code and all of stderr."""
        code = self.process.wait(PATIENCE)
        while (line := self._lines.get(timeout=PATIENCE)) is not None:
            self.said.append(line)
        return code, "".join(self.said)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.join(PATIENCE)
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()

    def __enter__(self) -> Command:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Station:
    """A generated server with its environment variables."""

    def __init__(self, folder: Path, api: Api, authority: Authority, project: Path) -> None:
        self.folder = folder
        self.api = api
        self.authority = authority
        self.project = project
        self.reset()

    def reset(self) -> None:
        """Log everybody out, and reset the API, the authorization server and the environment variables."""
        shutil.rmtree(self.folder / "data", ignore_errors=True)
        self.api.heard.clear()
        self.api.refused.clear()
        self.authority.reset()
        kept = {name: value for name, value in os.environ.items() if name == "PATH"}
        self.env = {
            **kept,
            "HOME": str(self.folder),
            "XDG_DATA_HOME": str(self.folder / "data"),
            "STORE_TOKEN_STORE": "file",
            "STORE_USER_CLIENT_ID": "the-client",
        }

    @property
    def file(self) -> Path:
        return self.folder / "data" / "store-mcp" / "logins.json"

    def command(self, *arguments: str, program: tuple[str, ...] = ("-m", "store_mcp")) -> Command:
        return Command(self.project, *arguments, program=program, env=self.env)

    def run(self, *arguments: str) -> tuple[int, str, str]:
        """Run a command to its end. Return the exit code, stdout and stderr."""
        done = subprocess.run(
            [sys.executable, "-m", "store_mcp", *arguments],
            cwd=self.project,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE * 2,
            check=False,
        )
        return done.returncode, self._searched(done.stdout.decode()), self._searched(done.stderr.decode())

    def log_in(self, *arguments: str) -> str:
        """Log in at the mock authorization server, and return the output of the command `login`."""
        with self.command("login", *arguments) as command:
            answer = visit(self.authority.agree(command.url()))
            assert answer.status_code == 200, answer.text
            code, said = command.end()
        assert code == 0, said
        return self._searched(said)

    def _searched(self, written: str) -> str:
        """Return the output of a process, after a check that it contains no token."""
        for secret in self.authority.given:
            searched(written.encode(), secret)
        return written

    def call(self, *names: str) -> list[dict[str, Any]]:
        """Start the server over stdio, call these tools, and return their results."""
        with Server(self.project, package="store_mcp", env=self.env) as server:
            ids = [server.call(name) for name in names]
            found: dict[int, dict[str, Any]] = {}
            while len(found) < len(ids):
                message = server.message()
                if "result" in message:
                    found[message["id"]] = message["result"]
        self.written = self._searched(server.written.decode())
        return [found[each] for each in ids]


META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}

CODE = "{type: oauth2, flows: {authorizationCode: {authorizationUrl: %s/authorize, tokenUrl: %s/token, scopes: {}}}}"


def visit(url: str, **fields: str) -> httpx.Response:
    """GET a URL as a browser does, without following redirects."""
    with httpx.Client(trust_env=False, timeout=PATIENCE) as browser:
        return browser.get(url, headers=fields)


def generate(folder: Path, document: str) -> Path:
    """Generate a server from a document, and return its project."""
    (folder / "openapi.yaml").write_text(document)
    with pytest.raises(SystemExit) as stop:
        main(["generate", str(folder / "openapi.yaml"), "-o", str(folder / "out")])
    assert not stop.value.code
    bytecode.lend(folder / "out" / "store_mcp")
    return folder / "out"


@contextmanager
def station(folder: Path, authority: Authority | None = None, scheme: str = "") -> Iterator[Station]:
    """Yield a server whose users log in at a mock. `scheme`: the security scheme, with `@` for the mock's origin."""
    authority, api = authority or Authority(), Api()
    with listening(api.answer) as api_origin, listening(authority.answer) as origin:
        authority.origin = origin
        written = scheme.replace("@", origin) or CODE % (origin, origin)
        project = generate(folder, DOCUMENT % {"api": api_origin, "scheme": written})
        yield Station(folder, api, authority, project)
