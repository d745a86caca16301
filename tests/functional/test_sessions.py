"""Test logins whose credential is no JSON member: a cookie, a header field, a text or a JSON string, and a CSRF value.

A server process runs, and an HTTP server on a socket stands for the API.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from mcpgen.cli import main
from tests.functional.test_redirects import told
from tests.runtime.process import Server

SESSION = "s%3Aabcdef.0123456789"
"""Value of a session's cookie as Express writes it: its percent signs must come back unchanged."""

CSRF = "eyJpdiI6%3D%3D"
PAST = "Expires=Thu, 01 Jan 1970 00:00:00 GMT"
PASSWORD = {"SHOP_LOGIN_USERNAME": "anna", "SHOP_LOGIN_PASSWORD": "pass-0123456789"}

DOCUMENT = """\
openapi: 3.1.0
info: {title: Shop, version: "1"}
servers: [{url: "%s"}]
SECURITYpaths:
  /login: {post: {operationId: log_in, security: [], responses: {"200": {description: ok}}}}
  /orders: {get: {operationId: list_orders, responses: {"200": {description: ok}}}}
  /other:
    get:
      operationId: list_elsewhere
      servers: [{url: "http://localhost:9"}]
      responses: {"200": {description: ok}}
"""
SCHEME = """\
components: {securitySchemes: {login: {type: apiKey, in: %s, name: %s}}}
security: [{login: []}]
"""

COGNITO = """\
mcpgen: 1
server: {name: shop}
base_url: %s
security: {login: {type: http, scheme: bearer}}
tools:
  - {name: list_orders, description: Lists., request: GET /orders}
  - {name: sign_in, description: Signs in., request: POST /, base_url: %s/pool, security: none}
login:
  operation: POST /
  content_type: application/x-amz-json-1.1
  headers: {X-Amz-Target: Pool.InitiateAuth}
  token: /AuthenticationResult/IdToken
  fields: {AuthFlow: {value: PLAIN}, /AuthParameters/USERNAME: USERNAME, /AuthParameters/PASS~1WORD: PASSWORD}
"""


class Api(ThreadingHTTPServer):
    """API that answers a login with `fields` and `body`, and a request with what came in the fields that count.

    `refused`: how many requests it answers with 401.
    """

    fields: list[tuple[str, str]]
    body: bytes
    status: int
    refused: int
    logins: int
    login: tuple[dict[str, str], bytes]
    asked: list[dict[str, str]]

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.answer([])

    def answer(self, fields: list[tuple[str, str]], body: bytes = b"", status: int = 200, refused: int = 0) -> None:
        self.fields, self.body, self.status, self.refused = fields, body, status, refused
        self.logins, self.asked = 0, []


