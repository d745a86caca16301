"""Test requests that are signed with a credential. A server process runs; the API on a socket checks each proof.

The proofs of HTTP Digest are compared with those of httpx, which computes them with code of its own.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest

from tests.functional.doors import DOORS, generated, served
from tests.runtime.process import Server

PASSWORD = "p:ss-0123456789abcdef"
SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
TOOLS = """\
base_url: {url}/v1
security:
  login: {{type: http, scheme: {scheme}}}
tools:
  - name: read_log
    description: Reads.
    request: GET /log/{{part}}
    redirects: follow
    arguments: {{part: string, q: string}}
  - {{name: add, description: Adds., request: POST /log, arguments: {{text: string}}}}
"""
USER = {"LOGIN_USERNAME": "anna", "LOGIN_PASSWORD": PASSWORD}
KEYS = {"LOGIN_ACCESS_KEY_ID": "AKIDEXAMPLE", "LOGIN_SECRET_ACCESS_KEY": SECRET}
PLACE = {"LOGIN_SERVICE": "execute-api", "LOGIN_REGION": "eu-west-1"}


class Observer(httpx.DigestAuth):
    """Client that proves a password for a given client nonce and count."""

    def __init__(self, cnonce: str, count: int) -> None:
        super().__init__("anna", PASSWORD)
        self._cnonce, self._nonce_count = cnonce.encode(), count

    def _get_client_nonce(self, nonce_count: int, nonce: bytes) -> bytes:
        return self._cnonce


class Api(ThreadingHTTPServer):
    """API that demands a proof for `nonce`, and records the requests that it gets.

    `challenge`: text of the challenge, with `%s` for the nonce. `counts`: the counts that were proved, for each nonce.
    """

    challenge: str
    nonce: str
    refuses: bool
    asked: list[tuple[str, str, dict[str, str], bytes]]
    counts: dict[str, list[int]]

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.demand("")

    def demand(self, challenge: str, nonce: str = "first", refuses: bool = False) -> None:
        self.challenge, self.nonce, self.refuses = challenge, nonce, refuses
        self.asked, self.counts = [], {}

    def is_proved(self, method: str, target: str, proof: str) -> bool:
        found = dict(re.findall(r'(\w+)=(?:"((?:[^"\\]|\\.)*)"|[^,]*)', proof))
        if self.refuses or found.get("nonce") != self.nonce or found.get("uri") != target:
            return False
        count = re.search(r"nc=([0-9a-f]{8})\b", proof)
        assert count is not None
        observer = Observer(found["cnonce"], int(count[1], 16))
        request = httpx.Request(method, self.url + target)
        challenge = observer._parse_challenge(request, httpx.Response(401), self.challenge % self.nonce)
        expected = re.search(r'response="(\w+)"', observer._build_auth_header(request, challenge))
        assert expected is not None
        self.counts.setdefault(self.nonce, []).append(int(count[1], 16))
        return bool(found["response"] == expected[1])


class Handler(BaseHTTPRequestHandler):
    server: Api

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        proof = self.headers.get("Authorization", "")
        self.server.asked.append((self.command, self.path, dict(self.headers), body))
        if proof.startswith("AWS4-") or self.server.is_proved(self.command, self.path, proof):
            moved = self.path.endswith("/moved")
            return self._say(302 if moved else 200, ("Location", "/v1/log/there?x=%C3%A4"), proof.encode())
        return self._say(401, ("WWW-Authenticate", self.server.challenge.replace("%s", self.server.nonce)), b"who?")

    do_POST = do_GET  # noqa: N815 -- the name that the library calls

    def _say(self, status: int, field: tuple[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in (field, ("Content-Length", str(len(body))), ("Content-Type", "text/plain")):
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


def project(folder: Path, api: Api, scheme: str) -> Path:
    return generated(folder, TOOLS.format(url=api.url, scheme=scheme))


@pytest.fixture(scope="module")
def digest(tmp_path_factory: pytest.TempPathFactory, api: Api) -> Path:
    return project(tmp_path_factory.mktemp("digest"), api, "Digest")


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory, api: Api) -> Path:
    return project(tmp_path_factory.mktemp("aws"), api, "AWS4-HMAC-SHA256")


def proofs(api: Api) -> list[bool]:
    """Return for each request whether it had a proof."""
    return ["Authorization" in fields for _, _, fields, _ in api.asked]


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("algorithm", ["SHA-256", "MD5", "md5-sess"])
def test_one_challenge_serves_all_tools_and_the_password_stays_here(
    algorithm: str, door: str, digest: Path, api: Api
) -> None:
    api.demand(f'Digest realm="a", qop="auth", algorithm={algorithm}, nonce="%s"')
    with served(digest, door, **USER, BASE_URL=f"{api.url}/v1/") as call:
        assert 'username="anna"' in call("read_log", part="a b/ü", q="x y&z")
        call("add", text="t")
        call("read_log", part="c")
    assert proofs(api) == [False, True, True, True]
    assert api.counts == {"first": [1, 2, 3]}
    assert [body for method, _, _, body in api.asked if method == "POST"] == [b'{"text":"t"}']
    assert PASSWORD not in str(api.asked)


def test_a_new_nonce_is_used_once_for_each_request(digest: Path, api: Api) -> None:
    api.demand('Digest realm="a", qop="auth", nonce="%s"')
    with served(digest, "stdio", **USER) as call:
        call("add", text="one")
        api.nonce = "second"
        call("add", text="two")
        call("read_log", part="a")
    assert proofs(api) == [False, True, True, True, True]
    assert api.counts == {"first": [1], "second": [1, 2]}


def test_a_refused_password_is_proved_once_for_each_call(digest: Path, api: Api) -> None:
    api.demand('Digest realm="a", qop="auth", nonce="%s", stale=true', refuses=True)
    with served(digest, "stdio", **USER) as call:
        for _ in range(2):
            assert "CALLER_LOGIN_USERNAME" in call("read_log", part="a")
    assert proofs(api) == [False, True, False, True]


@pytest.mark.parametrize("challenge", ['Basic realm="a"', 'Digest realm="a", nonce="b"', "Digest " + "a" * 5000])
def test_no_other_challenge_gets_an_answer(challenge: str, digest: Path, api: Api) -> None:
    api.demand(challenge)
    with served(digest, "stdio", **USER) as call:
        said = call("read_log", part="a")
    assert said.startswith("read_log was not called. The API refused the request (401), and asks for no HTTP digest")
    assert "CALLER_LOGIN" not in said, "no credential was refused"
    assert proofs(api) == [False]


def test_a_redirect_is_proved_again_and_no_other_origin_gets_a_proof(digest: Path, api: Api) -> None:
    api.demand('Digest realm="a", qop="auth", nonce="%s"')
    with served(digest, "stdio", **USER) as call:
        assert 'uri="/v1/log/there?x=%C3%A4"' in call("read_log", part="moved")
    assert api.counts == {"first": [1, 2]}


@pytest.mark.parametrize("door", DOORS)
def test_each_request_is_signed_for_aws(door: str, aws: Path, api: Api) -> None:
    api.demand("")
    session = {"LOGIN_SESSION_TOKEN": "session-0123456789", "BASE_URL": f"{api.url}/v1/"}
    with served(aws, door, **KEYS, **PLACE, **session) as call:
        call("add", text="t")
        assert "/eu-west-1/execute-api/aws4_request, SignedHeaders=host;x-amz" in call("read_log", part="a", q="b")
    assert SECRET not in str(api.asked)
    for _, _, fields, body in api.asked:
        assert fields["X-Amz-Content-Sha256"] == hashlib.sha256(body).hexdigest()
        assert fields["X-Amz-Security-Token"] == "session-0123456789"


def test_an_unknown_region_is_a_sentence_and_nothing_is_sent(aws: Path, api: Api) -> None:
    api.demand("")
    with served(aws, "stdio", **KEYS, LOGIN_SERVICE="s3") as call:
        assert "set CALLER_LOGIN_REGION, since the host of the API does not tell it" in call("add", text="t")
    with served(aws, "stdio", LOGIN_ACCESS_KEY_ID="a") as call:
        assert "set CALLER_LOGIN_ACCESS_KEY_ID with CALLER_LOGIN_SECRET_ACCESS_KEY, in" in call("add", text="t")
    assert api.asked == []


def test_explain_names_the_variables_and_shows_no_secret(aws: Path) -> None:
    environ = {f"CALLER_{name}": value for name, value in KEYS.items()}
    with Server(aws, "--explain", "add", '{"text": "t"}', package="caller_mcp", env=environ) as server:
        assert server.ended() == 0
    shown = server.written.decode()
    assert "Authorization: AWS4-HMAC-SHA256 <CALLER_LOGIN_ACCESS_KEY_ID>" in shown
    assert SECRET not in shown


def test_the_doctor_misses_only_what_a_signature_needs(aws: Path) -> None:
    with Server(aws, "--doctor", "--all", package="caller_mcp", env={}) as server:
        server.ended()
    rows = re.findall(r"^CALLER_LOGIN_(\w+)  +(\w+(?: \w+)*)  ", server.written.decode(), re.MULTILINE)
    missing = {"ACCESS_KEY_ID", "SECRET_ACCESS_KEY"}
    assert dict(rows) == {name: "missing" if name in missing else "not set" for name in dict(rows)}
    assert missing | {"REGION", "SERVICE", "SESSION_TOKEN"} == dict(rows).keys()
