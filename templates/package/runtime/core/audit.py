# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""The audit stream: one JSON line a call, for whoever must be able to say later who did what.

It says who called, which tool, which request that is, what became of it and how long it took; never what was in it, but
where the operator asks for the arguments, and then without secrets. A call that ends in any way has exactly one line:
whoever reports its end first takes it out of those that are open, and only then writes.

Fails closed. A line that cannot be written is kept, and until it has been no other call is made: what cannot be
recorded does not happen. The file is appended to, is nobody else's to read where we made it, is no link, and is never
reached by one that others could have put there; where it was moved away, as log rotation does, another is begun.
"""

from __future__ import annotations

import os
import time
from _thread import allocate_lock, get_ident
from bisect import bisect_right

from . import log
from .effects import Call, Dialogue, Fetch
from .jsontext import dumps
from .safe_open import HAS_OPENAT, LinkFound, open_below, without_links
from .spans import Span
from .stdio import leave
from .wire_formats import Contents, Failure, Question, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from ..text.redaction import Redactor
    from .catalog import Catalog
    from .effects import Rejected

    Outcome: TypeAlias = Result | Failure | Question | Contents

STDERR = "stderr"
FORMAT = 1
# Decision 0103: An audit file keeps its mode.
#: Bytes of a line: what a pipe of Linux takes at once, so that none mixes with another process's.
LONGEST = 4096
#: Bytes of the other texts in it as they are written, so that each leaves room for the rest.
LONGEST_NAME = 240
LONGEST_REQUEST = 600
#: Lines that wait: those of the calls that run, and of refused ones. One more is lost, and counted.
MOST_WAITING = 5000

_NO_FILE = "must name a regular file that can be appended to, not a link, or stderr"
UNWRITABLE = "was not called. This server must keep a record of each call, and cannot write it. Its log says more."
_ASKED_AND_NO = ("decline", "cancel")

_FLAGS = os.O_WRONLY | os.O_APPEND


def problem(path: str) -> str:
    """Why lines could not be written there, as the rest of a sentence; "" where they could. Leaves nothing behind."""
    if path == STDERR:
        return ""
    try:
        os.close(_opened(path, 0))
    except LinkFound:
        if not os.path.islink(path):
            return "must name a file without links on the way that others could have put there; name where they lead"
        return _NO_FILE
    except FileNotFoundError:
        folder = os.path.dirname(path)
        if os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK):
            return ""
        return "must name a file in a folder that can be written to"
    except OSError:
        return _NO_FILE
    return ""


def _opened(path: str, flags: int) -> int:
    """A descriptor to append to that regular file. Raises OSError."""
    root, *steps = without_links(path).split("/") if HAS_OPENAT else path.rpartition(os.sep)[::2]
    return open_below(root or "/", steps, _FLAGS | flags)


class _Guard:
    """Excludes other threads; and on the main one, where signals are heard, it holds off the end of the process, which
    would come between a call that was taken out and its line.
    """

    __slots__ = ("_busy", "_code", "_lock", "_main")

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._main = get_ident()
        self._busy = False
        self._code: int | None = None

    def __enter__(self) -> None:
        if get_ident() == self._main:
            self._busy = True
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()
        if get_ident() == self._main:
            self._busy = False
            code, self._code = self._code, None
            if code is not None:
                leave(code)

    def postpones(self, code: int) -> bool:
        """Whether the main thread, which asks, is inside: it will leave with that code when it comes out."""
        self._code = code if self._busy else None
        return self._busy


class _Entry:
    """A call from its beginning on, with the request that it is by the table that is served then."""

    __slots__ = ("arguments", "call", "request", "started", "version")

    def __init__(self, call: Call, started: float, arguments: str, request: str, version: str) -> None:
        self.call = call
        self.started = started
        self.arguments = arguments
        self.request = request
        self.version = version


# Decision 0102: The audit fails closed.
class Audit:
    """The audit stream of one server. The main thread makes it and begins calls, any thread may report their end."""

    def __init__(
        self,
        path: str,
        catalog: Catalog,
        secrets: Callable[[], list[str]],
        with_arguments: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`path` is absolute, or STDERR; `secrets` are asked for where the caller, which has them, is not there yet.
        Raises OSError where it cannot be written.
        """
        self._path = path
        self._catalog = catalog
        self._secrets = secrets
        self._redactor: Redactor | None = None
        self._with_arguments = with_arguments
        self._clock = clock
        self._open: dict[int, _Entry] = {}
        self._waiting: list[bytes] = []
        self._lost = 0
        self._broken = False
        self._guard = _Guard()
        self.postpones = self._guard.postpones
        self._descriptor = 2 if path == STDERR else _opened(path, os.O_CREAT)
        self._user = _user()

    def renew(self, catalog: Catalog, secrets: Callable[[], list[str]]) -> None:
        """Another table is served from now on, whose calls may need other credentials."""
        with self._guard:
            self._catalog, self._secrets, self._redactor = catalog, secrets, None

    def begin(self, call: Call) -> Result | None:
        """Note that a call begins. What to answer instead, where no record of it can be kept."""
        call.span = call.span or Span(call.origin)
        arguments = dumps(call.arguments).decode() if self._with_arguments else ""
        with self._guard:
            self._open[call.key] = self._entry(call, arguments)
            if self._written():
                return None
        call.span.refused = True
        return Result.error(f"{call.name} {UNWRITABLE}")

    def end(self, key: int, outcome: Outcome | str) -> None:
        """Note what became of a call, or in a word why there is no outcome. The first who says so of a call counts."""
        with self._guard:
            self._end(key, outcome)

    def reject(self, rejected: Rejected) -> None:
        """Note a call that was answered with an error of the protocol: of a tool that is not there, or malformed."""
        name = _fitting(self._redacted(rejected.name), LONGEST_NAME) if isinstance(rejected.name, str) else ""
        call = Call(0, name, {}, None, Dialogue("", ""), rejected.origin)
        with self._guard:
            self._record(self._line(self._entry(call), "rejected"))

    def cut(self) -> None:
        """The process ends: whatever is open was cut short."""
        with self._guard:
            for key in list(self._open):
                self._end(key, "cut")

    def _end(self, key: int, outcome: Outcome | str) -> None:
        if entry := self._open.pop(key, None):
            self._record(self._line(entry, outcome))

    def _entry(self, call: Call, arguments: str = "") -> _Entry:
        request = call.request if isinstance(call, Fetch) else self._catalog.request_of(call.name)
        return _Entry(call, self._clock(), arguments, request, self._catalog.version)

    def _record(self, line: bytes) -> None:
        if len(self._waiting) < MOST_WAITING:
            self._waiting.append(line)
        else:
            self._lost += 1
        self._written()

    def _line(self, entry: _Entry, outcome: Outcome | str) -> bytes:
        call = entry.call
        span = call.span or Span(call.origin)
        told: dict[str, object] = {
            "audit": FORMAT,
            "time": log.timestamp(),
            "call": span.call,
            "server": self._catalog.name,
            "version": _fitting(entry.version, LONGEST_NAME),
            "pid": os.getpid(),
            "user": self._user,
            "client": self._client(span.origin.client),
            **_called(call),
            "request": _fitting(entry.request, LONGEST_REQUEST),
            "outcome": outcome if isinstance(outcome, str) else _named(outcome, span),
            "status": span.status or None,
            "ms": round((self._clock() - entry.started) * 1000),
            "requests": span.requests,
            "sent": span.sent,
            "received": span.received,
        }
        if span.confirmation:
            told["confirmation"] = span.confirmation
        if span.rewritten:
            told["rewritten"] = span.rewritten
        if span.parsed:
            told["parsed"] = _fitting(", ".join(span.parsed), LONGEST_NAME)
        if self._with_arguments:
            told["arguments"] = ""
            told["arguments"] = _clipped(self._redacted(entry.arguments), LONGEST - len(dumps(told)) - 1)
        return dumps(told) + b"\n"

    def _client(self, said: object) -> dict[str, str] | None:
        """What the client calls itself; nobody has checked that."""
        if not isinstance(said, dict):
            return None
        named = {key: said[key] for key in ("name", "version") if isinstance(said.get(key), str)}
        return {key: _fitting(self._redacted(value), LONGEST_NAME) for key, value in named.items()} or None

    def _redacted(self, text: str) -> str:
        known = log.without_secrets(text)
        if known is not None:
            return known
        if self._redactor is None:
            from ..text.redaction import Redactor  # most servers record nothing, and most calls come to where one is

            self._redactor = Redactor(self._secrets())
        return self._redactor.text(text)

    def _written(self) -> bool:
        """Whether everything that waited has been written by now."""
        try:
            while self._waiting:
                self._reopen()
                self._write()
        except OSError:
            if not self._broken:
                log.event("error", "audit_unwritable", reason="No call is made until the audit can be written again.")
            self._broken = True
            return False
        if self._broken:
            log.event("warning", "audit_written_again", lost=self._lost)
            self._broken, self._lost = False, 0
        return True

    def _write(self) -> None:
        """The first line, at once. What a full disk leaves of it, or a pipe that takes less, comes as soon as there is
        room.
        """
        line = self._waiting[0]
        if self._path == STDERR and not log.writable():
            raise BlockingIOError
        written = os.write(self._descriptor, line[: log.at_once()] if self._path == STDERR else line)
        self._waiting[:1] = [line[written:]] if written < len(line) else []

    def _reopen(self) -> None:
        """Begin another file where ours is not at its place any more."""
        if self._path == STDERR:
            return
        try:
            there, ours = os.stat(self._path, follow_symlinks=False), os.fstat(self._descriptor)
            if (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino):
                return
        except FileNotFoundError:
            pass
        opened = _opened(self._path, os.O_CREAT)
        os.close(self._descriptor)
        self._descriptor = opened


