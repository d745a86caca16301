"""Test requirement CRED-14: a connection with an invalid certificate, an old TLS version or no TLS is refused.

`tls/localhost.pem` holds a self-signed certificate for localhost, valid for 100 years, and its key.
"""

from __future__ import annotations

import asyncio
import os
import ssl
import subprocess
import sys
from pathlib import Path

import pytest
from package.runtime.http.client import Client, Failure
from package.runtime.request.request import Request
from package.runtime.settings import tls
from package.runtime.settings.settings import Settings

from tests.runtime.upstream import Connection, serving

pytestmark = pytest.mark.usefixtures("either_way")

CERTIFICATE = Path(__file__).parent / "tls" / "localhost.pem"
TEMPLATES = Path(__file__).parents[2] / "templates"
PATIENT = 20.0


def exchange(
    host: str,
    ca_file: Path | None,
    newest: ssl.TLSVersion = ssl.TLSVersion.MAXIMUM_SUPPORTED,
    client: tuple[str, str] | None = None,
    wanted: Path | None = None,
) -> bytes:
    """Connect to an upstream that has the certificate in `tls/`, and return the content of its response.

    `wanted`: certificates by which the upstream checks the client's, which it then requires; None: it asks for none.
    """
    settings = Settings("PETSTORE")
    settings.values["CA_FILE"] = str(ca_file) if ca_file else None
    settings.client = client
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(CERTIFICATE)
    tls.maximum_version = newest
    if wanted is not None:
        tls.verify_mode = ssl.CERT_REQUIRED
        tls.load_verify_locations(wanted)

    async def main() -> bytes:
        client = Client(settings, "petstore-mcp/1.2.3")
        async with serving(tls=tls) as upstream:
            try:
                return (await client.send(Request("GET", "/p"), upstream.address("", host, "https"), PATIENT)).content
            except Failure:
                assert not upstream.requests
                raise
            finally:
                await client.close()

    return asyncio.run(main())


def test_a_certificate_of_the_operators_authority_is_trusted() -> None:
    assert exchange("localhost", CERTIFICATE) == b"ok"


@pytest.mark.parametrize(
    ("host", "ca_file"), [("localhost", None), ("127.0.0.1", CERTIFICATE)], ids=["self-signed", "another host"]
)
def test_a_certificate_that_does_not_hold_is_refused(host: str, ca_file: Path | None) -> None:
    with pytest.raises(Failure, match=r"^the certificate of (localhost|127\.0\.0\.1):\d+ is not trusted$") as failed:
        exchange(host, ca_file)
    assert not failed.value.sent


CLIENT = str(CERTIFICATE.with_name("client.pem")), str(CERTIFICATE.with_name("client_key.pem"))


def test_a_server_that_wants_to_know_its_client_is_shown_the_certificate() -> None:
    assert exchange("localhost", CERTIFICATE, client=CLIENT, wanted=Path(CLIENT[0])) == b"ok"


@pytest.mark.parametrize("client", [None, (str(CERTIFICATE), None)], ids=["none", "of another"])
def test_a_server_that_knows_its_clients_refuses_others(client: tuple[str, str] | None) -> None:
    with pytest.raises(Failure):
        exchange("localhost", CERTIFICATE, client=client, wanted=Path(CLIENT[0]))


@pytest.mark.filterwarnings("ignore:.*TLSv1:DeprecationWarning")
def test_an_old_version_of_tls_is_refused() -> None:
    # the error text depends on which side ends the handshake first, so it is not compared
    with pytest.raises(Failure) as failed:
        exchange("localhost", CERTIFICATE, ssl.TLSVersion.TLSv1_1)
    assert not failed.value.sent


async def plain(connection: Connection) -> None:
    await connection.send(b"HTTP/1.1 400 Bad Request\r\n\r\n")


def test_a_server_without_tls_is_refused() -> None:
    async def main() -> str:
        client = Client(Settings("PETSTORE"), "petstore-mcp/1.2.3")
        async with serving(plain) as upstream:
            with pytest.raises(Failure) as failed:
                await client.send(Request("GET", "/p"), upstream.address("", "localhost", "https"), PATIENT)
            await client.close()
        return failed.value.reason

    assert asyncio.run(main()).startswith("no secure connection could be made to localhost:")


def test_cfg_02_session_keys_are_not_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "keys"))
    assert exchange("localhost", CERTIFICATE) == b"ok"
    assert not (tmp_path / "keys").exists()


def test_cfg_02_the_library_makes_no_file_for_them_when_it_is_imported(tmp_path: Path) -> None:
    asked = (
        "from package.runtime.http import client; import ssl; ssl.create_default_context();"
        " from package.runtime.settings import tls; tls.context(None)"
    )
    environ = {**os.environ, "PYTHONPATH": str(TEMPLATES), "SSLKEYLOGFILE": str(tmp_path / "keys")}
    early = asked.partition(" import ssl")[0]
    subprocess.run([sys.executable, "-c", early], env=environ, check=True)
    assert not (tmp_path / "keys").exists()
    subprocess.run([sys.executable, "-c", asked], env=environ, check=True)
    assert (tmp_path / "keys").exists(), "contexts of others, made after it, do what they always did"


def test_the_librarys_own_contexts_trust_nobody() -> None:
    """Check that aiohttp's own TLS contexts trust no certificate, so that a context used by mistake refuses every
    server.

    They also load no certificate store. A new process checks this, since another test may have imported aiohttp here.
    """
    script = """
from package.runtime.http import client
from aiohttp import connector  # its private contexts are what this is about

for context in (connector._SSL_CONTEXT_VERIFIED, connector._SSL_CONTEXT_UNVERIFIED):
    print(context.cert_store_stats()["x509_ca"], context.get_ca_certs())
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=TEMPLATES, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "0 []\n0 []\n"


def test_contexts_made_after_it_load_what_they_are_asked_to_load(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    made = tls.context(None)
    assert made.cert_store_stats()["x509"] == 1
    assert made.verify_mode == ssl.CERT_REQUIRED
    assert made.check_hostname