class Handler(BaseHTTPRequestHandler):
    server: Api

    def do_POST(self) -> None:
        self.server.login = dict(self.headers), self.rfile.read(int(self.headers["Content-Length"]))
        self.server.logins += 1
        self._say(self.server.status, self.server.body, self.server.fields)

    def do_GET(self) -> None:
        self.server.asked.append(dict(self.headers))
        if self.server.refused:
            self.server.refused -= 1
            return self._say(401, b"who?", [])
        return self._say(200, json.dumps(dict(self.headers)).encode(), [("Content-Type", "application/json")])

    def _say(self, status: int, body: bytes, fields: list[tuple[str, str]]) -> None:
        self.send_response(status)
        for name, value in [*fields, ("Content-Length", str(len(body)))]:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Write no log."""


@pytest.fixture(scope="module")
def api() -> Iterator[Api]:
    with Api() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def project(folder: Path, api: Api, place: str, scheme: tuple[str, str] | None = None, more: str = "") -> Path:
    security = SCHEME % scheme if scheme else ""
    (folder / "shop.yaml").write_text((DOCUMENT % api.url).replace("SECURITY", security))
    login = f"operation: log_in, token: '{place}', fields: {{user: USERNAME, pass: PASSWORD}}{more}"
    (folder / "shop.tools.yaml").write_text(
        f"mcpgen: 1\nserver: {{name: shop}}\nopenapi: [{{document: shop.yaml}}]\nlogin: {{{login}}}\n"
    )
    with pytest.raises(SystemExit) as ended:
        main(["generate", str(folder / "shop.tools.yaml"), "-o", str(folder / "out")])
    assert ended.value.code == 0
    return folder / "out"


def served(made: Path, name: str = "LOGIN") -> Server:
    return Server(made, package="shop_mcp", env={key.replace("LOGIN", name): text for key, text in PASSWORD.items()})


COOKIE = ("Set-Cookie", f"sid={SESSION}; Path=/; HttpOnly; SameSite=Lax")


@pytest.mark.parametrize(
    ("place", "scheme", "fields", "body", "status", "sent"),
    [
        ("cookie:sid", ("cookie", "sid"), [COOKIE], b"", 204, ("Cookie", f"sid={SESSION}")),
        ("cookie:sid", ("cookie", "sid"), [("Set-Cookie", "sid=old"), COOKIE], b"", 302, ("Cookie", f"sid={SESSION}")),
        ("header:X-Token", ("header", "X-Key"), [("x-token", SESSION)], b"{}", 200, ("X-Key", SESSION)),
        ("body:text", ("header", "X-Key"), [], f"{SESSION}\r\n".encode(), 200, ("X-Key", SESSION)),
        ("body:text", ("header", "X-Key"), [], json.dumps(SESSION).encode(), 201, ("X-Key", SESSION)),
    ],
    ids=["a cookie", "a cookie and a redirect", "a header field", "a text", "a JSON string"],
)
def test_the_credential_is_found_sent_and_redacted(
    place: str,
    scheme: tuple[str, str],
    fields: list[tuple[str, str]],
    body: bytes,
    status: int,
    sent: tuple[str, str],
    api: Api,
    tmp_path: Path,
) -> None:
    api.answer(fields, body, status)
    with served(project(tmp_path, api, place, scheme)) as server:
        shown = told(server.result("list_orders"))
        assert told(server.result("list_orders")) == shown
    assert "[redacted]" in shown
    assert SESSION not in shown
    assert api.logins == 1
    assert [asked.get(sent[0]) for asked in api.asked] == [sent[1]] * 2


def test_a_refused_session_is_renewed_once_and_a_document_without_security_gets_the_cookie(
    api: Api, tmp_path: Path
) -> None:
    made = project(tmp_path, api, "cookie:sid")
    with served(made, "SESSION") as server:
        api.answer([COOKIE], refused=1)
        assert not server.result("list_orders").get("isError")
        assert (api.logins, len(api.asked)) == (2, 2)
        api.answer([COOKIE], refused=9)
        assert server.result("list_orders")["isError"]
        assert (api.logins, len(api.asked)) == (1, 2)


@pytest.mark.parametrize(
    ("place", "fields", "body", "cookie"),
    [
        ("cookie:XSRF-TOKEN", [("Set-Cookie", f"XSRF-TOKEN={CSRF}; Path=/")], b"", f"sid={SESSION}; XSRF-TOKEN={CSRF}"),
        ("header:X-Csrf", [("X-Csrf", "eyJpdiI6==")], b"", f"sid={SESSION}"),
        ("/csrf", [], b'{"csrf": "eyJpdiI6=="}', f"sid={SESSION}"),
    ],
)
def test_a_csrf_value_is_sent_beside_the_session(
    place: str, fields: list[tuple[str, str]], body: bytes, cookie: str, api: Api, tmp_path: Path
) -> None:
    api.answer([COOKIE, *fields], body)
    csrf = f", csrf: {{from: '{place}', header: X-XSRF-TOKEN}}"
    with served(project(tmp_path, api, "cookie:sid", ("cookie", "sid"), csrf)) as server:
        shown = told(server.result("list_orders"))
        assert "eyJpdiI6" not in shown
        [asked] = api.asked
        assert (asked["X-XSRF-TOKEN"], asked["Cookie"]) == ("eyJpdiI6==", cookie)
        api.answer([COOKIE], refused=1)
        assert server.result("list_orders")["isError"]
        assert "without the CSRF value that its requests need" in told(server.result("list_orders"))


@pytest.mark.parametrize(
    "attributes", ["Path=/admin", "Domain=evil.example", "Domain=7.0.0.1", "Max-Age=0", PAST], ids=lambda each: each
)
def test_a_cookie_of_another_path_or_host_is_not_sent(attributes: str, api: Api, tmp_path: Path) -> None:
    api.answer([("Set-Cookie", f"sid={SESSION}; {attributes}")])
    with served(project(tmp_path, api, "cookie:sid", ("cookie", "sid"))) as server:
        assert "answered without an access token that can be sent" in told(server.result("list_orders"))
    assert (api.logins, api.asked) == (1, [])


def test_no_other_origin_gets_the_cookie(api: Api, tmp_path: Path) -> None:
    api.answer([COOKIE])
    with served(project(tmp_path, api, "cookie:sid", ("cookie", "sid"))) as server:
        assert f"Its login gives a cookie of {api.url}, which no other origin gets." in told(
            server.result("list_elsewhere")
        )
    assert api.logins == 0


def test_a_login_like_that_of_cognito(api: Api, tmp_path: Path) -> None:
    api.answer([], json.dumps({"AuthenticationResult": {"IdToken": SESSION, "ExpiresIn": 3600}}).encode())
    (tmp_path / "shop.tools.yaml").write_text(COGNITO % (api.url, api.url))
    with pytest.raises(SystemExit) as ended:
        main(["generate", str(tmp_path / "shop.tools.yaml"), "-o", str(tmp_path / "out")])
    assert ended.value.code == 0
    with served(tmp_path / "out") as server:
        assert SESSION not in told(server.result("list_orders"))
    fields, body = api.login
    assert (fields["Content-Type"], fields["X-Amz-Target"]) == ("application/x-amz-json-1.1", "Pool.InitiateAuth")
    login = {"AuthFlow": "PLAIN", "AuthParameters": {"USERNAME": "anna", "PASS/WORD": "pass-0123456789"}}
    assert json.loads(body) == login
    assert [asked["Authorization"] for asked in api.asked] == [f"Bearer {SESSION}"]
