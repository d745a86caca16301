"""Test reading of source documents from files, standard input and URLs, each within its limits (SPEC-01, SPEC-20)."""

from __future__ import annotations

import io
import os
import ssl
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from mcpgen.base.errors import FatalError
from mcpgen.base.runtime import safe_open
from mcpgen.read import fetch
from mcpgen.read.document import budgets
from mcpgen.read.fetch.files import read_below

CERTIFICATE = Path(__file__).parents[1] / "runtime" / "tls" / "localhost.pem"


def refusal(source: str) -> tuple[str, str]:
    with pytest.raises(FatalError) as refused:
        fetch.read(source)
    return refused.value.diagnostic.code, refused.value.diagnostic.message


def test_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_bytes(b"x: 1")
    path = str(tmp_path / "a.yaml")
    assert fetch.read(path, ("other",)) == fetch.Fetched(path, b"x: 1", folder=fetch.Folder((str(tmp_path), "other")))


@pytest.mark.parametrize("source", ["nowhere.yaml", "nowhere/a.yaml", "a\0b", "x" * 5000, "file:///etc/passwd"])
def test_a_file_that_is_not_there(source: str) -> None:
    assert refusal(source)[0] == "unreadable"


@pytest.mark.parametrize("source", ["/dev/zero", "/dev/null", ".", "pipe"])
def test_what_is_no_file_is_never_opened(source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    assert refusal(source)[0] == "unreadable"


def test_a_file_over_the_budget_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (tmp_path / "large").open("wb") as large:
        large.truncate(budgets.BYTES + 1)
    monkeypatch.setattr(Path, "read_bytes", lambda self: pytest.fail("read"))
    assert refusal(str(tmp_path / "large"))[0] == "too-large"


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"x: 1")))
    assert fetch.read("-") == fetch.Fetched("<stdin>", b"x: 1")
    monkeypatch.setattr(budgets, "BYTES", 3)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"x: 1")))
    assert refusal("-")[0] == "too-large"


