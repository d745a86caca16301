"""Test a client that never reads its responses: the server waits while stdin is open, and ends when stdin closes
(LIFE-03).
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import random
import select
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from package.runtime.core.stdio import OutputRoom

from tests.runtime.process import Server, call, line

LONG = "x" * 300_000
SAID = {
    "the reader": line("server/discover") * 800,
    "a list": b"".join(line("tools/list") for _ in range(400)),
    "a call": call(1, "echo", text=LONG),
    "a call and the reader": call(1, "echo", text=LONG) + line("server/discover") * 720,
    "calls that wait": call(1, "wait") + call(2, "wait") + call(3, "echo", text=LONG),
    "more calls than wait": b"".join(call(number, "echo", text=LONG[:200] * (number < 100)) for number in range(450)),
}
"""Name of what is blocked → input whose responses block it, since they exceed what a pipe holds.

The server stops reading, and the remaining input fits into the pipe of stdin. Both pipes are enlarged if the system
allows it.
"""
ROOM = 1 << 20


def roomy(server: Server) -> Server:
    """Enlarge the pipe of the server's stdin so that it holds the whole input, and return the server."""
    if hasattr(fcntl, "F_SETPIPE_SZ") and server.process.stdin is not None:
        fcntl.fcntl(server.process.stdin, fcntl.F_SETPIPE_SZ, ROOM)
    return server


@pytest.fixture
def unread() -> Iterator[int]:
    """Yield the writing end of a pipe that nobody reads or closes."""
    read, write = os.pipe()
    yield write
    os.close(read)
    os.close(write)


@pytest.mark.parametrize("stuck", SAID)
def test_life_03_stdin_is_closed(home: Path, unread: int, stuck: str) -> None:
    with roomy(Server(home, stdout=unread)) as server:
        server.say(SAID[stuck])
        server.end()
        assert server.ended() == 0


@pytest.mark.slow
@pytest.mark.parametrize("stuck", SAID)
def test_life_03_stdin_is_a_file(home: Path, unread: int, tmp_path: Path, stuck: str) -> None:
    (tmp_path / "said").write_bytes(SAID[stuck])
    with (tmp_path / "said").open("rb") as said, Server(home, stdin=said, stdout=unread) as server:
        assert server.ended() == 0


@pytest.mark.slow
@pytest.mark.parametrize("stuck", SAID)
def test_life_03_stdin_is_a_socket_of_which_one_direction_ends(home: Path, stuck: str) -> None:
    ours_in, its_in = socket.socketpair()
    ours_in.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, ROOM)
    ours_out, its_out = socket.socketpair()
    with ours_in, ours_out, its_in, its_out, Server(home, stdin=its_in, stdout=its_out) as server:
        its_in.close()
        its_out.close()
        ours_in.sendall(SAID[stuck])
        ours_in.shutdown(socket.SHUT_WR)
        assert server.ended() == 0


@pytest.mark.parametrize("stuck", ["the reader", "a call", "a call and the reader"])
def test_who_reads_only_after_the_end_of_stdin_misses_nothing(home: Path, stuck: str) -> None:
    read, write = os.pipe()
    with roomy(Server(home, stdout=write)) as server, open(read, "rb") as out:
        os.close(write)
        server.say(SAID[stuck])
        server.end()
        answers = out.read().splitlines()
        assert len(answers) == SAID[stuck].count(b"\n")
        assert server.ended() == 0


@pytest.mark.skipif(not hasattr(fcntl, "F_GETPIPE_SZ"), reason="the system does not say what a pipe takes")
@pytest.mark.parametrize("before", [0, 1, 5000])
def test_an_empty_pipe_is_filled_at_once_and_any_other_in_pieces_that_never_block(before: int) -> None:
    (stdin, other), (reader, stdout) = os.pipe(), os.pipe()
    try:
        os.write(stdout, b"x" * before)
        size = OutputRoom(stdin, stdout, 1.0).wait(1 << 20)
        assert size == (select.PIPE_BUF if before else fcntl.fcntl(stdout, fcntl.F_GETPIPE_SZ))
        os.set_blocking(stdout, False)
        assert os.write(stdout, b"x" * size) == size
    finally:
        for descriptor in (stdin, other, reader, stdout):
            os.close(descriptor)


@pytest.mark.skipif(not hasattr(fcntl, "F_GETPIPE_SZ"), reason="the system does not say what a pipe takes")
@pytest.mark.parametrize("size", [1, 300, 4096, 4097, 9000, 1 << 18, (1 << 18) + 1])
def test_what_is_known_of_a_pipe_that_was_empty_never_makes_a_write_block(
    monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    """Check that writes of the size that `wait` returns never block.

    At the first check, the pipe was empty. So `wait` can compute the free space after some more writes without a check.
    """
    (stdin, other), (reader, stdout) = os.pipe(), os.pipe()
    os.set_blocking(stdout, False)
    looks: list[None] = []
    room = OutputRoom(stdin, stdout, 1.0)
    monkeypatch.setattr(OutputRoom, "_wait", lambda room: looks.append(None))
    written = 0
    try:
        while (granted := room.wait(size)) and len(looks) == 1:
            assert 0 < granted <= size
            assert os.write(stdout, b"x" * granted) == granted
            written += granted
        assert written >= min(size, 64)
    finally:
        for descriptor in (stdin, other, reader, stdout):
            os.close(descriptor)


@pytest.mark.skipif(not hasattr(fcntl, "F_GETPIPE_SZ"), reason="the system does not say what a pipe takes")
@pytest.mark.parametrize("seed", range(20))
def test_however_much_the_client_has_taken_what_is_granted_goes_in(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    (stdin, other), (reader, stdout) = os.pipe(), os.pipe()
    os.set_blocking(stdout, False)
    os.set_blocking(reader, False)
    chance = random.Random(seed)
    most = chance.choice((50, 5000, 50_000, 500_000))
    os.write(stdout, b"x" * chance.choice((0, 1, 4000)))
    room, large = OutputRoom(stdin, stdout, 1.0), 0

    def wait(room: OutputRoom) -> None:
        while not select.select([], [stdout], [], 0)[1]:
            os.read(reader, chance.randrange(1, 100_000))

    monkeypatch.setattr(OutputRoom, "_wait", wait)
    try:
        for _ in range(500):
            granted = room.wait(chance.randrange(1, most))
            assert os.write(stdout, b"x" * granted) == granted
            large += granted > select.PIPE_BUF
            if chance.random() < 0.3:
                with contextlib.suppress(BlockingIOError):
                    os.read(reader, chance.randrange(1, 2 * most))
        assert large or most < select.PIPE_BUF
    finally:
        for descriptor in (stdin, other, reader, stdout):
            os.close(descriptor)
