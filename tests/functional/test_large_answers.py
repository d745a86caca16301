"""Test responses of any size, with a generated server and a raw socket: each gives a bounded and useful result."""

from __future__ import annotations

import json
import socket
import sys
import threading
from base64 import b64decode
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from mcpgen.demo.client import Client, connect
from tests.golden.projects import project

PROJECT = project("station")
MIB = 2**20
KEY = "sk-0123456789abcdef"
ITEM = {"city": "Oslo", "note": f"key {KEY}, né", "numbers": list(range(20))}
ROW = json.dumps(ITEM, ensure_ascii=False, separators=(",", ":")).encode()
Send = Callable[[bytes], None]
Play = Callable[[Send], None]


@contextmanager
def upstream(play: Play) -> Iterator[str]:
    """Yield the URL of a socket that answers one request and then closes."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            connection, _ = listening.accept()
            with connection, suppress(ConnectionError):
                connection.recv(65536)
                play(connection.sendall)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        thread.join(30)
        assert not thread.is_alive(), "the connection was not closed"


@contextmanager
def called(play: Play, temporary: str = "") -> Iterator[tuple[Client, dict[str, Any]]]:
    """Start a server and make one call. Yield the client and the result.

    `temporary`: the folder of the server's temporary files.
    """
    with upstream(play) as url:
        variables = {"STATION_BASE_URL": url, "STATION_API_KEY": KEY, "STATION_TIMEOUT": "60"}
        variables |= {"TMPDIR": temporary} if temporary else {}
        with connect([sys.executable, "-m", "station_mcp"], PROJECT, variables) as client:
            yield client, client.call("get_forecast", city="Oslo")


def slices(client: Client, uri: str) -> Iterator[dict[str, Any]]:
    """Yield all slices of a resource. Each slice names the URI of the next."""
    while uri:
        contents = client.request("resources/read", uri=uri)["contents"]
        assert contents[0]["uri"] == uri
        yield contents[0]
        uri = contents[1]["uri"] if contents[1:] else ""


def peak(client: Client) -> int:
    """Return the peak memory of the process in bytes."""
    status = Path(f"/proc/{client._process.pid}/status")
    if not status.exists():
        pytest.skip("this system does not say how much memory a process took")
    [line] = [line for line in status.read_text().splitlines() if line.startswith("VmHWM:")]
    return int(line.split()[1]) * 1024


def quiet_peak() -> int:
    """Return the peak memory in bytes of a server that has answered one call with a small response."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[]"
    with called(lambda send: send(head)) as (client, _):
        return peak(client)


def test_up_01_rel_03_a_list_of_50_mb_is_shown_in_part_and_read_whole_through_slices(tmp_path: Path) -> None:
    count = 50_000_000 // (len(ROW) + 1)
    expected, size = sha256(), count * (len(ROW) + 1) + 1

    def play(send: Send) -> None:
        send(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n[" % size)
        for _ in range(count // 1000):
            send((ROW + b",") * 1000)
        send(b",".join([ROW] * (count % 1000)) + b"]")

    redacted = ROW.replace(KEY.encode(), b"[redacted]")
    expected.update(b"[" + b",".join([redacted] * count) + b"]")
    with called(play, str(tmp_path)) as (client, result):
        assert list(tmp_path.iterdir()) == [], "a file that has a name may outlive the process"
        shown, note, link = result["content"]
        items = json.loads(shown["text"])
        assert items == [{**ITEM, "note": "key [redacted], né"}] * len(items)
        assert 31_000 < len(shown["text"].encode()) <= 32_000
        assert f"all but the first {len(items):,} items" in note["text"]
        assert f"{size:,} bytes" in note["text"]
        assert link["uri"] in note["text"]
        read, text_size = sha256(), 0
        for each in slices(client, f"{link['uri']}?from=0&size=1048576"):
            read.update(each["text"].encode())
            text_size += len(each["text"].encode())
        assert (text_size, read.hexdigest()) == (size + count * (10 - len(KEY)), expected.hexdigest())
        assert peak(client) < quiet_peak() + 64 * MIB


def test_up_01_rel_03_of_a_download_of_200_mb_the_beginning_can_be_read() -> None:
    def play(send: Send) -> None:
        send(b"HTTP/1.1 200 OK\r\nContent-Type: application/zip\r\nContent-Length: 200000000\r\n\r\n")
        for _ in range(200):
            send(bytes(1_000_000))

    with called(play) as (client, result):
        assert not result["isError"]
        text, note, link = result["content"]
        assert text["text"].startswith("The answer is a file: application/zip, 67,108,864 bytes, too large")
        assert "Only the first 67,108,864 bytes of the answer were read" in note["text"]
        last = client.request("resources/read", uri=f"{link['uri']}?from={64 * MIB - 10}&size=1000")["contents"]
        assert [b64decode(each["blob"]) for each in last] == [bytes(10)]
        assert peak(client) < quiet_peak() + 64 * MIB


def test_up_01_up_15_an_endless_stream_is_cut_and_what_came_can_be_read() -> None:
    def play(send: Send) -> None:
        send(b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n\r\n")
        while True:
            send((ROW + b"\n") * 5000)

    with called(play) as (client, result):
        assert not result["isError"]
        text, note, link = result["content"]
        *lines, cut = text["text"].split("\n")
        assert {line.encode() for line in lines} == {ROW.replace(KEY.encode(), b"[redacted]")}
        assert cut.startswith("[Cut: the first ")
        assert "then the connection was closed" in note["text"]
        assert len(client.request("resources/read", uri=link["uri"])["contents"]) == 2
