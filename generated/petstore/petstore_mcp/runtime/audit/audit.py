# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Audit log: one JSON line per call, so that an operator can later say who did what.

A line names the caller, the tool, its HTTP request, the outcome and the duration. Arguments are left out by default; if
the operator asks for them, secrets are removed first. Each call has exactly one line, however the call ends: the first
report of its end removes the call from the open calls, and only then writes the line.

The audit fails closed. A line that cannot be written waits in memory, and no other call is made until the line has been
written. The file is append-only and is created readable by its owner alone. A symbolic link that other users could have
created is never followed. If log rotation moves the file away, a new file is begun.
"""

from __future__ import annotations

import os
import time
from _thread import allocate_lock, get_ident
from bisect import bisect_right

from ..core import log
from ..core.effects import Call, Complete, Dialogue, Fetch, TaskRequest
from ..core.jsonrpc import dumps
from ..core.spans import Span
from ..core.stdio import leave
from ..core.wire_formats import Contents, Failure, Question, Result, Task
from ..files.safe_open import HAS_OPENAT, LinkFound, open_below, without_links

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..core.catalog import Catalog
    from ..core.effects import RejectedCall
    from ..core.wire_formats import Outcome
    from ..text.redaction import Redactor

STDERR = "stderr"
FORMAT = 1
#: Largest line in bytes: what a Linux pipe accepts in one write, so that lines of several processes do not mix.
LONGEST = 4096
#: Largest sizes in bytes, as JSON, of a name and of the HTTP request in an audit line. So a line fits into LONGEST.
LONGEST_NAME = 240
LONGEST_REQUEST = 600
#: Largest number of lines that wait to be written. Further lines are lost and counted.
MOST_WAITING = 5000

_NO_FILE = "must name a regular file that can be appended to, not a link, or stderr"
UNWRITABLE = "was not called. This server must keep a record of each call, and cannot write it. Its log says more."
_ASKED_AND_NO = ("decline", "cancel")

_FLAGS = os.O_WRONLY | os.O_APPEND


def problem(path: str) -> str:
    """Return the reason why audit lines cannot be written to `path`, or "" if they can.

    The reason is a predicate, such as "must name a regular file". No file is created.
    """
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


# An existing file keeps its mode, which its owner may have set on purpose. A new file gets 0600.
def _opened(path: str, flags: int) -> int:
    """Open the regular file at `path` for appending and return its descriptor. Raise OSError if that fails."""
    root, *steps = without_links(path).split("/") if HAS_OPENAT else path.rpartition(os.sep)[::2]
    return open_below(root or "/", steps, _FLAGS | flags)


class _Guard:
    """Lock that also delays the end of the process while the main thread holds the lock.

    Signals are handled in the main thread. Without the delay, a signal could end the process after a call was removed
    from the open calls and before its line was written.
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
        """Return True if the main thread holds the audit's lock. The process then exits with `code` at the release."""
        self._code = code if self._busy else None
        return self._busy


class _Entry:
    """A call that has not ended. `request`: METHOD and path. `version`: version of the server when the call began."""

    __slots__ = ("arguments", "call", "request", "started", "version")

    def __init__(self, call: Call, started: float, arguments: str, request: str, version: str) -> None:
        self.call = call
        self.started = started
        self.arguments = arguments
        self.request = request
        self.version = version


