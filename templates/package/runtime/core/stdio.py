# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""The wire: private copies of stdin and stdout, and nothing else on them.

While it serves, descriptor 1 is stderr and descriptor 0 the null device, so that a `print`, a C library or a child
process can neither write into the protocol nor read from it. Knows neither JSON nor MCP.

Invariants: a write is whole or the process ends, quietly, since a client that closed its side has said all it wants to;
reading and writing block, which is the back-pressure, but a client that closed stdin has no more than `LAST_SECONDS` to
make room for what is written to it. One thread reads; writers hold the server's lock.
"""

from __future__ import annotations

import os
import stat
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    import select
    from collections.abc import Callable
    from typing import NoReturn, Protocol

    class Ending(Protocol):
        """What has something to do before the process ends, as the audit does."""

        def cut(self) -> None:
            """Record what is cut short."""

        def postpones(self, code: int) -> bool:
            """Return whether the end has to wait, and comes later with that exit code."""


#: Clients send SIGTERM two seconds after they closed stdin; whatever is left to do may take most of that.
LAST_SECONDS = 1.5

_CHUNK = 65536
# Decision 0160: A pipe of a long answer is made 256 KiB large.
#: Into the 64 KiB of a pipe as it comes a long answer goes in many pieces, and what runs waits for the client between
#: them. Of all its pipes a user has 64 MiB, so more is not for one server to take.
_LARGE_PIPE = 256 * 1024
_PAGE = 4096 if os.name != "posix" else os.sysconf("SC_PAGE_SIZE")
#: So much goes into any pipe or socket that is new, whether or not somebody reads.
_ROOM_AT_FIRST = 4096


_last: Ending | None = None


def before_leaving(audit: Ending) -> None:
    """From now on, record what is cut short when the process ends, in whichever way it ends itself."""
    global _last
    _last = audit


def leave(code: int) -> NoReturn:
    """End the process at once, whoever is still at work."""
    try:
        if _last is not None:
            _last.cut()
    finally:
        os._exit(code)


def leave_by_signal(code: int) -> None:
    """The same, from wherever the main thread is just now."""
    if _last is None or not _last.postpones(code):
        leave(code)


def fill_gaps() -> list[int]:
    """Give each of descriptors 0 to 2 that is closed the null device, before a file or socket gets its number. Which
    these were."""
    gaps = []
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            gaps.append(os.open(os.devnull, os.O_RDWR))
    return gaps


def complain(sentence: str) -> None:
    """One line on stderr for whoever starts the server, if anybody listens."""
    visible = "".join(each if each.isprintable() else "?" for each in sentence)
    try:
        os.write(2, f"{visible}\n".encode("ascii", "backslashreplace"))
    except OSError:
        return


class Wire:
    """Takes stdin and stdout for itself when it is made."""

    __slots__ = ("_fits", "_in", "_left_at", "_out", "_poll", "_room", "_seconds")

    def __init__(self) -> None:
        self._in = os.dup(0)
        self._out = os.dup(1)
        self._poll: select.poll | None = None
        self._fits = _ROOM_AT_FIRST
        self._room: Room | None = None
        self._left_at = 0.0
        self._seconds = LAST_SECONDS
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 0)
        os.dup2(2, 1)
        os.close(null)
        sys.stdout = sys.stderr  # line-buffered, so what a hook prints is seen when it is printed
        if os.name == "posix":  # a parent may have left either end non-blocking
            os.set_blocking(self._in, True)
            os.set_blocking(self._out, True)

    def watch(self) -> None:
        """From now on, end the process when the client closes its side of stdout, even if there is nothing to write."""
        import select  # a C module that the way to the first answer does without

        if hasattr(select, "poll"):
            self._poll = select.poll()
            self._poll.register(self._in, select.POLLIN)
            self._poll.register(self._out, 0)

    def read(self) -> bytes:
        """What has come, at least one byte; nothing at the end of the stream."""
        if self._poll is not None:
            self._wait(self._poll)
        return self.read_ready()

    def read_ready(self) -> bytes:
        """The same where it is known that something has come."""
        try:
            return os.read(self._in, _CHUNK)
        except OSError:
            return b""

    def tell_loop(self, ready: Callable[[], None] | None) -> bool:
        """Have the running event loop call that whenever something has come, None for nobody. False where the loop
        cannot wait for what stdin is, such as a file, or anything on Windows.
        """
        from asyncio import get_running_loop  # there, since a loop runs

        try:
            if ready is not None:
                get_running_loop().add_reader(self._in, ready)
            else:
                get_running_loop().remove_reader(self._in)
        except (NotImplementedError, OSError):
            return False
        return True

    def write(self, lines: bytes) -> None:
        """All of it, however long that takes while stdin is open."""
        self._fits -= len(lines)
        if self._fits < 0 and self._room is None:
            self._room = Room(self._in, self._out, self._seconds)
        rest = memoryview(lines)
        try:
            while rest:
                size = len(rest) if self._room is None else self._room.wait(len(rest))
                rest = rest[os.write(self._out, rest[:size]) :]
        except OSError:
            leave(0)

    def attended(self) -> bool:
        """Whether somebody may still want what is not done, for a reader that has to wait: false once the client has
        left for `LAST_SECONDS`. Ends the process where it closed its side of stdout.
        """
        import select  # as above

        if not hasattr(select, "poll"):
            return True
        poll = select.poll()
        poll.register(self._in, getattr(select, "POLLRDHUP", 0))
        poll.register(self._out, 0)
        gone = select.POLLHUP | select.POLLERR | getattr(select, "POLLRDHUP", 0)
        left = {descriptor for descriptor, event in poll.poll(0) if event & gone}
        if self._out in left:
            leave(0)
        if self._in in left:
            self._left_at = self._left_at or time.monotonic()
        return not self._left_at or time.monotonic() - self._left_at < LAST_SECONDS

    def hurry(self, seconds: float) -> None:
        """From now on the client has no more than that to make room."""
        self._seconds = seconds
        if self._room is not None:
            self._room.seconds = seconds

    def _wait(self, poll: select.poll) -> None:
        import select

        for descriptor, event in poll.poll():
            if event & select.POLLNVAL:  # where poll cannot watch a device, reading must do
                self._poll = None
            elif descriptor == self._out and event & (select.POLLERR | select.POLLHUP):
                leave(0)


class Room:
    """Says how much can be written without waiting, and ends the process where the client has left and takes nothing.

    A write that blocks could not be told that stdin was closed. The descriptors themselves stay blocking: others, such
    as the shell on a terminal, share that setting.

    A pipe of Linux is made of pages, of which a write takes no more than it fills, and what is in it still is what was
    written last. So how many are free is known from what was written and from how many bytes are left.
    """

    __slots__ = ("_both", "_free", "_left", "_out", "_pages", "_size", "_sizes", "_writing", "seconds")

    def __init__(self, stdin: int, stdout: int, seconds: float) -> None:
        """`seconds` is how long a client that has left may take nothing."""
        import select  # a C module that the way to the first short answers does without

        self.seconds = seconds
        self._out = stdout
        self._size = getattr(select, "PIPE_BUF", _CHUNK)  # what never blocks once there is room
        self._pages = _capacity(stdout) // _PAGE
        self._free = 0
        self._sizes: list[int] = []
        self._left = stat.S_ISREG(os.fstat(stdin).st_mode)  # a file has no other side that could hang up
        self._both: select.poll | None = None
        if hasattr(select, "poll"):
            self._both, self._writing = select.poll(), select.poll()
            self._both.register(stdin, getattr(select, "POLLRDHUP", 0))
            for poll in (self._both, self._writing):
                poll.register(stdout, select.POLLOUT)

    def wait(self, size: int) -> int:
        """Wait until some of so many bytes can be written; how many."""
        if _pages(size) > self._free:
            self._wait()
            if self._pages:
                self._free = max(0, self._pages - self._held())
        size = min(size, self._free * _PAGE or self._size)
        if self._pages:
            self._free = max(0, self._free - _pages(size))
            self._sizes.append(size)
        return size

    def _wait(self) -> None:
        import select

        while self._both is not None:
            ready = self._writing.poll(self.seconds * 1000) if self._left else self._both.poll()
            if not ready:
                leave(0)
            if any(descriptor == self._out for descriptor, _ in ready):
                return
            if ready[0][1] & select.POLLNVAL:  # where poll cannot watch stdin, nothing tells that the client has left
                self._both = self._writing
            else:
                self._left = True

    def _held(self) -> int:
        """The pages that hold something, at most."""
        left, pages = _unread(self._out), 0
        for at in range(len(self._sizes) - 1, -1, -1):
            if left <= 0:
                del self._sizes[: at + 1]
                break
            left -= self._sizes[at]
            pages += _pages(self._sizes[at])
        return self._pages if left > 0 else pages  # what is older may lie in any number of them


def _pages(size: int) -> int:
    """What so many bytes fill."""
    return -(-size // _PAGE)


def _capacity(descriptor: int) -> int:
    """What an empty pipe takes without blocking, which is made more where it is little; 0 for all else, and where the
    system does not say.
    """
    if not stat.S_ISFIFO(os.fstat(descriptor).st_mode):
        return 0
    try:
        import fcntl  # not every system has it, and only answers that are long need it

        capacity = fcntl.fcntl(descriptor, fcntl.F_GETPIPE_SZ)
    except (ImportError, AttributeError, OSError):
        return 0
    try:
        return capacity if capacity >= _LARGE_PIPE else fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, _LARGE_PIPE)
    except OSError:  # the user has too many that are large
        return capacity


def _unread(pipe: int) -> int:
    """The bytes that its reader has not taken yet."""
    import fcntl  # there, since it told the capacity
    import termios  # as long answers alone need it

    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, b"\0\0\0\0"), sys.byteorder)
