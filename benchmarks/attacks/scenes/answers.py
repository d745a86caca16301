"""Attacks by responses of the API."""

from __future__ import annotations

import gzip
import socket
import time
from contextlib import suppress
from typing import Any

from benchmarks.attacks.scenes.verdicts import EXTRA, SECRET, Verdict, said
from benchmarks.attacks.subjects import Subject
from benchmarks.attacks.upstream import OK, body, serving


def bomb(subject: Subject) -> Verdict:
    packed = gzip.compress(b" " * (200 * 2**20), 9, mtime=0)
    return _memory(subject, body(packed, "Content-Encoding: gzip"))


def endless(subject: Subject) -> Verdict:
    def reply(connection: socket.socket, request: bytes) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n")
        chunk = b"10000\r\n" + b"x" * 65536 + b"\r\n"
        for _ in range(8 * 1024):  # 512 MiB in all, if the server reads every chunk
            connection.sendall(chunk)
        connection.sendall(b"0\r\n\r\n")

    return _memory(subject, reply)


def drip(subject: Subject) -> Verdict:
    def reply(connection: socket.socket, request: bytes) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n")
        for _ in range(100):
            connection.sendall(b" ")
            time.sleep(0.3)

    with serving(reply) as api, subject.running(api.url, SECRET) as server:
        called = server.call("get_item", {"id": "1"})
        return said((not called.answered, "no answer within 10 s"), otherwise="an error at the deadline")


def lone_surrogate(subject: Subject) -> Verdict:
    with serving(body(b'{"name": "\\ud800", "price": 7}')) as api, subject.running(api.url, SECRET) as server:
        called = server.call("get_item", {"id": "1"})
        return said(
            (not called.answered, "no answer"),
            ("7" not in called.text, f"the answer is lost: {called.text[:60]!r}"),
            otherwise="the answer arrives",
        )


def not_a_number(subject: Subject) -> Verdict:
    with serving(body(b'{"price": NaN}')) as api, subject.running(api.url, SECRET) as server:
        called = server.call("get_item", {"id": "1"})
        return said(
            ("null" in called.text, "NaN became null in silence"),
            ("NaN" not in called.text, f"the answer is lost: {called.text[:60]!r}"),
            otherwise="said as it came",
        )


def digits(subject: Subject) -> Verdict:
    with serving(body(b'{"price": ' + b"7" * 5000 + b"}")) as api, subject.running(api.url, SECRET) as server:
        called = server.call("get_item", {"id": "1"})
        return said(("7777" not in called.text, f"the model reads: {called.text[:60]!r}"), otherwise="said as it came")


def escapes(subject: Subject) -> Verdict:
    content = "\u001b[31mred\u202edetrevni\u202c\U000e0041".encode()
    with serving(body(content, kind="text/plain; charset=utf-8")) as api, subject.running(api.url, SECRET) as server:
        text = server.call("get_item", {"id": "1"}).text
        return said(
            (any(mark in text for mark in "\u001b\u202e\U000e0041"), "passed on"), otherwise="taken out, or shown"
        )


def mislabelled_image(subject: Subject) -> Verdict:
    """Judge what the model gets if the API's response is labelled as an image but is not an image.

    A model provider refuses the whole request because of such an image.
    """
    content = b"<!doctype html><title>Sign in</title>"
    with serving(body(content, kind="image/png")) as api, subject.running(api.url, SECRET) as server:
        blocks = server.call("get_item", {"id": "1"}).result.get("content", ())
        as_image = any(block.get("type") == "image" for block in blocks)
        return said((as_image, "passed on as an image"), otherwise="not an image")


def _memory(subject: Subject, reply: Any) -> Verdict:
    """Compare the peak memory after a call with this response and after a call with a small response.

    The server withstands the attack if the difference is at most EXTRA MiB and the call is answered.
    """
    turn = iter((OK,))

    def play(connection: socket.socket, request: bytes) -> None:
        next(turn, reply)(connection, request)

    with serving(play) as api, subject.running(api.url, SECRET) as server:
        server.call("get_item", {"id": "1"})
        before = server.memory()
        called = server.call("get_item", {"id": "2"}, patience=30)
        with suppress(OSError, StopIteration):
            more = server.memory() - before
            return said(
                (more > EXTRA, f"{more:.0f} MiB more memory"),
                (not called.answered, "no answer within 30 s"),
                otherwise=f"cut, {max(more, 0):.0f} MiB more memory",
            )
        return Verdict(False, "the server died")
