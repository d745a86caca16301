"""Run many calls at once under a random limit on open file descriptors.

Each call must be answered, and the server must keep running.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random

from tests.hostile.fuzz.limits import serving
from tests.hostile.subject import playing
from tests.runtime.upstream import Connection

CPU_SECONDS = 30
LARGE = b"[" + b'{"name":"row"},' * 30_000 + b"1]"


async def play(connection: Connection) -> None:
    """Answer some requests slowly, some with long responses, and close some connections."""
    while request := await connection.request():
        number = int(request.partition(b"?n=")[2].partition(b" ")[0] or b"0")
        for _ in range(number % 50):
            await asyncio.sleep(0)
        content = LARGE if number % 7 == 0 else b'{"a":1}'
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(content)
        await connection.send(head + content)
        if number % 5 == 0:
            return


def fuzz(project: Path, seed: int, count: int) -> None:
    """Run `count` servers. Raise AssertionError if a call is not answered or a server ends."""
    chance = Random(seed)
    for number in range(count):
        most, calls = chance.choice((16, 20, 24, 32, 40, 64, 100, 256)), chance.choice((10, 80, 300))
        where = f"server {number} of seed {seed}: {most} descriptors, {calls} calls"
        rooms = {"HOSTILE_CONCURRENCY": str(chance.choice((1, 64, 256)))}
        with playing(play) as upstream, serving(project, upstream, CPU_SECONDS, most, rooms) as server:
            for _ in range(2):
                left = {server.call("get_case", n=chance.randrange(100)) for _ in range(calls)}
                while left:
                    message = server.message()
                    if message.get("id") in left:
                        left.discard(message["id"])
                        assert "result" in message, f"{where}: {message}"
                        assert message["result"]["isError"] is False, f"{where}: {message}"
            server.end()
            server.rest()
            assert server.ended() == 0, where
