"""Run a real authorization server for tests: npm `oidc-provider`, with a browser that submits its forms over HTTP.

    with provider.serve(scopes=("pets:read",), clients=[provider.client("app", redirects=[...])]) as server:
        location = server.log_in(authorization_url, "alice")    # the redirect with the code, not yet fetched
        server.requests                                         # answered requests: method, path, status, grant, ...

Everything is real: discovery, registration, PKCE, consent, device codes, refresh and introspection. Users need no
password: whoever logs in as "alice" is the subject "alice".
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import unescape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Empty, Queue
from typing import Any
from urllib.parse import parse_qs, urlencode, urljoin, urlsplit

import httpx

from tests.interop import environments

SCRIPTS = [Path(__file__).with_name(name) for name in ("assertions.mjs", "provider.mjs")]
PACKAGES = {"oidc-provider": "9.13.3"}
#: Timeout in seconds for a response of the authorization server. No test measures time with it.
PATIENCE = 60
_MOST_PAGES = 20
_FORM = re.compile(r"<form\b(?P<attributes>[^>]*)>(?P<body>.*?)</form>", re.DOTALL | re.IGNORECASE)
_INPUT = re.compile(r"<input\b([^>]*)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"([\w-]+)=(?:\"([^\"]*)\"|'([^']*)'|([^\s>]+))")


class Refused(Exception):
    """Raised if the authorization server shows an error page or the user refuses.

    The text is the page or the redirect.
    """


@dataclass
class Provider:
    """A running authorization server. `requests` has one record for each answered request."""

    issuer: str
    requests: list[dict[str, Any]] = field(default_factory=list)

    def log_in(self, url: str, user: str = "alice", agrees: bool = True) -> str:
        """Open an authorization URL, log in as `user` and consent.

        Return the redirect to the client without fetching it.

        If `agrees` is False, the user aborts, and the redirect carries `error=access_denied`.
        """
        with httpx.Client(timeout=PATIENCE, trust_env=False) as browser:
            page = self._to_page(browser, browser.get(url))
            for _ in range(_MOST_PAGES):
                if isinstance(page, str):
                    return page
                page = self._to_page(browser, _submit(browser, page, user, agrees))
        raise Refused("the forms of the provider do not end")

    def enter_code(self, url: str, user: str = "alice", agrees: bool = True) -> str:
        """Open the complete verification URL of the device flow, log in and confirm.

        Return the text of the last page.
        """
        with httpx.Client(timeout=PATIENCE, trust_env=False) as browser:
            page = self._to_page(browser, browser.get(url))
            for _ in range(_MOST_PAGES):
                if isinstance(page, str):
                    raise Refused(page)
                if _FORM.search(page.text) is None or "logout" in page.text.lower():
                    return page.text
                page = self._to_page(browser, _submit(browser, page, user, agrees))
        raise Refused("the forms of the provider do not end")

    def grants(self, kind: str) -> list[dict[str, Any]]:
        """Return the records of token requests with this grant type, once all requests are recorded."""
        last = f"/last-{len(self.requests)}-{time.monotonic_ns()}"
        # The server records requests in order: once it has recorded this last request, it has recorded all others.
        httpx.get(f"{self.issuer}{last}", timeout=PATIENCE, trust_env=False)
        while all(each["path"] != last for each in self.requests):
            time.sleep(0.01)
        return [each for each in self.requests if each["path"] == "/token" and each["grant"] == kind]

    def token(self, client: str, secret: str, **parameters: str) -> dict[str, Any]:
        """Return the token endpoint's response to a client credentials grant."""
        form = {"grant_type": "client_credentials", **parameters}
        answer = httpx.post(f"{self.issuer}/token", data=form, auth=(client, secret), timeout=PATIENCE, trust_env=False)
        assert answer.status_code == 200, answer.text
        told: dict[str, Any] = answer.json()
        return told

    def tokens(self, user: str, client: str, back: str, secret: str = "", **asked: str) -> dict[str, Any]:
        """Log in as `user` by an authorization code with PKCE, and return the response of the token endpoint.

        `back`: the client's redirect URI. `asked`: parameters of the login, such as `scope` and `resource`.
        """
        verifier = "v" * 64
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        query = {"client_id": client, "redirect_uri": back, "response_type": "code", "code_challenge": challenge}
        location = self.log_in(
            f"{self.issuer}/auth?{urlencode({**query, 'code_challenge_method': 'S256', **asked})}", user
        )
        code = parse_qs(urlsplit(location).query)["code"][0]
        form = {"grant_type": "authorization_code", "client_id": client, "redirect_uri": back, "code": code}
        form |= {"code_verifier": verifier, **({"client_secret": secret} if secret else {})}
        form |= {"resource": asked["resource"]} if "resource" in asked else {}
        answer = httpx.post(f"{self.issuer}/token", data=form, timeout=PATIENCE, trust_env=False)
        assert answer.status_code == 200, answer.text
        told: dict[str, Any] = answer.json()
        return told

    def _to_page(self, browser: httpx.Client, answer: httpx.Response) -> httpx.Response | str:
        """Follow redirects within the authorization server.

        Return the last page, or the first URL on another server.
        """
        while answer.is_redirect:
            target = urljoin(str(answer.url), answer.headers["location"])
            if not target.startswith(f"{self.issuer}/"):
                return target
            answer = browser.get(target)
        if answer.status_code >= 400:
            raise Refused(answer.text)
        return answer