# An audit log with gaps proves nothing, so calls are refused until the line is written (docs/decisions/calls.md).
class Audit:
    """Audit log of one server.

    Only the main thread may create the log and begin a client's call. Any thread may begin a call that another call
    makes, and may report the end of a call.
    """

    def __init__(
        self,
        path: str,
        catalog: Catalog,
        secrets: Callable[[], list[str]],
        with_arguments: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Open the audit log. Raise OSError if the log cannot be written.

        `path`: an absolute path, or STDERR. `secrets` returns the secrets to remove from lines that are written before
        the tool executor is loaded.
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
        """Replace the catalog, and the function `secrets`, which returns the secrets to remove from lines."""
        with self._guard:
            self._catalog, self._secrets, self._redactor = catalog, secrets, None

    def begin(self, call: Call) -> Result | None:
        """Record that a call begins and return None.

        If the call cannot be recorded, return the error result to answer with.
        """
        call.span = call.span or Span(call.origin)
        arguments = ""
        if self._with_arguments:
            from ..secrets.secret_words import without_named_secrets  # imported here: most servers keep no audit

            arguments = dumps(without_named_secrets(call.arguments)).decode()
        with self._guard:
            self._open[call.key] = self._entry(call, arguments)
            if self._written():
                return None
        call.span.refused = True
        return Result.error(f"{call.name} {UNWRITABLE}")

    def end(self, key: int, outcome: Outcome | str) -> None:
        """Write an ended call's line if it is not written yet. `outcome`: the result, or a word such as `cancelled`."""
        with self._guard:
            self._end(key, outcome)

    def reject(self, rejected: RejectedCall) -> None:
        """Write a line for a call that was answered with a protocol error: an unknown tool or a malformed request."""
        name = _fitting(self._redacted(rejected.name), LONGEST_NAME) if isinstance(rejected.name, str) else ""
        call = Call(0, name, {}, None, Dialogue("", ""), rejected.origin)
        with self._guard:
            self._record(self._line(self._entry(call), "rejected"))

    def cut(self) -> None:
        """Write a line with the outcome "cut" for every open call, because the process ends."""
        with self._guard:
            for key in list(self._open):
                self._end(key, "cut")

    def _end(self, key: int, outcome: Outcome | str) -> None:
        if entry := self._open.pop(key, None):
            self._record(self._line(entry, outcome))

    def _entry(self, call: Call, arguments: str = "") -> _Entry:
        sent = call.fetch() if isinstance(call, Complete) else call
        request = sent.request if isinstance(sent, Fetch) else ""
        if call.kind == "tool":
            request = self._catalog.request_of(call.name)
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
            **self._caller(span),
            **_peer(span),
            **_called(call),
            "request": _fitting(entry.request, LONGEST_REQUEST),
            "outcome": outcome if isinstance(outcome, str) else _named(outcome, span),
            "status": span.status or None,
            "ms": round((self._clock() - entry.started) * 1000),
            "requests": span.requests,
            "sent": span.sent,
            "received": span.received,
        }
        if span.account:
            told["account"] = span.account
        if span.program:
            told["program"] = span.program
        if span.confirmation:
            told["confirmation"] = span.confirmation
        if span.questions:
            answers = (f"{name} {said}" for name, said in span.questions.items())
            told["questions"] = _fitting(", ".join(answers), LONGEST_NAME)
        if span.rewritten:
            told["rewritten"] = span.rewritten
        if span.parsed:
            told["parsed"] = _fitting(", ".join(span.parsed), LONGEST_NAME)
        if span.within:
            told["within"] = span.within
        if self._with_arguments:
            if span.looked_up:
                told["looked_up"] = _fitting(self._redacted(dumps(span.looked_up).decode()), LONGEST_NAME)
            told["arguments"] = ""
            told["arguments"] = _clipped(self._redacted(entry.arguments), LONGEST - len(dumps(told)) - 1)
        return dumps(told) + b"\n"

    def _client(self, said: object) -> dict[str, str] | None:
        """Return the name and version by which the client calls itself. They are not verified."""
        if not isinstance(said, dict):
            return None
        named = {key: said[key] for key in ("name", "version") if isinstance(said.get(key), str)}
        return {key: _fitting(self._redacted(value), LONGEST_NAME) for key, value in named.items()} or None

    def _caller(self, span: Span) -> dict[str, object]:
        """Return the fields of a caller with a checked access token: subject, issuer and client id; else {}.

        They take the place of the unverified fields of the same name.
        """
        caller = span.origin.peer.identity if span.origin.peer is not None else None
        if caller is None:
            return {}
        told = {"user": caller.subject or caller.client, "issuer": caller.issuer}
        said = self._client(span.origin.client) or {}
        found: dict[str, object] = {key: _fitting(self._redacted(text), LONGEST_NAME) for key, text in told.items()}
        return {**found, "client": {"id": _fitting(self._redacted(caller.client), LONGEST_NAME), **said}}

    def _redacted(self, text: str) -> str:
        if (known := log.without_secrets(text)) is not None:
            return known
        if self._redactor is None:
            from ..text.redaction import Redactor  # imported here: most servers keep no audit

            self._redactor = Redactor(self._secrets())
        return self._redactor.text(text)

    def _written(self) -> bool:
        """Write the waiting lines. Return True if all were written, or False if writing fails."""
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
        """Write as much of the first waiting line as possible.

        If a full disk or a pipe accepts only a part, the rest is written as soon as there is room.
        """
        line = self._waiting[0]
        if self._path == STDERR and not log.writable():
            raise BlockingIOError
        written = os.write(self._descriptor, line[: _at_once()] if self._path == STDERR else line)
        self._waiting[:1] = [line[written:]] if written < len(line) else []

    def _reopen(self) -> None:
        """Open the log anew if its path no longer leads to the open file."""
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