def _called(call: Call) -> dict[str, object]:
    """What was called: a tool, or a resource by the template of its URI."""
    return {"tool": None, "resource": call.name} if isinstance(call, Fetch) else {"tool": call.name}


def _named(outcome: Outcome, span: Span) -> str:
    """The outcome in a word."""
    if isinstance(outcome, Question):
        return "asked"
    if span.confirmation in _ASKED_AND_NO:
        return "declined"
    if span.refused or span.confirmation not in ("", "accept"):
        return "refused"
    if isinstance(outcome, Failure):
        return "failed"
    failed = outcome.contents is None if isinstance(outcome, Contents) else outcome.is_error
    return "error" if failed else "ok"


def _fitting(text: str, room: int) -> str:
    """As much of the beginning as takes that many bytes where it is written."""
    text = text[:room]
    return text[: bisect_right(range(1, len(text) + 1), room, key=lambda end: len(dumps(text[:end])) - 2)]


def _clipped(text: str, room: int) -> str:
    """The same, and how much there was."""
    if (fitting := _fitting(text, room)) == text:
        return text
    end = f"... ({len(text)} characters)"
    return _fitting(fitting, room - len(end)) + end


def _user() -> str:
    """The user that the process runs as."""
    try:
        import pwd  # only an audit asks, and not every system has it

        return pwd.getpwuid(os.getuid()).pw_name
    except (ImportError, KeyError, AttributeError):
        return str(os.getuid()) if hasattr(os, "getuid") else os.environ.get("USERNAME", "")