def _submit(browser: httpx.Client, page: httpx.Response, user: str, agrees: bool) -> httpx.Response:
    """Fill in and submit the first form of a page. If `agrees` is False, follow the page's link that aborts instead."""
    form = _FORM.search(page.text)
    if form is None:
        raise Refused(page.text)
    abort = re.search(r"href=[\"']([^\"']*/abort)[\"']", page.text)
    if not agrees and abort is not None:
        return browser.get(urljoin(str(page.url), unescape(abort[1])))
    attributes = _attributes(form["attributes"])
    fields = {}
    for each in _INPUT.finditer(form["body"]):
        named = _attributes(each[1])
        if "name" in named:
            fields[named["name"]] = named.get("value", "")
    for name, value in (("login", user), ("password", "unused")):
        if name in fields:
            fields[name] = value
    action = urljoin(str(page.url), attributes.get("action", ""))
    return browser.post(
        action, content=urlencode(fields), headers={"Content-Type": "application/x-www-form-urlencoded"}
    )


def _attributes(text: str) -> dict[str, str]:
    return {each[1].lower(): unescape(each[2] or each[3] or each[4] or "") for each in _ATTRIBUTE.finditer(text)}


def client(id: str, secret: str | None = None, redirects: Sequence[str] = (), **more: Any) -> dict[str, Any]:  # noqa: A002
    """Return the metadata of a registered client, under the member names of RFC 7591.

    With a secret it is confidential, and may use client credentials.
    """
    grants = ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"]
    if secret is not None:
        grants.append("client_credentials")
    return {
        "client_id": id,
        **({"client_secret": secret} if secret is not None else {}),
        "token_endpoint_auth_method": "none" if secret is None else "client_secret_basic",
        "application_type": "native",
        "redirect_uris": list(redirects),
        "response_types": ["code"] if redirects else [],
        "grant_types": grants if redirects else grants[2:],
        **more,
    }