class Pages(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path.startswith("/to/"):
            self.send_response(302)
            self.send_header("Location", self.path.removeprefix("/to/"))
            self.end_headers()
        elif self.path == "/endless":
            self.send_response(200)
            self.end_headers()
            for _ in range(1000):
                self.wfile.write(b"x" * 1000)
        else:
            self.send_response(200 if self.path == "/openapi.yaml" else 404)
            self.end_headers()
            self.wfile.write(b"x: 1")

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 — the name of the base class
        pass


class Site(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore clients that close the connection early."""


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    server = Site(("127.0.0.1", 0), Pages)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_url_and_where_it_led(site: str) -> None:
    assert fetch.read(f"{site}/openapi.yaml").url == f"{site}/openapi.yaml"
    moved = fetch.read(f"{site}/to//openapi.yaml")
    assert (moved.name, moved.data, moved.url) == (f"{site}/to//openapi.yaml", b"x: 1", f"{site}/openapi.yaml")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/nowhere", "answered with status 404"),
        ("/to/file:///etc/passwd", "redirects to file:///etc/passwd, from which mcpgen does not fetch documents"),
        ("/to/ftp://127.0.0.1/x", "redirects to ftp://127.0.0.1/x, from which mcpgen does not fetch documents"),
        ("/to//to//to//to//to//openapi.yaml", "redirects more than 3 times"),
    ],
)
def test_spec_20_answers_that_are_no_document(site: str, path: str, message: str) -> None:
    code, said = refusal(site + path)
    assert code == "unreadable"
    assert message in said


def test_spec_20_a_body_over_the_budget_is_cut_off(site: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budgets, "BYTES", 10_000)
    assert refusal(f"{site}/endless")[0] == "too-large"


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:1/", "http://[::1", "http://", "http://127.0.0.1:99999/", "http://a b/"]
)
def test_urls_that_lead_nowhere(url: str) -> None:
    assert refusal(url)[0] == "unreadable"


def test_a_certificate_of_an_own_authority_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Site(("127.0.0.1", 0), Pages)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(CERTIFICATE)
    server.socket = tls.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    url = f"https://localhost:{server.server_port}/openapi.yaml"
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    with pytest.raises(FatalError) as failed:
        fetch.read(url)
    assert failed.value.diagnostic.message == f"{url} could not be fetched: its certificate is not trusted."
    assert "SSL_CERT_FILE" in str(failed.value.diagnostic.hint)
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    assert fetch.read(url).data == b"x: 1"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    ("url", "cause"),
    [
        ("http://127.0.0.1:1/", "its host refused the connection"),
        ("http://nowhere.invalid/", "the name of its host is not known"),
    ],
)
def test_the_cause_of_a_failed_fetch_is_named(url: str, cause: str, site: str) -> None:
    assert refusal(url) == ("unreadable", f"{url} could not be fetched: {cause}.")


@pytest.mark.parametrize("login", ["me:SECRET@", "SECRET@", "me:SECRET@x@", "@"])
def test_cred_11_a_login_in_a_url_is_neither_sent_nor_repeated(login: str) -> None:
    code, message = refusal(f"http://{login}127.0.0.1:9/openapi.json")
    assert code == "unreadable"
    assert "SECRET" not in message


def test_a_file_names_what_lies_beside_it(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "pets.yaml").write_text("a: b")
    (tmp_path / "x.yaml").write_text("mcpgen: 1")
    own = fetch.read(str(tmp_path / "x.yaml"))
    assert fetch.beside(own, "sub/pets.yaml").data == b"a: b"
    assert fetch.beside(own, "sub/pets.yaml").name.endswith("sub/pets.yaml")
    with pytest.raises(FatalError, match="outside"):
        fetch.beside(own, "../other.yaml")


@pytest.mark.parametrize(
    "name",
    ["https://other.example.com/pets.yaml", "http://a.example.com/x", "//b.example.com/x", "https://a.example.com:8/x"],
)
def test_what_came_by_url_names_its_own_origin_alone(name: str) -> None:
    own = fetch.Fetched("https://a.example.com/d/x.yaml", b"", "https://a.example.com/d/x.yaml")
    with pytest.raises(FatalError, match="another origin"):
        fetch.beside(own, name)


def test_standard_input_names_only_urls() -> None:
    with pytest.raises(FatalError, match="no meaning for a file"):
        fetch.beside(fetch.Fetched("<stdin>", b""), "pets.yaml")


EXCHANGE = """
import os, sys
root, outside = sys.argv[1:]
os.symlink(outside, f"{root}/link")
while True:  # until it is killed
    os.rename(f"{root}/inner", f"{root}/folder")
    os.rename(f"{root}/link", f"{root}/inner")
    os.rename(f"{root}/inner", f"{root}/link")
    os.rename(f"{root}/folder", f"{root}/inner")
"""


def test_hard_12_a_folder_that_is_exchanged_with_a_link_leads_nowhere(tmp_path: Path) -> None:
    """Replace a folder by a link while a file in it is read. No file outside may be read.

    References, resources and documents of a tools file are all read in this way. Without openat, this cannot be
    guaranteed.
    """
    root, outside = tmp_path / "open", tmp_path / "outside"
    for folder, content in ((root / "inner", b"inside"), (outside, b"outside")):
        folder.mkdir(parents=True)
        (folder / "a").write_bytes(content)
    reader, seen = fetch.Folder((str(root),)), Counter[bytes]()
    exchanging = subprocess.Popen([sys.executable, "-c", EXCHANGE, str(root), str(outside)])
    try:
        while seen.total() < 4000 or len(seen) < 2:
            try:
                seen[reader.read(str(root / "inner" / "a"))] += 1
            except FatalError as refused:
                seen[refused.diagnostic.code.encode()] += 1
    finally:
        exchanging.kill()
        exchanging.wait()
    assert seen.keys() <= {b"inside", b"unreadable", b"foreign-reference"}


@pytest.mark.parametrize("has_openat", [True, False])
def test_hard_12_a_folder_that_is_a_link_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_openat: bool
) -> None:
    monkeypatch.setattr(safe_open, "HAS_OPENAT", has_openat)
    (tmp_path / "open").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "a").write_bytes(b"outside")
    (tmp_path / "open" / "inner").symlink_to(tmp_path / "outside")
    with pytest.raises(safe_open.LinkFound):
        read_below(str(tmp_path / "open"), os.path.join("inner", "a"), 10)


def test_hard_12_a_link_that_leads_to_where_references_may_lead_is_followed(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "real").write_bytes(b"x")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    assert fetch.Folder((str(tmp_path),)).read(str(tmp_path / "link" / "real")) == b"x"
