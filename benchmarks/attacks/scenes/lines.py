"""Attacks by lines that a client writes, and by clients that close their pipes or die."""

from __future__ import annotations

import json
import signal
import socket
import time
from collections.abc import Callable
from contextlib import suppress

from benchmarks.attacks.scenes.verdicts import EXTRA, SECRET, Verdict, said
from benchmarks.attacks.subjects import Subject
from benchmarks.attacks.upstream import Upstream, serving


def bad_lines(subject: Subject) -> Verdict:
    lines = (
        b"hello\n",
        b"[" * 100_000 + b"\n",
        b"1\n",
        b"{}\n",
        b'{"jsonrpc": "1.0", "id": 5, "method": "ping"}\n',
        b'{"jsonrpc": "2.0", "id": null, "method": "ping"}\n',
        b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}\n',
        b"[]\n",
        b'{"jsonrpc": "2.0", "id": 6, "method": "tools/call", "params": "x"}\n',
        b'{"jsonrpc": "2.0", "id": 7, "method": "ping", "id": 8}\n',
    )
    with serving() as api:
        silent = 0
        for line in lines:
            with subject.running(api.url, SECRET) as server:
                server.write(line)
                answer = server.line(1.5)
                # skip notifications about the request: they are not its response
                while answer is not None and "method" in answer:
                    answer = server.line(1.5)
                silent += answer is None
        return said((silent > 0, f"{silent} of {len(lines)} without an answer"), otherwise="each has one answer")


def invalid_utf8(subject: Subject) -> Verdict:
    call = {"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": "get_item", "arguments": {"id": "@"}}}
    with serving() as api, subject.running(api.url, SECRET) as server:
        server.write(json.dumps(call).encode().replace(b"@", b"\xff\xfe") + b"\n")
        server.line(3)
        return said((bool(api.requests), f"replaced and sent: {_first(api)}"), otherwise="refused, nothing sent")


def last_line(subject: Subject) -> Verdict:
    call = {"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": "get_item", "arguments": {"id": "1"}}}
    with serving() as api, subject.running(api.url, SECRET) as server:
        server.write(json.dumps(call).encode())
        assert server.process.stdin is not None
        server.process.stdin.close()
        return said((server.line(5) is None, "lost"), otherwise="answered")


def long_line(subject: Subject) -> Verdict:
    with serving() as api, subject.running(api.url, SECRET) as server:
        server.call("get_item", {"id": "1"})
        before = server.memory()
        server.write(
            b'{"jsonrpc": "2.0", "id": 9, "method": "ping", "params": {"x": "' + b"x" * (100 * 2**20) + b'"}}\n'
        )
        server.line(60)
        more = server.memory() - before
        return said((more > EXTRA, f"{more:.0f} MiB more memory"), otherwise=f"{more:.0f} MiB more, refused")


def client_gone(subject: Subject) -> Verdict:
    with serving() as api, subject.running(api.url, SECRET) as server:
        server.call("get_item", {"id": "1"})
        server.leave()
        return said((not server.ends(5), "still there after 5 s"), otherwise="ends")


def interrupted(subject: Subject) -> Verdict:
    with serving() as api, subject.running(api.url, SECRET) as server:
        server.call("get_item", {"id": "1"})
        server.process.send_signal(signal.SIGINT)
        return said((not server.ends(5), "still there after 5 s"), otherwise="ends")


def cancelled(subject: Subject) -> Verdict:
    closed: list[bool] = []

    def reply(connection: socket.socket, request: bytes) -> None:
        connection.settimeout(5)
        with suppress(OSError):
            closed.append(connection.recv(1) == b"")

    with serving(reply) as api, subject.running(api.url, SECRET) as server:
        params = {"name": "get_item", "arguments": {"id": "1"}}
        server.write({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": params})
        _until(lambda: bool(api.requests))
        server.write({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}})
        _until(lambda: bool(closed))
        return said((closed != [True], "the request to the API goes on"), otherwise="the connection is closed")


def _first(api: Upstream) -> str:
    return api.targets()[0] if api.requests else ""


def _until(true: Callable[[], bool], seconds: float = 5.0) -> None:
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.02)