@contextmanager
def serve(
    scopes: Sequence[str] = (),
    clients: Sequence[Mapping[str, Any]] = (),
    resources: Mapping[str, Mapping[str, str]] | None = None,
    default_resource: str | None = None,
    claims: Mapping[str, Mapping[str, Any]] | None = None,
    registration: bool = True,
    refresh: bool = True,
    rotate: bool = True,
    seconds: int = 3600,
    refresh_seconds: int = 86400,
    port: int = 0,
    documents_of: Path | None = None,
    assertions_for: Sequence[str] = (),
    assertions_of: Sequence[str] = (),
) -> Iterator[Provider]:
    """Run the authorization server.

    Raise `environments.Missing` if this machine has no node, or npm cannot install oidc-provider.

    - `resources`: properties of the tokens for each resource (RFC 8707; "*" is any resource): `format` (`jwt` or
      `opaque`), `alg`, `scope`, `audience`. By default, any resource gets JWTs.
    - `default_resource`: the resource for requests that name none.
    - `claims`: further claims of the tokens of each user. `registration`: True if clients may register themselves.
    - `refresh`, `rotate`: True if refresh tokens are issued, and if each use replaces them.
    - `seconds`, `refresh_seconds`: lifetime of access and refresh tokens.
    - `documents_of`: certificate of the host from which client ID metadata documents are fetched, or None for no
      documents.
    - `assertions_for`: users who may have identity assertions (ID-JAG) for any server. `assertions_of`: issuers whose
      assertions are exchanged for access tokens.
    """
    try:
        folder = environments.node("oidc-provider", PACKAGES)
    except RuntimeError:
        raise environments.Missing("oidc-provider of npm is needed, and cannot be installed here") from None
    script = [environments.put_beside(folder, each) for each in SCRIPTS][-1]
    told = {
        "scopes": list(scopes),
        "clients": list(clients),
        "resources": resources if resources is not None else {"*": {}},
        "default_resource": default_resource,
        "claims": claims or {},
        "registration": registration,
        "refresh": refresh,
        "rotate": rotate,
        "seconds": seconds,
        "refresh_seconds": refresh_seconds,
        "port": port,
        "documents": documents_of is not None,
        "assertions_for": list(assertions_for),
        "assertions_of": list(assertions_of),
    }
    environ = {**os.environ, **({"NODE_EXTRA_CA_CERTS": str(documents_of)} if documents_of is not None else {})}
    command = ["node", "--no-warnings", str(script), json.dumps(told)]
    provider = Provider("")
    begun = _begun(command, environ, provider) or _begun(command, environ, provider)
    assert begun is not None, "oidc-provider did not start"
    process, reader = begun
    assert process.stdin is not None
    with process:
        try:
            yield provider
        finally:
            process.stdin.close()
            process.wait(PATIENCE)
            reader.join(PATIENCE)


def _begun(
    command: list[str], environ: dict[str, str], provider: Provider
) -> tuple[subprocess.Popen[str], threading.Thread] | None:
    """Start the authorization server, and a thread that reads its lines into `provider`. Return None if the server says
    nothing: Node.js was seen to hang at its start.
    """
    pipe, begun = subprocess.PIPE, Queue[str]()
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True, env=environ)

    def read() -> None:
        for line in process.stdout or ():
            if not line.startswith("{"):
                continue  # a warning that the authorization server prints
            record = json.loads(line)
            if "issuer" in record:
                begun.put(record["issuer"])
            else:
                provider.requests.append(record)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    try:
        provider.issuer = begun.get(timeout=PATIENCE)
    except Empty:
        process.kill()
        process.wait()
        return None
    return process, reader


@contextmanager
def browser(provider: Provider, user: str = "alice") -> Iterator[str]:
    """Run a stub browser for programs in other processes, and yield its URL.

    A program sends an authorization URL by `POST`. The response is the URL of the redirect.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            url = self.rfile.read(int(self.headers["Content-Length"])).decode()
            try:
                status, text = 200, provider.log_in(url, user)
            except Refused as reason:
                status, text = 502, str(reason)
            body = text.encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Write no log."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join(PATIENCE)


def port_of(url: str) -> int:
    """Return the port of a URL. The URL must name one."""
    port = urlsplit(url).port
    assert port is not None
    return port
