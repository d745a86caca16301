"""Test that credentials and certificates in files are read again after the files have changed."""

from __future__ import annotations

import asyncio
import json
import os
import ssl
from pathlib import Path
from typing import Any

import pytest
from package.runtime.calls.execution import ToolExecutor
from package.runtime.http.client import Client, Failure
from package.runtime.request.request import Request
from package.runtime.settings import rotation, settings
from package.runtime.settings.rotation import Rotation

from tests.runtime.table_stub import Catalog
from tests.runtime.test_calls import SECURITY, TOOLS, quiet, text
from tests.runtime.upstream import Connection, Upstream, serving

MATERIAL = Path(__file__).parent / "tls"
OLD, NEW = "sk-old-0123456789", "sk-new-9876543210"
REFUSED = b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n"


def put(path: Path, content: str | bytes) -> None:
    """Replace a file in one step, as Kubernetes and secret agents do."""
    written = path.with_suffix(".new")
    written.write_bytes(content.encode() if isinstance(content, str) else content)
    os.replace(written, path)


async def repeat(connection: Connection) -> None:
    """Answer each request with its own first line; refuse the old key after the new one was seen."""
    while request := await connection.request():
        line = request.partition(b"\r\n")[0]
        await connection.send(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%b" % (len(line), line)
        )


async def refuse(connection: Connection) -> None:
    """Accept only the new key."""
    while request := await connection.request():
        await connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok" if NEW.encode() in request else REFUSED)


def loaded(file: Path) -> tuple[Any, settings.Settings]:
    catalog: Any = Catalog(TOOLS, security=SECURITY)
    return catalog, settings.load(catalog, {"PETSTORE_API_KEY_FILE": str(file)})


async def called(caller: ToolExecutor) -> str:
    return text(await caller.call("get_pet", {"pet_id": 1}, quiet))


def key(upstream: Upstream) -> str:
    """Return the key of the last request."""
    return upstream.requests[-1].partition(b"key=")[2].partition(b" ")[0].decode()


def test_a_replaced_credential_is_used_and_redacted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(rotation, "SECONDS", 0.0)
    put(tmp_path / "key", OLD)

    async def main() -> None:
        async with serving(repeat) as upstream:
            catalog: Any = Catalog(TOOLS, security=SECURITY)
            environ = {"PETSTORE_API_KEY_FILE": str(tmp_path / "key")}
            caller = ToolExecutor(catalog, settings.load(catalog, environ, str(upstream.address())))
            await called(caller)
            assert key(upstream) == OLD
            put(tmp_path / "key", NEW)
            told = await called(caller)
            assert key(upstream) == NEW
            assert NEW not in told, "the API has repeated it"
            for broken in ("", "two\nlines"):
                put(tmp_path / "key", broken)
                await called(caller)
                assert key(upstream) == NEW
            (tmp_path / "key").unlink()
            await called(caller)
            assert key(upstream) == NEW
            put(tmp_path / "key", OLD)
            await called(caller)
            assert key(upstream) == OLD
            await caller.close()

    asyncio.run(main())
    events = [json.loads(line) for line in capfd.readouterr().err.splitlines()]
    names = [each["event"] for each in events if each["event"].startswith("files_")]
    assert names == ["files_taken", "files_not_taken", "files_not_taken", "files_not_taken", "files_taken"]
    reasons = [each["reason"] for each in events if each["event"] == "files_not_taken"]
    assert reasons[0] == "PETSTORE_API_KEY_FILE names a file that is empty."


def test_a_refused_credential_lets_the_next_call_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rotation, "SECONDS", 1e9)
    put(tmp_path / "key", OLD)

    async def main() -> None:
        async with serving(refuse) as upstream:
            catalog: Any = Catalog(TOOLS, security=SECURITY)
            environ = {"PETSTORE_API_KEY_FILE": str(tmp_path / "key")}
            caller = ToolExecutor(catalog, settings.load(catalog, environ, str(upstream.address())))
            put(tmp_path / "key", NEW)
            assert "did not accept" in await called(caller)
            assert await called(caller) == "ok"
            await caller.close()

    asyncio.run(main())


def test_the_files_are_looked_at_once_a_second(tmp_path: Path) -> None:
    put(tmp_path / "key", OLD)
    catalog, made = loaded(tmp_path / "key")
    now = 0.0
    watch = Rotation(made, catalog.security, {"PETSTORE_API_KEY_FILE": str(tmp_path / "key")}, lambda: now)
    put(tmp_path / "key", NEW)
    assert (watch.turn(), made.secrets) == (0, {"PETSTORE_API_KEY": OLD})
    now = 1.0
    assert (watch.turn(), made.secrets) == (1, {"PETSTORE_API_KEY": NEW})
    put(tmp_path / "key", OLD)
    now = 1.9
    assert watch.turn() == 1
    now = 2.0
    assert watch.turn() == 2


def test_a_server_without_such_files_looks_at_none() -> None:
    catalog: Any = Catalog(TOOLS, security=SECURITY)
    assert settings.load(catalog, {"PETSTORE_API_KEY": OLD}).rotation is None


@pytest.mark.usefixtures("either_way")
def test_replaced_certificates_are_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An API that wants a certificate refuses that of another, and accepts the one that replaces it."""
    monkeypatch.setattr(rotation, "SECONDS", 0.0)
    for name, source in (("ca", "localhost.pem"), ("cert", "localhost.pem"), ("key", "localhost.pem")):
        put(tmp_path / name, (MATERIAL / source).read_bytes())
    files = {"CA_FILE": "ca", "CLIENT_CERT": "cert", "CLIENT_KEY": "key"}
    catalog: Any = Catalog(TOOLS, security=SECURITY)
    made = settings.load(catalog, {f"PETSTORE_{name}": str(tmp_path / file) for name, file in files.items()})
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(MATERIAL / "localhost.pem")
    tls.verify_mode = ssl.CERT_REQUIRED
    tls.load_verify_locations(MATERIAL / "client.pem")

    async def main() -> None:
        client = Client(made, "petstore-mcp/1.2.3")
        async with serving(tls=tls) as upstream:
            address = upstream.address("", "localhost", "https")
            with pytest.raises(Failure):
                await client.send(Request("GET", "/p"), address, 20.0)
            put(tmp_path / "cert", (MATERIAL / "client.pem").read_bytes())
            with pytest.raises(Failure):  # the key does not fit yet, so the former pair stays
                await client.send(Request("GET", "/p"), address, 20.0)
            put(tmp_path / "key", (MATERIAL / "client_key.pem").read_bytes())
            assert (await client.send(Request("GET", "/p"), address, 20.0)).content == b"ok"
            put(tmp_path / "ca", (MATERIAL / "client.pem").read_bytes())
            with pytest.raises(Failure, match="not trusted"):
                await client.send(Request("GET", "/p"), address, 20.0)
        await client.close()

    asyncio.run(main())
