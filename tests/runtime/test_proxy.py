"""Test the operator's proxy at raw sockets: it learns the hosts of calls, but not their contents."""

from __future__ import annotations

import asyncio
import base64
import ssl
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from package.runtime.calls.execution import ToolExecutor
from package.runtime.settings import settings

from tests.runtime.table_stub import Catalog
from tests.runtime.test_calls import quiet, text
from tests.runtime.upstream import Connection, Upstream, answer, answer_ok, serving
from tests.scheme_entries import api_key

CERTIFICATE = Path(__file__).parent / "tls" / "localhost.pem"
SECRET, PASSWORD = "sk-SECRET-0123456789", "p@ss/word-of-the-proxy"
LOGIN = base64.b64encode(f"me:{PASSWORD}".encode())
TYPED = "me:p%40ss%2Fword-of-the-proxy"
SECURITY = {"key": api_key("header", "X-Key", "PETSTORE_KEY")}
TOOLS: dict[str, dict[str, Any]] = {"look": {"binding": {"method": "GET", "path": ["/look"], "security": [["key"]]}}}


async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()


async def tunnel(connection: Connection) -> None:
    """Act as a proxy that opens the requested tunnel."""
    request = await connection.request()
    port = int(request.split(b" ")[1].rpartition(b":")[2])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        await connection.send(b"HTTP/1.1 200 Connection established\r\n\r\n")
        await asyncio.gather(pump(connection._reader, writer), pump(reader, connection._writer))
    finally:
        writer.transport.abort()


def caller(environ: dict[str, str], proxy: Upstream, base: str) -> ToolExecutor:
    url = f"http://{TYPED}@127.0.0.1:{proxy.port}"
    catalog: Any = Catalog(TOOLS, security=SECURITY)
    loaded = settings.load(catalog, {"PETSTORE_KEY": SECRET, "PETSTORE_PROXY": url, **environ}, base)
    assert loaded.problems == []
    assert PASSWORD not in repr(loaded)
    return ToolExecutor(catalog, loaded)


def test_an_https_call_goes_through_a_tunnel_that_sees_no_credential_of_the_api() -> None:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(CERTIFICATE)

    async def main() -> None:
        async with serving(answer_ok, tls=tls) as upstream, serving(tunnel) as proxy:
            made = caller({"PETSTORE_CA_FILE": str(CERTIFICATE)}, proxy, f"https://localhost:{upstream.port}")
            result = await asyncio.wait_for(made.call("look", {}, quiet), 30)
            await made.close()
            assert text(result) == "ok"
            [asked] = proxy.requests
            assert asked.startswith(f"CONNECT localhost:{upstream.port} HTTP/1.1\r\n".encode())
            assert b"\r\nProxy-Authorization: Basic " + LOGIN + b"\r\n" in asked
            assert SECRET.encode() not in asked
            [sent] = upstream.requests
            assert f"X-Key: {SECRET}".encode() in sent
            assert b"Proxy-Authorization" not in sent

    asyncio.run(main())


@pytest.mark.parametrize("status", [200, 407, 502])
def test_cred_06_what_a_proxy_repeats_of_its_login_is_redacted(status: int) -> None:
    body = f"no: {PASSWORD} {LOGIN.decode()} {TYPED}".encode()
    said = b"HTTP/1.1 %d X\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s" % (status, len(body), body)

    async def main() -> None:
        async with serving(answer(said)) as proxy:
            made = caller({}, proxy, "http://127.0.0.1:9")
            result = await asyncio.wait_for(made.call("look", {}, quiet), 30)
            await made.close()
            assert proxy.requests[0].startswith(b"GET http://127.0.0.1:9/v1/look HTTP/1.1\r\n")
            assert "word-of-the-proxy" not in text(result)
            assert LOGIN.decode() not in text(result)

    asyncio.run(main())


def test_cred_09_a_proxy_that_cannot_be_reached_is_not_shown_with_its_login() -> None:
    async def main() -> None:
        async with serving() as gone:
            pass
        made = caller({}, gone, "http://127.0.0.1:9")
        result = await asyncio.wait_for(made.call("look", {}, quiet), 30)
        await made.close()
        assert "the proxy did not let it through to 127.0.0.1:9" in text(result)
        assert "word" not in text(result)
        assert "me:" not in text(result)

    asyncio.run(main())


@pytest.mark.parametrize("login", ["token-of-the-proxy", "token-of-the-proxy:", "me:p%C3%A9-of-the-proxy"])
def test_cred_06_what_a_proxy_repeats_is_redacted_as_it_was_sent(login: str) -> None:
    async def repeat(connection: Connection) -> None:
        request = await connection.request()
        content = request.partition(b"Proxy-Authorization: Basic ")[2].partition(b"\r\n")[0]
        assert b"-of-the-proxy" in base64.b64decode(content)
        content += b" " + base64.b64decode(content).decode("latin-1").encode()
        await connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(content), content))

    async def main() -> None:
        async with serving(repeat) as proxy:
            environ = {"PETSTORE_PROXY": f"http://{login}@127.0.0.1:{proxy.port}"}
            catalog: Any = Catalog({"look": {"binding": {"method": "GET", "path": ["/look"]}}})
            made = ToolExecutor(
                catalog, settings.load(catalog, {**environ, "PETSTORE_KEY": SECRET}, "http://127.0.0.1:9")
            )
            said = text(await asyncio.wait_for(made.call("look", {}, quiet), 30))
            await made.close()
            assert said.startswith("[redacted] ")
            assert "of-the-proxy" not in said

    asyncio.run(main())


@pytest.mark.parametrize("login", ["me:p%E2%82%AC-word", "%E2%82%AC:word", "me%3Ayou:word", "me:%E9"])
def test_a_login_of_a_proxy_that_cannot_be_sent_is_refused_at_start(login: str) -> None:
    catalog: Any = Catalog(TOOLS)
    loaded = settings.load(catalog, {"PETSTORE_PROXY": f"http://{login}@127.0.0.1:9"}, "http://127.0.0.1:9")
    [problem] = loaded.problems
    assert problem.startswith("PETSTORE_PROXY ")
    assert "cannot be sent" in problem
    assert "word" not in problem.replace("password", "")
