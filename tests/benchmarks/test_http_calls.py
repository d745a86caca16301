"""Test the benchmark's HTTP client: it makes every call, whether the server responds in JSON or by an event stream.

Also test that it detects wrong responses.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from benchmarks.replicas.client import NEWER, OLDER
from benchmarks.replicas.rig import free_port
from benchmarks.speed import api
from benchmarks.speed.connection import Answer, parse, without_comments
from benchmarks.speed.http_calls import Client, Server
from benchmarks.speed.pipe import Wrong
from benchmarks.speed.process import Subject

SERVER = """
import http.server, json, sys
BODY, PORT, STREAM, FAULT = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
calls = 0
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_POST(self):
        global calls
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        calls += asked["method"] == "tools/call"
        id_, status, text = asked.get("id"), 200, BODY
        if calls > 4 and FAULT == "id": id_ -= 1
        if calls > 4 and FAULT == "status": status = 503
        if calls > 4 and FAULT == "text": text = BODY[:-1] + "!"
        if asked["method"] == "tools/call" and ("Mcp-Session-Id" in self.headers) == ("Mcp-Method" in self.headers):
            status = 400
        answer = {"jsonrpc": "2.0", "id": id_, "result": {"content": [{"type": "text", "text": text}]}}
        data = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Mcp-Session-Id", "Case-Counts")
        if STREAM:
            data = b"event: message\\r\\ndata: " + data + b"\\r\\n\\r\\n"
            if calls > 4: data = b": ping\\r\\n\\r\\n" + data
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for part in (data[:9], data[9:]): self.wfile.write(b"%x\\r\\n%b\\r\\n" % (len(part), part))
            self.wfile.write(b"0\\r\\n\\r\\n")
        else:
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
    def log_message(self, *_): pass
http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()
"""


@contextmanager
def serving(stream: bool, fault: str = "") -> Iterator[Server]:
    port, body = free_port(), api.calls()["small"].body.decode()
    command = (sys.executable, "-c", SERVER, body, str(port), "stream" if stream else "", fault)
    with Server(Subject("stand-in", command, {}), port) as server:
        yield server


@pytest.mark.parametrize("stream", [False, True], ids=["JSON", "event stream"])
@pytest.mark.parametrize("era", [OLDER, NEWER])
def test_every_call_is_made_and_answered(era: str, stream: bool) -> None:
    with serving(stream) as server:
        client = Client(server, era)
        for calls, connections in ((5, 1), (12, 4), (3, 8)):
            assert len(client.flow(calls, connections).latencies) == calls


@pytest.mark.parametrize("fault", ["id", "status", "text"])
def test_a_wrong_answer_is_seen(fault: str) -> None:
    with serving(False, fault) as server, pytest.raises(Wrong, match="another answer"):
        Client(server, NEWER).flow(12, 1)


CHUNKED = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
COUNTED = b"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno"


@pytest.mark.parametrize(("whole", "status", "body"), [(CHUNKED, 200, b"abcde"), (COUNTED, 404, b"no")])
def test_an_answer_is_complete_with_its_last_byte(whole: bytes, status: int, body: bytes) -> None:
    answer = parse(whole)
    assert isinstance(answer, Answer)
    assert (answer.status, answer.body) == (status, body)
    cut = len(whole) - len(b"\r\n\r\n") if whole is CHUNKED else len(whole)
    assert [parse(whole[:end]) for end in range(cut)] == [None] * cut


def test_comments_of_a_stream_are_overlooked_and_nothing_else() -> None:
    event = b"event: message\r\ndata: " + json.dumps({"a": ": b"}).encode() + b"\r\n\r\n"
    assert without_comments(b": ping\r\n\r\n" + event + b": ping\n\n") == event
