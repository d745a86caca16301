"""Test that a failed connection names the setting that the operator may lack: a proxy, or a client certificate."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from socket import create_server, socket

import pytest
from package.runtime.http.client import Client, Failure
from package.runtime.request.request import Request
from package.runtime.settings.settings import Settings
from package.runtime.text.addresses import parse

MATERIAL = Path(__file__).parent / "tls"
VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")

pytestmark = pytest.mark.usefixtures("either_way")


def failure(url: str, settings: Settings, method: str = "GET") -> Failure:
    async def main() -> Failure:
        client = Client(settings, "petstore-mcp/1.2.3")
        try:
            with pytest.raises(Failure) as failed:
                await client.send(Request(method, "/p"), parse(url), 20.0)
            return failed.value
        finally:
            await client.close()

    return asyncio.run(main())


@pytest.mark.parametrize(
    ("variables", "url", "told"),
    [
        ({"HTTPS_PROXY": "http://p:1"}, "https://api.invalid", "HTTPS_PROXY is set, but this server uses only P_PROXY"),
        ({"http_proxy": "http://p:1"}, "http://api.invalid", "http_proxy is set, but this server uses only P_PROXY"),
        ({"ALL_PROXY": "http://p:1"}, "https://api.invalid", "ALL_PROXY is set, but this server uses only P_PROXY"),
        ({"HTTPS_PROXY": ""}, "https://api.invalid", "the name api.invalid is not known"),
        ({"HTTP_PROXY": "http://p:1"}, "https://api.invalid", "the name api.invalid is not known"),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": ".invalid"}, "https://api.invalid", "api.invalid is not known"),
        (
            {"HTTPS_PROXY": "http://p:1", "no_proxy": "a.org, Api.Invalid"},
            "https://api.invalid",
            "api.invalid is not known",
        ),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": "api.invalid:8443"}, "https://api.invalid:8443", "is not known"),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": "*"}, "https://api.invalid", "api.invalid is not known"),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": "pi.invalid,"}, "https://api.invalid", "server uses only P_PROXY"),
        ({"HTTPS_PROXY": "http://p:1"}, "https://localhost:1", "localhost:1 refused the connection"),
    ],
)
def test_a_proxy_that_the_server_ignores_is_named(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], url: str, told: str
) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert failure(url, Settings("P")).reason.endswith(told)


@contextmanager
def wanting(newest: ssl.TLSVersion) -> Iterator[str]:
    """Run a TLS server that wants a client certificate, and yield its URL. It sends an alert and waits for the end."""
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(MATERIAL / "localhost.pem")
    tls.load_verify_locations(MATERIAL / "client.pem")
    tls.verify_mode, tls.maximum_version = ssl.CERT_REQUIRED, newest

    def refuse(connection: socket) -> None:
        received, sent = ssl.MemoryBIO(), ssl.MemoryBIO()
        handshake = tls.wrap_bio(received, sent, server_side=True)
        while data := connection.recv(65536):
            received.write(data)
            with contextlib.suppress(ssl.SSLError):
                handshake.do_handshake()
            connection.sendall(sent.read())

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listening.accept()
                with connection, contextlib.suppress(OSError):
                    refuse(connection)

    with create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"https://localhost:{listening.getsockname()[1]}"
        listening.shutdown(2)
    thread.join()


@pytest.mark.parametrize(
    ("newest", "client", "told"),
    [
        (ssl.TLSVersion.TLSv1_3, None, "it wants a client certificate, which P_CLIENT_CERT names"),
        (ssl.TLSVersion.TLSv1_2, None, "it may want a client certificate, which P_CLIENT_CERT names"),
        (ssl.TLSVersion.TLSv1_3, "localhost.pem", "it may not accept the certificate of P_CLIENT_CERT"),
        (ssl.TLSVersion.TLSv1_2, "localhost.pem", "it may not accept the certificate of P_CLIENT_CERT"),
    ],
)
def test_a_client_certificate_that_is_missing_is_named(newest: ssl.TLSVersion, client: str | None, told: str) -> None:
    settings = Settings("P")
    settings.values["CA_FILE"] = str(MATERIAL / "localhost.pem")
    settings.client = (str(MATERIAL / client), None) if client else None
    with wanting(newest) as url:
        failed = failure(url, settings, "POST")
    assert failed.reason.endswith(told)
    assert (failed.sent, failed.end) == (False, "")
