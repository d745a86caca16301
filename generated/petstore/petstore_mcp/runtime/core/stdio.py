# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Stdio transport: private copies of stdin and stdout, whose bytes become lines, and whose lines are queued.

While the server runs, descriptor 1 is stderr and descriptor 0 is the null device. So `print`, a C library or a child
process can neither write into the protocol nor read from it. This module knows neither JSON nor MCP.

A line ends at a line feed only; U+2028, U+0085 and a lone carriage return are text. Invariants:

- The lines do not depend on how the bytes are split, and at most `limit` bytes of an unfinished line are held.
- A write is complete or the process ends quietly, because a client that closed its side wants nothing more.

Reading and writing block, which slows the client down as needed (back-pressure). A client that closed stdin has at most
`LAST_SECONDS` to read the remaining answers. One thread reads; writers hold the server's lock.
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
    from typing import NoReturn, Protocol, TypeAlias

    Line: TypeAlias = "bytes | Oversize"

    class Ending(Protocol):
        """Interface of an object that must act before the process ends, such as the audit."""

        def cut(self) -> None:
            """Write what would be lost when the process ends, such as audit log lines about calls still open."""

        def postpones(self, code: int) -> bool:
            """Return True if the process must not end yet; it then exits later with `code`."""


#: Longest line that is read, in bytes. Only base64 files need more than 100 KB: 8 MiB of base64 hold a 6 MiB file.
LIMIT = 8 * 1024 * 1024

#: Largest line that may wait for later lines, and largest joint write, in bytes. Longest wait of a line, in seconds.
_SHORT = 16 * 1024
_TOGETHER = 64 * 1024
_MOMENT = 0.001

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Oversize:
    """A line that was longer than the limit. Its content was discarded; only its length is known."""

    __slots__ = ("length",)

    def __init__(self, length: int) -> None:
        self.length = length


class Lines:
    """Splitter of bytes into whole lines, without line ends and without blank lines."""

    __slots__ = ("_first", "_length", "_limit", "_pieces")

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._pieces: list[bytes] = []
        self._length = 0
        self._first = True

    def feed(self, data: bytes) -> list[Line]:
        """Return the lines that `data` completes."""
        *ends, rest = data.split(b"\n")
        if not (rest or self._length or self._first) and len(data) <= self._limit:  # fast path: whole lines only
            return [line for each in ends if (line := each.removesuffix(b"\r")).strip(b" \t\r")]
        lines: list[Line] = []
        for end in ends:
            self._hold(end)
            lines += self._take()
        self._hold(rest)
        return lines

    def close(self) -> list[Line]:
        """Return the last line, in a list, if the stream ended without a line feed; else an empty list."""
        return self._take()

    def _hold(self, piece: bytes) -> None:
        self._length += len(piece)
        if self._length > self._limit:
            self._pieces.clear()
        elif piece:
            self._pieces.append(piece)

    def _take(self) -> list[Line]:
        line, length, first = b"".join(self._pieces), self._length, self._first
        self._pieces.clear()
        self._length, self._first = 0, False
        if length > self._limit:
            return [Oversize(length)]
        if first:
            line = line.removeprefix(_BYTE_ORDER_MARK)
        line = line.removesuffix(b"\r")
        return [line] if line.strip(b" \t\r") else []


class Inbox:
    """Queue of lines that were read and not yet handled. `ended` is True after the end of the stream."""

    __slots__ = ("_came", "_lines", "ended")

    def __init__(self) -> None:
        self._lines = Lines()
        self._came: list[Line] = []
        self.ended = False

    def feed(self, data: bytes) -> None:
        """Add the bytes that were read. Empty `data` means the end of the stream."""
        self._came += self._lines.feed(data) if data else self._lines.close()
        self.ended = not data

    @property
    def first(self) -> Line | None:
        """Return the next line without removing it, or None if the queue is empty."""
        return self._came[0] if self._came else None

    def pop(self) -> Line:
        """Remove and return the next line."""
        return self._came.pop(0)


