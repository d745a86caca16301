"""Test client certificates against nginx, which asks for them: for calls of a server, and to fetch a document."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization

from tests import command
from tests.delegation.servers import free_port
from tests.functional.doors import DOORS, generated, served
from tests.interop.test_placing import PLACES, running
from tests.runtime.process import Server

MATERIAL = Path(__file__).parents[1] / "runtime" / "tls"
NGINX = shutil.which("nginx", path=PLACES)
PASSPHRASE = "p4ssphrase-0123456789"
CONFIGURATION = """
daemon off; pid {folder}/nginx.pid; error_log stderr;
events {{}}
http {{
  access_log {folder}/access.log combined;
  log_format seen '$ssl_client_s_dn $request_uri';
  client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
  uwsgi_temp_path {folder}; scgi_temp_path {folder};
  server {{
    listen 127.0.0.1:{port} ssl;
    ssl_certificate {tls}/localhost.pem; ssl_certificate_key {tls}/localhost.pem;
    ssl_client_certificate {tls}/client.pem; ssl_verify_client on;
    access_log {folder}/seen.log seen;
    location /log {{ return 200 "$ssl_client_verify"; }}
    location /document.json {{ return 200 '{document}'; }}
    location /moved.json {{ return 302 https://localhost:{other}/document.json; }}
  }}
  server {{
    listen 127.0.0.1:{other} ssl;
    ssl_certificate {tls}/localhost.pem; ssl_certificate_key {tls}/localhost.pem;
    ssl_client_certificate {tls}/client.pem; ssl_verify_client optional;
    location /document.json {{ return 200 '{document}'; }}
    access_log {folder}/other.log seen;
  }}
}}
"""
TOOLS = """\
base_url: https://localhost:{port}
tools:
  - {{name: read_log, description: Reads the log., request: GET /log}}
"""

pytestmark = pytest.mark.skipif(NGINX is None, reason="not installed: nginx")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, int]]:
    """Yield the folder and the port of an nginx that asks for client certificates."""
    folder = tmp_path_factory.mktemp("nginx")
    port, other = free_port(), free_port()
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Caller", "version": "1"},
        "servers": [{"url": f"https://localhost:{port}"}],
        "paths": {"/log": {"get": {"operationId": "read_log"}}},
    }
    places = {"folder": folder, "port": port, "other": other, "tls": MATERIAL, "document": json.dumps(document)}
    (folder / "nginx.conf").write_text(CONFIGURATION.format(**places))
    key = serialization.load_pem_private_key((MATERIAL / "client_key.pem").read_bytes(), None)
    (folder / "locked.pem").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.BestAvailableEncryption(PASSPHRASE.encode()),
        )
    )
    with running([str(NGINX), "-p", str(folder), "-c", str(folder / "nginx.conf")], folder, port):
        yield folder, port


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, site: tuple[Path, int]) -> Path:
    return generated(tmp_path_factory.mktemp("certificates"), TOOLS.format(port=site[1]))


def variables(folder: Path, **more: str) -> dict[str, str]:
    """Return the settings for a certificate whose key is locked."""
    files = {"CA_FILE": "localhost.pem", "CLIENT_CERT": "client.pem"}
    return {
        **{name: str(MATERIAL / file) for name, file in files.items()},
        "CLIENT_KEY": f"{folder}/locked.pem",
        **more,
    }


@pytest.mark.parametrize("door", DOORS)
def test_a_locked_key_is_shown_with_its_passphrase(
    project: Path, site: tuple[Path, int], door: str, tmp_path: Path
) -> None:
    (tmp_path / "passphrase").write_text(f"{PASSPHRASE}\n")
    ways = {"PASSWORD": PASSPHRASE} if door == "stdio" else {"PASSWORD_FILE": str(tmp_path / "passphrase")}
    more = {f"CLIENT_KEY_{name}": value for name, value in ways.items()}
    url = f"https://localhost:{site[1]}"
    with served(project, door, **variables(site[0], BASE_URL=url, **more)) as call:
        assert call("read_log") == "SUCCESS"


@pytest.mark.parametrize("passphrase", ["", "another", "x" * 2000])
def test_a_wrong_passphrase_is_a_sentence(project: Path, site: tuple[Path, int], passphrase: str) -> None:
    settings = variables(site[0], CLIENT_KEY_PASSWORD=passphrase)
    environ = {f"CALLER_{name}": value for name, value in settings.items()}
    with Server(project, "--list", package="caller_mcp", env=environ) as server:
        assert server.ended() == 78
    assert b"CALLER_CLIENT_KEY_PASSWORD unlocks the key." in server.written
    assert not passphrase or passphrase not in server.written.decode()


def fetched(folder: Path, url: str, *flags: str, **environ: str) -> tuple[object, str]:
    """Generate a server from a URL. Return the exit code and the output."""
    trusted = {"SSL_CERT_FILE": str(MATERIAL / "localhost.pem")}
    done = command.mcpgen("generate", url, "-o", "out", *flags, folder=folder, **trusted, **environ)
    return done.returncode, done.stdout + done.stderr


FLAGS = ("--fetch-cert", "DOC_CERT", "--fetch-key", "DOC_KEY")


def files(folder: Path) -> dict[str, str]:
    """Return the variables that FLAGS name."""
    return {
        "DOC_CERT": str(MATERIAL / "client.pem"),
        "DOC_KEY": str(folder / "locked.pem"),
        "DOC_KEY_PASSWORD": PASSPHRASE,
    }


def test_a_document_is_fetched_with_a_certificate_and_again_at_the_next_generation(
    site: tuple[Path, int], tmp_path: Path
) -> None:
    folder, port = site
    code, told = fetched(tmp_path, f"https://localhost:{port}/document.json", *FLAGS, **files(folder))
    assert (code, "1 tool" in told) == (0, True), told
    lock = (tmp_path / "out" / "mcpgen.lock.json").read_text()
    assert '"fetch_cert": "DOC_CERT"' in lock
    assert PASSPHRASE not in lock
    assert "locked.pem" not in lock
    trusted = {"SSL_CERT_FILE": str(MATERIAL / "localhost.pem")}
    again = command.mcpgen("regenerate", "out", "--check", folder=tmp_path, **trusted, **files(folder))
    assert again.returncode == 0, again.stderr


def test_another_origin_does_not_see_the_certificate(site: tuple[Path, int], tmp_path: Path) -> None:
    folder, port = site
    other = next(line for line in (folder / "nginx.conf").read_text().splitlines() if "/moved.json" in line)
    host = other.partition("https://")[2].partition("/")[0]
    url = f"https://localhost:{port}/moved.json"
    code, told = fetched(tmp_path, url, *FLAGS, "--allow-redirect", host, **files(folder))
    assert code == 0, told
    assert (folder / "other.log").read_text().splitlines()[-1] == "- /document.json"


@pytest.mark.parametrize(
    ("flags", "changed", "problem"),
    [
        ((), {}, "answered with status 400"),
        (FLAGS, {"DOC_CERT": ""}, "The variable DOC_CERT, which --fetch-cert names, is not set."),
        (FLAGS, {"DOC_KEY": ""}, "The variable DOC_KEY, which --fetch-key names, is not set."),
        (FLAGS[2:], {}, "--fetch-cert is missing."),
        (FLAGS, {"DOC_KEY_PASSWORD": "another"}, "The client certificate that DOC_CERT names cannot be used."),
        (FLAGS, {"DOC_KEY_PASSWORD": ""}, "The client certificate that DOC_CERT names cannot be used."),
    ],
)
def test_a_wrong_certificate_is_a_sentence(
    site: tuple[Path, int], tmp_path: Path, flags: tuple[str, ...], changed: dict[str, str], problem: str
) -> None:
    environ = {**files(site[0]), **changed}
    code, told = fetched(tmp_path, f"https://localhost:{site[1]}/document.json", *flags, **environ)
    assert (code, problem in told) == (2, True), told
    assert "Traceback" not in told
