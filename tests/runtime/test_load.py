"""Test the server under load: floods, many calls at once, endless lines.

Memory stays bounded, and no message is lost.
"""

from __future__ import annotations

import json
import os
import re
import select
import socket
import threading
from pathlib import Path
from typing import IO

from package.runtime.serve.engine import MOST_CALLS

from tests.runtime.process import PATIENCE, Server, call, line


class TestLoad:
    def test_io_12_a_client_that_writes_and_does_not_read(self, home: Path) -> None:
        """Check that the server stops reading while its output is blocked.

        So no responses accumulate, and none is lost.
        """
        read, write = os.pipe()
        with Server(home, stdout=write) as server:
            os.close(write)
            server.call("echo")
            assert os.read(read, 1 << 16).endswith(b"\n")
            before = _peak_memory(server.process.pid)
            total = 10_000
            said = b"".join(call(number, "echo", text="x" * 5000) for number in range(total))
            taken = _pushed(server.process.stdin, said)
            assert taken < len(said) // 2
            writer = threading.Thread(target=_write, args=(server.process.stdin, said[taken:]), daemon=True)
            writer.start()
            answered: set[int] = set()
            rest = b""
            while len(answered) < total:
                *lines, rest = (rest + os.read(read, 1 << 20)).split(b"\n")
                answered |= {json.loads(each)["id"] for each in lines}
            writer.join()
            assert answered == set(range(total))
            assert _peak_memory(server.process.pid) - before < 32 * 1024
        os.close(read)

    def test_io_19_many_calls_that_finish_in_any_order(self, home: Path) -> None:
        with Server(home) as server:
            ids = [server.call("echo", text=str(number)) for number in range(500)]
            server.end()
            assert sorted(answer["id"] for answer in server.rest()) == ids

    def test_answers_that_are_ready_together_leave_in_one_write(self, home: Path) -> None:
        """Check that results that are ready together leave in one write.

        A socket that keeps the boundaries of writes shows this.
        """
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.settimeout(PATIENCE)
        with ours, theirs, Server(home, stdout=theirs.fileno()) as server:
            server.say(call("waits", "wait"))
            most, number = 1, 0
            # Send calls until results leave together: they do so only while the event loop reads stdin. At first, the
            # main thread reads it.
            while most == 1:
                ids = range(number, number := number + 10)
                server.say(b"".join(call(id_, "echo", text="same") for id_ in ids))
                answered: list[int] = []
                while len(answered) < len(ids):
                    written = [json.loads(each)["id"] for each in ours.recv(1 << 20).splitlines()]
                    most = max(most, len(written))
                    answered += written
                assert answered == [*ids]

    def test_io_17_what_is_said_behind_calls_that_hang_is_heard(self, home: Path) -> None:
        with Server(home) as server:
            first = server.waiting()
            others = range(first + 1, 1000)
            server.say(b"".join(call(number, "wait") for number in others) + line("ping"))
            assert server.message()["id"] == "ping"
            server.cancel(first)
            assert server.complaint() == "loaded"
            assert server.complaint() == "cancelled"
            server.end()
            assert sorted(answer["id"] for answer in server.rest()) == list(others)
            assert server.ended() == 0

    def test_life_03_a_client_leaves_behind_more_calls_than_are_read(self, home: Path) -> None:
        """Check that the process ends when its client closes stdout, although its reading thread waits for calls to
        end.
        """
        read, write = os.pipe()
        with Server(home, stdout=write) as server:
            os.close(write)
            _pushed(server.process.stdin, b"".join(call(number, "wait") for number in range(MOST_CALLS + 1000)))
            os.close(read)
            assert server.ended() == 0

    def test_life_02_stdin_is_closed_behind_more_calls_than_are_read(self, home: Path) -> None:
        """Check that each call gets an answer after stdin was closed, even calls that were not started."""
        with Server(home) as server:
            total = MOST_CALLS + 50  # few enough that the unread lines fit into the pipe
            server.say(b"".join(call(number, "wait") for number in range(total)))
            server.end()
            answers = server.rest()
            assert sorted(answer["id"] for answer in answers) == list(range(total))
            assert all(answer["result"]["isError"] for answer in answers)
            assert server.ended() == 0

    def test_io_01_an_endless_line(self, home: Path) -> None:
        with Server(home) as server:
            server.ask("server/discover")
            before = _peak_memory(server.process.pid)
            assert server.process.stdin is not None
            for _ in range(100):
                server.process.stdin.write(b"x" * (1 << 20))
            server.say(b"\n" + line("ping"))
            refusal, ping = server.message(), server.message()
            assert refusal["error"]["code"] == -32600
            assert ping["result"] == {}
            assert _peak_memory(server.process.pid) - before < 20 * 1024


def _pushed(pipe: IO[bytes] | None, data: bytes) -> int:
    """Write to the pipe until it takes no more, and return the number of bytes written."""
    assert pipe is not None
    os.set_blocking(pipe.fileno(), False)
    taken = 0
    while taken < len(data) and select.select([], [pipe], [], 1)[1]:
        taken += os.write(pipe.fileno(), data[taken : taken + 65536])
    os.set_blocking(pipe.fileno(), True)
    return taken


def _write(pipe: IO[bytes], data: bytes) -> None:
    pipe.write(data)
    pipe.flush()


def _peak_memory(pid: int) -> int:
    """Return the peak memory of a process in KiB."""
    found = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    assert found is not None
    return int(found[1])
