"""Test docs/how-to/register-clients.md: official clients that are registered nowhere, at a real authorization server.

The authorization server (npm `oidc-provider`) fetches the document of the page over TLS from the URL that is the id of
the client.
"""

from __future__ import annotations

import json
import re
import ssl
import threading
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlencode

import httpx
import pytest

from tests.identity import provider
from tests.identity.provider import Provider, Refused
from tests.identity.test_clients import BACK, CALL, PATIENCE, driven, serving
from tests.interop import environments
from tests.streamable.upstream import Upstream

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "how-to" / "register-clients.md"
CERTIFICATE = ROOT / "tests" / "runtime" / "tls" / "localhost.pem"
CLIENTS = [("python-1", ""), ("python-2", "auto"), ("typescript-1", ""), ("typescript-2", "auto")]
pytestmark = pytest.mark.slow


class Documents:
    """An HTTPS server of client ID metadata documents. `asked`: number of requests by path."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self._documents: dict[str, bytes] = {}
        documents = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                documents.asked[self.path] += 1
                body = documents._documents.get(self.path, b"")
                self.send_response(200 if body else 404)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Write no log."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(CERTIFICATE)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join(PATIENCE)
        self._server.server_close()

    def publish(self, path: str, **changed: str) -> str:
        """Publish the document of the page, with the client's own redirect URI, and return its URL."""
        url = f"https://localhost:{self._server.server_address[1]}{path}"
        [found] = re.findall(r"```json\n(.*?)```", PAGE.read_text(), re.DOTALL)
        document: dict[str, Any] = {**json.loads(found), "client_id": url, "redirect_uris": [BACK], **changed}
        self._documents[path] = json.dumps(document).encode()
        return url


@pytest.fixture(scope="module")
def documents() -> Iterator[Documents]:
    """Yield the host of the clients' documents."""
    with Documents() as found:
        yield found


@pytest.fixture(scope="module")
def server() -> Iterator[Provider]:
    """Yield an authorization server that knows no client, and registers none."""
    try:
        with provider.serve(scopes=("pets:read",), registration=False, documents_of=CERTIFICATE) as found:
            yield found
    except environments.Missing as missing:
        pytest.skip(str(missing))


@pytest.mark.parametrize(("name", "mode"), CLIENTS, ids=lambda each: each or "")
def test_a_client_is_known_by_its_document(
    project: Path, upstream: Upstream, server: Provider, documents: Documents, name: str, mode: str
) -> None:
    document, before = documents.publish(f"/{name}.json"), len(server.requests)
    with (
        provider.browser(server, "alice") as browser,
        serving(project, upstream, AUTH_ISSUER=server.issuer, AUTH_SCOPES="pets:read", AUDIT="stderr") as (url, lines),
    ):
        job = {"url": url, "browser": browser, "mode": mode, "calls": [CALL], "issuer": server.issuer, "client": None}
        report = driven(name, {**job, "document": document})
    assert report["results"] == ["/echo/hi"]
    tokens = [each for each in server.requests[before:] if each["path"] == "/token"]
    assert {(each["status"], each["client"], each["resource"]) for each in tokens} == {(200, document, url)}
    audit = [json.loads(line) for line in b"".join(lines).splitlines() if line.startswith(b'{"audit"')]
    assert {(each["user"], each["client"]["id"]) for each in audit if each["outcome"] == "ok"} == {("alice", document)}
    assert documents.asked[f"/{name}.json"] == 1, "the authorization server fetches it, and nobody else"


def test_the_metadata_say_that_documents_are_supported(server: Provider) -> None:
    place = f"{server.issuer}/.well-known/oauth-authorization-server"
    found = httpx.get(place, timeout=provider.PATIENCE, trust_env=False).json()
    assert found["client_id_metadata_document_supported"] is True
    assert "registration_endpoint" not in found


def test_a_document_of_another_client_is_refused(server: Provider, documents: Documents) -> None:
    url = documents.publish("/other.json", client_id="https://client.example.com/mcp.json")
    query = {"client_id": url, "redirect_uri": BACK, "response_type": "code", "scope": "openid"}
    with pytest.raises(Refused, match="client_id"):
        server.log_in(f"{server.issuer}/auth?{urlencode(query)}")