def _peer(span: Span) -> dict[str, object]:
    """Return fields for the HTTP caller: its verified name, a digest of its session, and its network address."""
    peer = span.origin.peer
    if peer is None:
        return {}
    return {"principal": peer.principal or None, "session": peer.session or None, "address": peer.address}


def _called(call: Call) -> dict[str, object]:
    """Return the fields that name what was called: a tool, the URI template of a resource, or a prompt.

    For a request about a task, they name the tool whose call began the task, and the action, such as `cancel`.
    """
    if isinstance(call, TaskRequest):
        return {"tool": call.name or None, "task": call.action}
    return {"tool": call.name} if call.kind == "tool" else {"tool": None, call.kind: call.name}


def _named(outcome: Outcome, span: Span) -> str:
    """Return one word for the outcome of a call, such as ok, error, failed, refused, declined or asked."""
    if isinstance(outcome, Question):
        return "asked"
    if span.confirmation in _ASKED_AND_NO or span.unanswered in _ASKED_AND_NO:
        return "declined"
    if span.refused or span.unanswered or span.confirmation not in ("", "accept"):
        return "refused"
    if isinstance(outcome, Failure):
        return "failed"
    if isinstance(outcome, Task):
        return outcome.status if outcome.answers != "call" else "task"
    if isinstance(outcome, Contents):
        return "error" if outcome.contents is None else "ok"
    return "error" if isinstance(outcome, Result) and outcome.is_error else "ok"


def _fitting(text: str, room: int) -> str:
    """Return the longest beginning of `text` that takes at most `room` bytes inside a JSON string."""
    text = text[:room]
    return text[: bisect_right(range(1, len(text) + 1), room, key=lambda end: len(dumps(text[:end])) - 2)]


def _clipped(text: str, room: int) -> str:
    """Return `text`, cut to at most `room` bytes inside a JSON string.

    A cut text ends with the number of characters of the whole text.
    """
    if (fitting := _fitting(text, room)) == text:
        return text
    end = f"... ({len(text)} characters)"
    return _fitting(fitting, room - len(end)) + end


def _user() -> str:
    """Return the name of the user that the process runs as."""
    try:
        import pwd  # imported here: only audits need this module, which some systems lack

        return pwd.getpwuid(os.getuid()).pw_name
    except (ImportError, KeyError, AttributeError):
        return str(os.getuid()) if hasattr(os, "getuid") else os.environ.get("USERNAME", "")


def _at_once() -> int:
    """Return how many bytes stderr accepts right now without blocking."""
    import select  # imported here: a C module that the start does not need

    return getattr(select, "PIPE_BUF", 4096)