# Each write wakes the client, which takes a tenth of a small call's time (docs/decisions/speed.md).
class Outbox:
    """Queue of lines to the client, sent in the order in which they were added. Used by one thread at a time.

    Each write wakes the client, which costs a tenth of a short call. So a short line may be held and written together
    with later lines. Held lines are written before the next direct write, at `flush`, or when a line is added more than
    a millisecond after the first. The caller of `hold` must not do long work before `flush`. If a signal ends the
    process, held lines are lost.
    """

    __slots__ = ("_clock", "_held", "_since", "_size", "_write")

    def __init__(self, write: Callable[[bytes], object], clock: Callable[[], float]) -> None:
        """Create an empty queue. `clock` returns seconds."""
        self._write = write
        self._clock = clock
        self._held: list[bytes] = []
        self._size = 0
        self._since = 0.0

    def write(self, lines: bytes) -> None:
        """Write the held lines and then `lines`, now.

        `lines` may end in the middle of a line if the caller writes the rest of that line at once.
        """
        if self._held and len(lines) <= _SHORT:
            self._held.append(lines)
            self.flush()
        else:
            self.flush()
            self._write(lines)

    def hold(self, line: bytes) -> bool:
        """Hold a short line, to write it together with later lines. Write a long line now.

        Return True if the line is the first held line: the caller must then arrange a `flush`.
        """
        if len(line) > _SHORT:
            self.write(line)
            return False
        first, now = not self._held, self._clock()
        if first:
            self._since = now
        self._held.append(line)
        self._size += len(line)
        if self._size <= _TOGETHER and now - self._since <= _MOMENT:
            return first
        self.flush()
        return False

    def flush(self) -> None:
        """Write the held lines."""
        if self._held:
            lines = b"".join(self._held)
            self._held.clear()
            self._size = 0
            self._write(lines)


#: Seconds for remaining answers after the client closed stdin. Clients send SIGTERM after two seconds.
LAST_SECONDS = 1.5

#: EX_CONFIG of sysexits.h: exit code if files or settings must be corrected before the server can start.
EXIT_CONFIG = 78

_CHUNK = 65536
_PAGE = 4096 if os.name != "posix" else os.sysconf("SC_PAGE_SIZE")
#: Bytes that any new pipe or socket accepts without a reader.
_ROOM_AT_FIRST = 4096

_last: list[Ending] = []


def before_leaving(ending: Ending) -> None:
    """Register an object, such as the audit log. `leave` calls `cut` of each object in order of registration."""
    _last.append(ending)


def leave(code: int) -> NoReturn:
    """End the process at once with this exit code, even if other threads are working."""
    try:
        for each in _last:
            each.cut()
    finally:
        os._exit(code)


def leave_by_signal(code: int) -> None:
    """End the process at once, from a signal handler. If the audit is writing a line, end after that line."""
    if not any(each.postpones(code) for each in _last):
        leave(code)


def fill_gaps() -> list[int]:
    """Open the null device on each of the descriptors 0 to 2 that is closed. Return these descriptors.

    Otherwise the next opened file or socket would get one of these numbers, and be used as stdin, stdout or stderr.
    """
    gaps = []
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            gaps.append(os.open(os.devnull, os.O_RDWR))
    return gaps


def complain(sentence: str) -> None:
    """Write one line to stderr, for the person who starts the server. Do nothing if stderr is closed."""
    visible = "".join(each if each.isprintable() else "?" for each in sentence)
    try:
        os.write(2, f"{visible}\n".encode("ascii", "backslashreplace"))
    except OSError:
        return


class Wire:
    """Stdin and stdout of the server. Creating a Wire takes both away from all other code."""

    __slots__ = ("_fits", "_in", "_left_at", "_out", "_poll", "_room", "_seconds")

    def __init__(self) -> None:
        self._in = os.dup(0)
        self._out = os.dup(1)
        self._poll: select.poll | None = None
        self._fits = _ROOM_AT_FIRST
        self._room: OutputRoom | None = None
        self._left_at = 0.0
        self._seconds = LAST_SECONDS
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 0)
        os.dup2(2, 1)
        os.close(null)
        sys.stdout = sys.stderr  # line-buffered, so that output of hooks appears at once.
        # The parent process may have made stdin or stdout non-blocking. Make both blocking: a read without input would
        # else fail, which `read_ready` takes for the end of the input.
        if os.name == "posix":
            os.set_blocking(self._in, True)
            os.set_blocking(self._out, True)

    def watch(self) -> None:
        """From now on, end the process if the client closes its end of stdout, even while nothing is written."""
        import select  # imported here: a C module that the start does not need

        if hasattr(select, "poll"):
            self._poll = select.poll()
            self._poll.register(self._in, select.POLLIN)
            self._poll.register(self._out, 0)

    def read(self) -> bytes:
        """Wait for input and return at least one byte, or b"" at the end of the stream."""
        if self._poll is not None:
            self._wait(self._poll)
        return self.read_ready()

    def read_ready(self) -> bytes:
        """Return the available input, or b"" at the end of the stream.

        Call it only if input is known to be available.
        """
        try:
            return os.read(self._in, _CHUNK)
        except OSError:
            return b""

    def tell_loop(self, ready: Callable[[], None] | None) -> bool:
        """Make the running event loop call `ready` whenever input is available; None stops this.

        Return False if the loop cannot wait for stdin: for a file, or on Windows.
        """
        from asyncio import get_running_loop  # imported late, at no cost: a loop runs, so asyncio is loaded

        try:
            if ready is not None:
                get_running_loop().add_reader(self._in, ready)
            else:
                get_running_loop().remove_reader(self._in)
        except (NotImplementedError, OSError):
            return False
        return True

    def write(self, lines: bytes) -> None:
        """Write all of `lines` to stdout. While stdin is open, wait for the client to read as long as needed.

        End the process if the client has closed stdin and reads nothing for `LAST_SECONDS`, or for the seconds that
        `hurry` has set.
        """
        self._fits -= len(lines)
        if self._fits < 0 and self._room is None:
            self._room = OutputRoom(self._in, self._out, self._seconds)
        rest = memoryview(lines)
        try:
            while rest:
                size = len(rest) if self._room is None else self._room.wait(len(rest))
                rest = rest[os.write(self._out, rest[:size]) :]
        except OSError:
            leave(0)

    def attended(self) -> bool:
        """Return True while a client may wait for answers: until `LAST_SECONDS` after it closed stdin.

        If the client closed its end of stdout, end the process.
        """
        import select  # imported here: a C module that the start does not need

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
        """Allow the client at most `seconds` from now to read, so that output has room again."""
        self._seconds = seconds
        if self._room is not None:
            self._room.seconds = seconds

    def _wait(self, poll: select.poll) -> None:
        import select

        for descriptor, event in poll.poll():
            if event & select.POLLNVAL:  # this descriptor cannot be polled, so only reading shows its end
                self._poll = None
            elif descriptor == self._out and event & (select.POLLERR | select.POLLHUP):
                leave(0)


