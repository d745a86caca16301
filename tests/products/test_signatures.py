"""Prove a password to lighttpd by HTTP Digest, and compare signatures with those of botocore."""

from __future__ import annotations

import hashlib
import json
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from tests.functional.doors import DOORS, generated, served
from tests.products import installs
from tests.products.product import free_port, running

pytestmark = pytest.mark.world

PASSWORD = "p:ss-0123456789abcdef"
TOOLS = """\
base_url: http://127.0.0.1:9
security: {{login: {{type: http, scheme: {scheme}}}}}
tools:
  - {{name: fetch_it, description: Reads., request: 'GET /files/{{file}}', arguments: {{file: string, q: string}}}}
  - {{name: add, description: Adds., request: POST /files, arguments: {{text: string}}}}
"""
CONFIGURATION = """\
server.modules = ("mod_auth", "mod_authn_file")
server.document-root = "{folder}"
server.bind = "127.0.0.1"
server.port = {port}
mimetype.assign = (".txt" => "text/plain")
auth.backend = "htdigest"
auth.backend.htdigest.userfile = "{folder}/users"
auth.require = (
  "/" => ("method" => "digest", "realm" => "a b", "require" => "valid-user", "algorithm" => "{algorithm}")
)
"""
HASHES = {"MD5": "md5", "SHA-256": "sha256"}
KEYS = {"LOGIN_ACCESS_KEY_ID": "AKIDEXAMPLE", "LOGIN_SECRET_ACCESS_KEY": "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"}
LOOK = """
import json, sys
from botocore.auth import S3SigV4Auth, SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

for method, url, fields, body, secret, service in json.load(sys.stdin):
    signed = fields["Authorization"].partition("SignedHeaders=")[2].partition(",")[0].split(";")
    kept = {name: value for name, value in fields.items() if name.lower() in signed}
    request = AWSRequest(method, url, kept, body.encode())
    request.context["timestamp"] = fields["X-Amz-Date"]
    request.context["client_config"] = None
    auth = (S3SigV4Auth if service == "s3" else SigV4Auth)(Credentials("AKIDEXAMPLE", secret), service, "eu-west-1")
    print(auth.signature(auth.string_to_sign(request, auth.canonical_request(request)), request))
"""
"""Program that prints the signature of each request that it reads, computed by botocore."""


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("algorithm", HASHES)
def test_lighttpd_takes_the_proofs(algorithm: str, door: str, tmp_path: Path) -> None:
    root, port = installs.debian("lighttpd", "lighttpd"), free_port()
    hashed = hashlib.new(HASHES[algorithm], f"anna:a b:{PASSWORD}".encode()).hexdigest()
    (tmp_path / "users").write_text(f"anna:a b:{hashed}\n")
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "a b.txt").write_text("of lighttpd")
    (tmp_path / "lighttpd.conf").write_text(CONFIGURATION.format(folder=tmp_path, port=port, algorithm=algorithm))
    (modules,) = root.glob("usr/lib/lighttpd")
    command = [str(root / "usr/sbin/lighttpd"), "-D", "-f", str(tmp_path / "lighttpd.conf"), "-m", str(modules)]
    libraries = {"LD_LIBRARY_PATH": ":".join(map(str, root.glob("usr/lib/*-linux-gnu")))}
    project = generated(tmp_path, TOOLS.format(scheme="digest"))
    login = {"LOGIN_USERNAME": "anna", "LOGIN_PASSWORD": PASSWORD, "BASE_URL": f"http://127.0.0.1:{port}/"}
    with running(command, "server started", tmp_path, libraries):
        with served(project, door, **login) as call:
            for _ in range(3):
                assert call("fetch_it", file="a b.txt", q="x y").startswith("of lighttpd")
        with served(project, door, **{**login, "LOGIN_PASSWORD": "wrong-0123456789"}) as call:
            assert "CALLER_LOGIN_USERNAME" in call("fetch_it", file="a b.txt")


class Handler(BaseHTTPRequestHandler):
    asked: ClassVar[list[Any]] = []

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.asked.append((self.command, self.path, dict(self.headers), body.decode()))
        self.send_response(204)
        self.end_headers()

    do_POST = do_GET  # noqa: N815 -- the name that the library calls

    def log_message(self, *_: object) -> None:
        """Write no log."""


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("service", ["execute-api", "s3"])
def test_signatures_are_those_of_botocore(service: str, door: str, tmp_path: Path) -> None:
    python = installs.pip("botocore", "botocore==1.44.8") / "bin" / "python"
    project = generated(tmp_path, TOOLS.format(scheme="AWS4-HMAC-SHA256"))
    Handler.asked.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as api:
        threading.Thread(target=api.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{api.server_port}"
        place = {"LOGIN_SERVICE": service, "LOGIN_REGION": "eu-west-1", "BASE_URL": f"{url}/base%20path/"}
        with served(project, door, **KEYS, **place) as call:
            # A slash in the name of an object is no part of a path for S3, which botocore never sends.
            call("fetch_it", file="a b-ü~" if service == "s3" else "a b/ü*~", q="x y&z=ä/")
            call("fetch_it", file="plain")
            call("add", text="täxt")
        api.shutdown()
    secret = KEYS["LOGIN_SECRET_ACCESS_KEY"]
    given = [(method, url + path, fields, body, secret, service) for method, path, fields, body in Handler.asked]
    run = subprocess.run(
        [str(python), "-c", LOOK], input=json.dumps(given), capture_output=True, text=True, check=True, timeout=120
    )
    assert run.stdout.split() == [fields["Authorization"].rpartition("=")[2] for _, _, fields, _ in Handler.asked]
    assert len(Handler.asked) == 3
