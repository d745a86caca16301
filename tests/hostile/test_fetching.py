"""Test the attack cases HARD-14 and HARD-15: mcpgen fetches documents from hostile HTTP servers on raw sockets."""

from __future__ import annotations

import asyncio
import gzip
import json
import subprocess
import sys
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from mcpgen.base.errors import FatalError
from mcpgen.read.fetch import network
from tests.command import mcpgen
from tests.hostile.fuzz.limits import limited
from tests.hostile.subject import playing
from tests.runtime.upstream import Connection, Play, Upstream

DOCUMENT = b'{"openapi":"3.1.0","servers":[{"url":"/v1"}],"paths":{"/a":{"get":{"operationId":"getA"}}}}'
GIBIBYTE = 1 << 30


def answer(body: bytes, *fields: str, status: str = "200 OK") -> bytes:
    head = "\r\n".join([f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close", *fields])
    return head.encode() + b"\r\n\r\n" + body


def site(pages: dict[str, bytes]) -> Play:
    """Return a server that answers each path with the bytes given for it."""

    async def play(connection: Connection) -> None:
        request = await connection.request()
        if request:
            await connection.send(pages.get(request.split(b" ")[1].decode(), answer(b"", status="404 Not Found")))

    return play


def within_limits(*arguments: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run mcpgen with a gibibyte of memory and 60 CPU seconds."""
    command, limit = [sys.executable, "-m", "mcpgen", *arguments], limited(60, memory=GIBIBYTE)
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, preexec_fn=limit, check=False)


# -- HARD-14: content codings and deadlines of responses --------------------------------------------------------------


def bomb(layers: int) -> bytes:
    """Return three gigabytes of zeros, compressed by gzip this many times.

    A block that ends with a full flush can be repeated, so that making the bomb is cheap.
    """
    block, megabyte = zlib.compressobj(9, zlib.DEFLATED, -15), bytes(1 << 20)
    body = block.compress(megabyte) + block.flush(zlib.Z_FULL_FLUSH)
    whole = b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + body * 3072
    for _ in range(layers - 1):
        whole = gzip.compress(whole, 9)
    return whole


@pytest.mark.parametrize("layers", [1, 2, 3, 4])
def test_hard_14_a_bomb_of_any_number_of_layers_is_a_sentence(layers: int) -> None:
    content = answer(bomb(layers), f"Content-Encoding: {', '.join(['gzip'] * layers)}")
    with playing(site({"/bomb": content})) as upstream:
        done = within_limits("check", f"http://127.0.0.1:{upstream.port}/bomb")
    assert done.returncode == 2
    assert "is larger than 67,108,864 bytes. [too-large]" in done.stderr
    assert "Traceback" not in done.stderr


def deflated(data: bytes, window: int) -> bytes:
    coder = zlib.compressobj(wbits=window)
    return coder.compress(data) + coder.flush()


WELL = {
    "gzip": gzip.compress(DOCUMENT),
    "x-gzip": gzip.compress(DOCUMENT),
    "gzip, gzip": gzip.compress(gzip.compress(DOCUMENT)),
    "deflate, gzip": gzip.compress(deflated(DOCUMENT, 15)),
    "deflate": deflated(DOCUMENT, 15),
    "deflate ": deflated(DOCUMENT, -15),
    "GZIP": gzip.compress(DOCUMENT[:20]) + gzip.compress(DOCUMENT[20:]),
    "gzip, identity": gzip.compress(DOCUMENT) + b"\0\0\0",
    "identity": DOCUMENT,
}


@pytest.mark.parametrize("coding", WELL)
@pytest.mark.parametrize("step", [1, 10**9], ids=["by bytes", "whole"])
def test_hard_14_what_is_coded_well_is_read(coding: str, step: int) -> None:
    content = answer(WELL[coding], f"Content-Encoding: {coding}")

    async def play(connection: Connection) -> None:
        if await connection.request():
            for at in range(0, len(content), step):
                await connection.send(content[at : at + step])

    with playing(play) as upstream:
        url = f"http://127.0.0.1:{upstream.port}/a"
        assert network.Network().download(url) == (DOCUMENT, url)


BROKEN = {
    "an unknown coding": ("br", DOCUMENT, "has a Content-Encoding that mcpgen did not request"),
    "five codings": (", ".join(["gzip"] * 5), DOCUMENT, "has a Content-Encoding that mcpgen did not request"),
    "no gzip": ("gzip", DOCUMENT, "is not compressed as its Content-Encoding says"),
    "the inner one is none": ("gzip, gzip", gzip.compress(DOCUMENT), "is not compressed as its Content-Encoding says"),
    "cut": ("gzip", gzip.compress(DOCUMENT)[:-9], "is compressed, and ends too early"),
    "nothing": ("gzip", b"", "is compressed, and ends too early"),
    "the inner one is cut": ("gzip, gzip", gzip.compress(gzip.compress(DOCUMENT)[:-9]), "and ends too early"),
    "members without end": ("gzip", gzip.compress(b"") * 20_000, "is compressed in more than 10,000 pieces"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_hard_14_what_is_not_coded_as_it_says_is_a_sentence(case: str) -> None:
    coding, content, message = BROKEN[case]
    with playing(site({"/a": answer(content, f"Content-Encoding: {coding}")})) as upstream:
        done = within_limits("check", f"http://127.0.0.1:{upstream.port}/a")
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def dripping(before: bytes) -> Play:
    """Return a server that sends one byte after another, faster than any read timeout, for as long as the client
    listens.
    """

    async def play(connection: Connection) -> None:
        await connection.request()
        await connection.send(before)
        for _ in range(200):
            await connection.send(b"x")
            with suppress(TimeoutError):
                await asyncio.wait_for(connection.closed(), 0.02)
                return

    return play


DRIPS = {
    "the answer": b"HTTP/1.1 200 OK\r\n\r\n",
    "a field": b"HTTP/1.1 200 OK\r\nX: ",
    "the status": b"HTTP/1.1 200 O",
    "early hints": b"HTTP/1.1 103 Early\r\n\r\n" * 3 + b"HTTP/1.1 103 ",
    "an error": b"HTTP/1.1 500 No\r\nX: ",
    "a redirect": b"HTTP/1.1 302 Found\r\nLocation: /",
    # a file name in the gzip header, which never ends
    "coded": b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b\x08\x08\0\0\0\0\0\xff",
}


@pytest.mark.parametrize("drip", DRIPS)
def test_hard_14_what_drips_ends_at_one_deadline(drip: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network, "SECONDS", 0.3)
    with playing(dripping(DRIPS[drip])) as upstream, pytest.raises(FatalError) as ended:
        network.Network().download(f"http://127.0.0.1:{upstream.port}/a")
    assert ended.value.diagnostic.message == f"http://127.0.0.1:{upstream.port}/a was not fetched within 0.3 seconds."


def test_hard_14_redirects_and_all_urls_of_a_run_share_a_deadline(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Fetch three documents and an overlay that each hang after a redirect. One deadline must end all of them."""
    from mcpgen.cli import main

    monkeypatch.setattr(network, "SECONDS", 0.3)
    monkeypatch.setattr(network, "ALL_SECONDS", 0.5)

    async def play(connection: Connection) -> None:
        if b"/hang" not in await connection.request():
            await connection.send(answer(b"", "Location: /hang", status="302 Found"))
            return
        await connection.closed()

    with playing(play) as upstream:
        url = f"http://127.0.0.1:{upstream.port}"
        entries: list[dict[str, Any]] = [{"document": f"{url}/{name}", "prefix": name} for name in "abc"]
        (tmp_path / "x.tools.json").write_text(json.dumps({"mcpgen": 1, "openapi": entries}))
        with pytest.raises(SystemExit):
            main(["check", str(tmp_path / "x.tools.json")])
    said = capsys.readouterr().err
    assert "/a was not fetched within 0.3 seconds." in said
    assert "/c was not fetched: all the URLs of one run must be fetched within 0.5 seconds." in said


# -- HARD-15: servers other than the one in the given URL -------------------------------------------------------------


def moved(location: str, status: str = "302 Found") -> bytes:
    return answer(b"", f"Location: {location}", status=status)


def url_of(upstream: Upstream, path: str, host: str = "127.0.0.1") -> str:
    return f"http://{host}:{upstream.port}{path}"


OTHERS: dict[str, Callable[[int], str]] = {
    "another host": lambda port: f"localhost:{port}",
    "another port": lambda port: f"127.0.0.1:{port + 1}",
    "a private address": lambda port: "10.0.0.1",
    "an address in numbers": lambda port: f"2130706433:{port}",
    "a public host": lambda port: "api.example.com",
}


@pytest.mark.parametrize("case", OTHERS)
@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "303 See", "307 Temporary", "308 Permanent"])
def test_hard_15_another_server_is_named_and_not_asked(case: str, status: str) -> None:
    with playing(lambda connection: site(pages)(connection)) as upstream:
        server = OTHERS[case](upstream.port)
        pages = {"/a": moved(f"http://{server}/openapi.json", status), "/openapi.json": answer(DOCUMENT)}
        with pytest.raises(FatalError) as refused:
            network.Network(("other.example.com", f"127.0.0.1:{upstream.port + 2}")).download(url_of(upstream, "/a"))
        assert len(upstream.requests) == 1
    found = refused.value.diagnostic
    assert f"redirects to another server, {server}," in found.message
    trusted = f"If you trust the redirect target, give --allow-redirect {server}."
    assert found.hint == f"{trusted} Otherwise, give the final URL of the document."


@pytest.mark.parametrize("host", ["169.254.169.254", "[fe80::1]", "[::ffff:169.254.169.254]", "2852039166"])
def test_hard_15_a_link_local_address_needs_more_than_a_flag(host: str) -> None:
    pages = {"/a": moved(f"http://{host}/latest")}
    with playing(site(pages)) as upstream, pytest.raises(FatalError, match="a link-local or metadata address"):
        network.Network((host,)).download(url_of(upstream, "/a"))


COMMANDS = {
    "generate": ["generate", "URL", "-o", "out"],
    "check": ["check", "URL"],
    "inspect": ["inspect", "URL"],
    "diff": ["diff", "URL", "URL"],
    "init": ["init", "URL", "-o", "api.tools.yaml"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_hard_15_each_command_that_fetches_has_the_flag(command: str, tmp_path: Path) -> None:
    with playing(lambda connection: site(pages)(connection)) as upstream:
        other = f"localhost:{upstream.port}"
        pages = {"/a": moved(f"http://{other}/openapi.json"), "/openapi.json": answer(DOCUMENT)}
        given = [url_of(upstream, "/a") if each == "URL" else each for each in COMMANDS[command]]
        refused = mcpgen(*given, folder=tmp_path)
        assert refused.returncode == 2
        assert f"--allow-redirect {other}" in refused.stderr
        assert mcpgen(*given, "--allow-redirect", other, folder=tmp_path).returncode == 0


def test_hard_15_the_server_is_the_one_that_was_named_and_the_lock_remembers_the_flag(tmp_path: Path) -> None:
    with playing(lambda connection: site(pages)(connection)) as upstream:
        other = f"localhost:{upstream.port}"
        pages = {"/a": moved(f"http://{other}/openapi.json"), "/openapi.json": answer(DOCUMENT)}
        url = url_of(upstream, "/a")
        done = mcpgen("generate", url, "-o", "out", "--name", "api", "--allow-redirect", other, folder=tmp_path)
        assert done.returncode == 0, done.stderr
        header = (tmp_path / "out" / "api_mcp" / "bindings.json").read_text().partition("\n")[0]
        assert f'"http://127.0.0.1:{upstream.port}/v1"' in header
        assert "localhost" not in header
        assert json.loads((tmp_path / "out" / "mcpgen.lock.json").read_text())["options"]["allow_redirect"] == [other]
        assert mcpgen("regenerate", "out", "--check", folder=tmp_path).returncode == 0
        (tmp_path / "new").mkdir()
        plain = mcpgen("generate", url.replace("/a", "/openapi.json"), "-o", "new/out", folder=tmp_path)
        assert plain.returncode == 0, plain.stderr
        source = ["regenerate", "new/out", "--source", url]
        assert mcpgen(*source, folder=tmp_path).returncode == 2
        assert mcpgen(*source, "--allow-redirect", other, folder=tmp_path).returncode == 0


def test_hard_15_documents_and_overlays_that_a_tools_file_names_are_held_to_it(tmp_path: Path) -> None:
    overlay = b'{"overlay":"1.0.0","info":{"title":"x","version":"1"},"actions":[{"target":"$","update":{"x-a":1}}]}'
    with playing(lambda connection: site(pages)(connection)) as upstream:
        here, other = f"http://127.0.0.1:{upstream.port}", f"localhost:{upstream.port}"
        entry = {"document": f"{here}/a", "overlays": [f"{here}/b"]}
        pages = {
            "/t": answer(json.dumps({"mcpgen": 1, "openapi": [entry]}).encode()),
            "/a": moved(f"http://{other}/openapi.json"),
            "/openapi.json": answer(DOCUMENT),
            "/b": moved(f"http://{other}/overlay.json"),
            "/overlay.json": answer(overlay),
        }
        refused = mcpgen("check", f"{here}/t")
        assert refused.returncode == 2
        assert "/a redirects to another server" in refused.stderr
        done = mcpgen("check", f"{here}/t", "--allow-redirect", other)
        assert done.returncode == 0, done.stderr
        pages["/a"] = answer(DOCUMENT)
        refused = mcpgen("check", f"{here}/t")
        assert refused.returncode == 1
        assert "/b redirects to another server" in refused.stderr


@pytest.mark.parametrize(
    "value", ["", "http://a.example", "a.example/x", "me@a.example", "a.example:x", ":80", "a b:0"]
)
def test_a_value_that_names_no_server_is_refused(value: str) -> None:
    done = mcpgen("check", "openapi.json", "--allow-redirect", value)
    assert done.returncode == 2
    assert "neither HOST nor HOST:PORT" in done.stderr
