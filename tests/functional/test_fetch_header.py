"""Test `--fetch-header`, which sends a secret to fetch a document, and secrets in the document's URL.

A raw socket receives the request. All output and all written files are searched for the secrets.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, unquote

import pytest

from tests import command
from tests.functional.test_origins import Listener
from tests.leaks import SECRET

DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Store", "version": "1"},
    "servers": [{"url": "ftp://x"}, {"url": "https://api.example.com"}],
    "paths": {"/a": {"get": {"operationId": "list_a"}}},
}


class Host(Listener):
    """Raw HTTP server that answers with a document, or with a redirect to the URL `moved`."""

    moved = ""

    def _answer(self, connection: object) -> None:
        from contextlib import suppress
        from socket import socket

        assert isinstance(connection, socket)
        body = json.dumps(DOCUMENT).encode()
        status = f"302 Found\r\nLocation: {self.moved}" if self.moved else "200 OK"
        head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        with connection, suppress(OSError):
            self.heard.append(connection.recv(65536).decode("latin-1"))
            connection.sendall(head + body)


@pytest.fixture
def host() -> Iterator[Host]:
    made = Host()
    yield made
    made.close()


def mcpgen(folder: Path, *arguments: str, **environ: str) -> tuple[object, str]:
    """Run a command in `folder`, and return its exit code and all output."""
    done = command.mcpgen(*arguments, folder=folder, **environ)
    return done.returncode, done.stdout + done.stderr


def run_at(folder: Path, url: str) -> str:
    """Run `mcpgen run` in a process of its own, because it becomes the server. Return its output."""
    words = [sys.executable, "-m", "mcpgen", "run", url]
    done = subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return done.stdout + done.stderr


HEADER = ("--fetch-header", "X-Docs-Key=DOCS_KEY")


def test_a_header_comes_from_a_variable_and_no_secret_is_told(host: Host, tmp_path: Path) -> None:
    url = f"{host.url}/openapi.json?token={quote(SECRET, safe='')}&v=2"
    code, said = mcpgen(tmp_path, "generate", url, "-o", "store", *HEADER, DOCS_KEY=SECRET)
    assert code == 0
    assert f"\r\nx-docs-key: {SECRET}\r\n".lower() in host.heard[-1].lower()
    assert f"token={SECRET}&v=2" in unquote(host.heard[-1])
    assert "invalid-server" in said, "a finding names the source"
    written = "".join(path.read_text() for path in (tmp_path / "store").rglob("*") if path.is_file())
    for text in (said, written):
        assert SECRET not in text
        assert quote(SECRET, safe="") not in text
    assert "X-Docs-Key=DOCS_KEY" in (tmp_path / "store" / "mcpgen.lock.json").read_text()
    for said in (mcpgen(tmp_path, "check", url)[1], mcpgen(tmp_path, "inspect", url)[1], run_at(tmp_path, url)):
        assert SECRET not in said


def test_a_project_is_generated_again_with_the_header(host: Host, tmp_path: Path) -> None:
    url = f"{host.url}/openapi.json"
    assert mcpgen(tmp_path, "generate", url, "-o", "store", *HEADER, DOCS_KEY=SECRET)[0] == 0
    host.heard.clear()
    assert mcpgen(tmp_path, "regenerate", "store", DOCS_KEY=SECRET)[0] == 0
    assert SECRET in host.heard[-1]
    code, said = mcpgen(tmp_path, "regenerate", "store", DOCS_KEY="")
    assert code == 2
    assert "The variable DOCS_KEY, which --fetch-header names, is not set." in said
    other = Host()
    assert mcpgen(tmp_path, "regenerate", "store", "--source", f"{other.url}/x.json", DOCS_KEY=SECRET)[0] == 0
    assert SECRET not in other.heard[-1], "the header is for the origin that it was given for"
    other.close()


def test_a_redirect_does_not_take_the_header_along(host: Host, tmp_path: Path) -> None:
    other = Host()
    host.moved = f"{other.url}/openapi.json"
    code, said = mcpgen(tmp_path, "check", f"{host.url}/openapi.json", *HEADER, DOCS_KEY=SECRET)
    assert (code, other.heard) == (2, [])
    assert "redirects" in said
    other.close()


@pytest.mark.parametrize(
    ("url", "flag", "value", "told"),
    [
        ("http://docs.example.com/a.json", "X-Key=DOCS_KEY", "s3cret", "to docs.example.com without TLS"),
        ("https://docs.example.com/a.json", "X-Key=DOCS_KEY", "", "DOCS_KEY, which --fetch-header names, is not set"),
        (
            "https://docs.example.com/a.json",
            "X-Key=DOCS_KEY",
            "a\nb",
            "contains characters that no header field may contain",
        ),
        ("https://docs.example.com/a.json", "X-Key: s3cret", "x", "Write NAME=VARIABLE"),
        ("https://docs.example.com/a.json", "Host=DOCS_KEY", "x", "Write NAME=VARIABLE"),
        ("https://user:s3cret@docs.example.com/a.json", "X-Key=DOCS_KEY", "x", "holds a user name or a password"),
    ],
)
def test_what_is_not_sent(url: str, flag: str, value: str, told: str, tmp_path: Path) -> None:
    code, said = mcpgen(tmp_path, "check", url, "--fetch-header", flag, DOCS_KEY=value)
    assert code == 2
    assert told in said
    assert "s3cret" not in said
