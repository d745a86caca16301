"""Measure guarantee REL-04, that the API gets no POST twice, while the API is killed and restarted every second."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import sys
import tempfile
from collections import Counter
from pathlib import Path

from benchmarks.bars import Bar
from benchmarks.promises.session import Session, session

_UPSTREAM = """
import os, re, socketserver, sys

class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        while line := self.rfile.readline():
            head = []
            while (field := self.rfile.readline()) not in (b"\\r\\n", b""):
                head.append(field)
            if not field:
                return
            fields = dict(field.split(b": ", 1) for field in head)
            self.rfile.read(int({name.lower(): value for name, value in fields.items()}.get(b"content-length", 0)))
            os.write(heard, line)
            self.wfile.write(b"HTTP/1.1 200 OK\\r\\nContent-Type: text/plain\\r\\nContent-Length: 2\\r\\n\\r\\nok")

class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True
    request_queue_size = 128

heard = os.open(sys.argv[2], os.O_WRONLY | os.O_APPEND)
Server(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""
"""Program of the API. It records the first line of each complete request before it responds, by one write that survives
a kill.
"""


async def post_is_sent_at_most_once(project: Path, seconds: int = 20, workers: int = 8) -> list[Bar]:
    """Measure requirement REL-04: every call gets a response, a POST arrives at most once, and calls succeed one second
    after a restart.
    """
    port = _free_port()
    with tempfile.NamedTemporaryFile() as heard:
        upstream = await _start(port, heard.name)
        async with session(project, port, {"HOSTILE_TIMEOUT": "5"}) as server:
            counted = Counter[str]()
            over = asyncio.Event()
            running = [asyncio.ensure_future(_work(server, worker, over, counted)) for worker in range(workers)]
            for _ in range(seconds):
                await asyncio.sleep(1)
                upstream.kill()
                await upstream.wait()
                upstream = await _start(port, heard.name)
            over.set()
            answered = [each for each in await asyncio.gather(*running, return_exceptions=True) if each is None]
            await asyncio.sleep(1)
            after = [await server.call(tool, n=10**7 + n) for n in range(50) for tool in ("get_case", "post_case")]
            upstream.kill()
            await upstream.wait()
        posts = Counter(re.findall(rb"POST /api/v1/case\?n=(\d+)", Path(heard.name).read_bytes()))
    print(f"{seconds} kills: {counted['ok']:,} calls ok, {counted['failed']:,} failed; {len(posts):,} POSTs arrived")
    return [
        Bar("REL-04 times that one POST arrived, at most", max(posts.values()), "<=", 1),
        Bar("REL-04 clients that waited in vain", workers - len(answered), "<=", 0),
        Bar("REL-04 calls a second after a restart that fail", sum(each["isError"] for each in after), "<=", 0),
    ]


async def _work(server: Session, worker: int, over: asyncio.Event, counted: Counter[str]) -> None:
    number = worker * 10**5
    while not over.is_set():
        number += 1
        arguments = {"n": number, "name": "x"} if worker % 2 else {"n": number}
        tool = "post_case" if worker % 2 else "get_case"
        answer = await asyncio.wait_for(server.request("tools/call", name=tool, arguments=arguments), 30)
        counted["failed" if answer["result"]["isError"] else "ok"] += 1
        await asyncio.sleep(0.005)


async def _start(port: int, heard: str) -> asyncio.subprocess.Process:
    """Start the API at this port, and return its process once it accepts connections.

    `heard`: the file for recorded requests.
    """
    process = await asyncio.create_subprocess_exec(sys.executable, "-S", "-c", _UPSTREAM, str(port), heard)
    for _ in range(1000):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return process
        await asyncio.sleep(0.01)
    raise RuntimeError("the upstream does not start")


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


assert os.name == "posix", "processes are killed here as POSIX does"