class OutputRoom:
    """Free space in stdout, for writes that do not block. It ends the process if the client has left and reads nothing.

    A blocked write would not notice that stdin was closed. The descriptors stay blocking, because other programs, such
    as the shell of a terminal, share that setting.

    A Linux pipe consists of pages, and each write begins a new page. So the number of free pages follows from the sizes
    of the recent writes and the number of unread bytes.
    """

    __slots__ = ("_both", "_free", "_left", "_out", "_pages", "_size", "_sizes", "_writing", "seconds")

    def __init__(self, stdin: int, stdout: int, seconds: float) -> None:
        """Register stdin and stdout with poll. `seconds`: how long to wait for a client that has closed stdin and reads
        nothing.
        """
        import select  # imported late: a C module that only longer output needs

        self.seconds = seconds
        self._out = stdout
        self._size = getattr(select, "PIPE_BUF", _CHUNK)  # a write of this size does not block if poll reports room
        self._pages = _capacity(stdout) // _PAGE
        self._free = 0
        self._sizes: list[int] = []
        self._left = stat.S_ISREG(os.fstat(stdin).st_mode)  # no client closes a regular file: waits get a time limit
        self._both: select.poll | None = None
        if hasattr(select, "poll"):
            self._both, self._writing = select.poll(), select.poll()
            self._both.register(stdin, getattr(select, "POLLRDHUP", 0))
            for poll in (self._both, self._writing):
                poll.register(stdout, select.POLLOUT)

    def wait(self, size: int) -> int:
        """Wait until output can be written. Return how many of `size` bytes can be written without blocking."""
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
            if ready[0][1] & select.POLLNVAL:  # stdin cannot be polled, so it is unknown when the client leaves
                self._both = self._writing
            else:
                self._left = True

    def _held(self) -> int:
        """Return the largest number of pages that unread output may occupy in the pipe."""
        left, pages = _unread(self._out), 0
        for at in range(len(self._sizes) - 1, -1, -1):
            if left <= 0:
                del self._sizes[: at + 1]
                break
            left -= self._sizes[at]
            pages += _pages(self._sizes[at])
        # If more bytes are unread than the recorded writes contain, the others are from older writes. Their number of
        # pages is unknown, so assume that they fill the pipe
        return self._pages if left > 0 else pages


def _pages(size: int) -> int:
    """Return the number of memory pages that `size` bytes need in a pipe."""
    return -(-size // _PAGE)


def _capacity(descriptor: int) -> int:
    """Enlarge the pipe at `descriptor` if it is small, and return its capacity in bytes.

    Return 0 if `descriptor` is not a pipe, or if the capacity is unknown.
    """
    if not stat.S_ISFIFO(os.fstat(descriptor).st_mode):
        return 0
    from ..tuning.pipe_size import enlarged  # imported here: only long answers need it

    return enlarged(descriptor)


def _unread(pipe: int) -> int:
    """Return how many bytes in the pipe the client has not read yet."""
    import fcntl  # imported here: some systems lack this module, but here it has already read the pipe's capacity
    import termios  # imported here: only long answers need it

    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, b"\0\0\0\0"), sys.byteorder)
