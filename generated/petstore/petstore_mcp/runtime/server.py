# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Joins the wire, the protocol and the engine. No rules in here.

Two threads meet: the main thread reads and asks the protocol, the engine's thread reports what became of calls, and
reads in the other's place while calls run (stdin_handoff.py). One lock covers the protocol *and* the writing of what it
answered, so an answer and the state that allowed it are never apart: once a cancel has been received, nothing about
that call can still be on its way. An answer may be held for others that are about to be ready (framing.Outbox), but it
leaves before another message is looked at, and before anything is begun that takes long.

With --reload a third thread may bring another table, between two messages: what is done about a message, up to the
submitting of its calls, is one turn, and so is the change of the table.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` without the enumerations it builds when it is imported
import os
import sys
import time
from _thread import allocate_lock

from .core.catalog import Catalog, CatalogError
from .core.effects import Answered, Call, Cancel, Expect, Note, Read, Rejected, Send
from .core.framing import Inbox, Outbox
from .core.jsonrpc import parse
from .core.protocol import Protocol
from .core.stdio import LAST_SECONDS, Wire, before_leaving, complain, fill_gaps, leave, leave_by_signal
from .core.wire_formats import Contents, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .calls import execution
    from .core.audit import Audit
    from .core.effects import Effect
    from .core.framing import Line
    from .core.subscriptions import Subscriptions
    from .serve.engine import Engine, Outcome
    from .serve.stdin_handoff import Lending
    from .settings.settings import Settings

#: What the last answers have to be written, where finishing what ran took all the time.
_A_MOMENT = 0.4
#: By how many more objects than were given back, and after how many rounds among the younger, cycles are looked for.
_COLLECTED = 2000, 10, 10
# Decision 0154: One piece of 4 MiB is given back to glibc at the start.
#: Bytes of one piece of memory that glibc keeps for the next one, once such a piece was given back: any larger one than
#: it knew so far it would take from the system each time, with pages to clear. asyncio takes 256 KiB for every read.
_KEPT = 4 * 1024 * 1024
#: Bytes of a message from which on it takes a while to parse it.
_LONG = 64 * 1024
# Decision 0086: Wrong settings end the start with 78.
#: EX_CONFIG of sysexits.h: the server cannot start with the files or the settings it has.
EXIT_CONFIG = 78

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_CROWDED = Result.error("The server was stopped before it came to this call. Nothing was sent.")
_CUT = Result.error("The server was stopped before the upstream answered. The request may have taken effect.")
_UNSENT = Result.error("The server was stopped before it was the request's turn. Nothing was sent.")


class Server:
    """Serves one client until it closes stdin."""

    def __init__(
        self, catalog: Catalog, wire: Wire, settings: Settings | None, subscriptions: Subscriptions | None = None
    ) -> None:
        """`settings` None means that none was made; `subscriptions` are there where another table may come."""
        self._catalog = catalog
        self._wire = wire
        self._settings = settings
        self._protocol = Protocol(catalog, subscriptions)
        self._turn = allocate_lock()
        self._lock = allocate_lock()
        self._engine: Engine | None = None
        self._inbox = Inbox()
        self._outbox = Outbox(wire.write, time.monotonic)
        self._lending: Lending | None = None
        self._caller: execution.Caller | None = None
        self._audit: Audit | None = None

    def record(self, audit: Audit) -> None:
        """Have every call recorded there."""
        self._audit = audit
        before_leaving(audit)

    def serve(self) -> None:
        """Read, answer, and at the end of stdin finish what is running."""
        inbox = self._inbox
        while True:
            while inbox.first is not None:
                self._take(inbox.pop())
            if inbox.ended:
                break
            if self._lending is not None and self._lending.lend():
                self._flush()  # behind the end of the loan: whoever holds a line meanwhile has the lock, or sees it
            else:
                inbox.feed(self._wire.read())
        with self._lock:
            unanswered = self._protocol.closed()
        for effect in unanswered:
            self._do(effect)
        if self._engine is not None:
            self._drain(self._engine)
        for answer in self._protocol.cut(_cut):
            self._outbox.write(answer)

    def _drain(self, engine: Engine) -> None:
        """Finish what is running, and come back with the lock: nothing is reported any more."""
        end = time.monotonic() + LAST_SECONDS
        engine.drain(LAST_SECONDS)
        left = max(end - time.monotonic(), _A_MOMENT)
        self._wire.hurry(left)
        if not self._lock.acquire(timeout=left):
            leave(0)  # somebody writes to a client that takes nothing

    def renew(self, catalog: Catalog, settings: Settings) -> None:
        """Serve that table from the next message on; the calls that were begun go on with theirs."""
        with self._turn:
            self._catalog, self._settings = catalog, settings
            if self._audit is not None:
                self._audit.renew(catalog, lambda: _secrets(settings, catalog))
            if self._engine is not None:
                self._engine.renew(lambda: self._load(catalog, settings))
            with self._lock:
                if lines := self._protocol.renew(catalog):
                    self._outbox.write(lines)

    def _take(self, line: Line) -> None:
        size = len(line) if isinstance(line, bytes) else 0
        if size > _LONG:
            self._flush()
        message = parse(line)
        with self._turn:
            with self._lock:
                self._outbox.flush()  # else it could be a cancel of what is answered in there
                effects = self._protocol.receive(message)
                for effect in effects:
                    if isinstance(effect, Send):
                        for piece in effect.pieces:
                            self._outbox.write(piece)
            for effect in effects:  # without the lock: a submit may have to wait for a call that waits for the lock
                self._do(effect, size)

    def _do(self, effect: Effect, size: int = 0) -> None:
        if isinstance(effect, Call):
            self._begin(effect, size)
        elif isinstance(effect, Rejected):
            if self._audit is not None:
                self._audit.reject(effect)
        elif isinstance(effect, Read):
            caller = self._caller  # there is nothing to read before there is one
            if caller is None:
                self.done(effect.key, Contents(effect.uri, None))
            else:
                self.done(effect.key, caller.resources.look_up(effect.uri))
        elif isinstance(effect, Cancel):
            if self._audit is not None:
                self._audit.end(effect.key, "cancelled")
            self._running().cancel(effect.key)
        elif isinstance(effect, Answered):
            self._running().answer(effect.key, effect.reply)
        elif isinstance(effect, Expect):
            self._running()
        elif isinstance(effect, Note):
            from .core import log

            log.event("warning", "unanswerable_message", reason=effect.sentence)

    def _begin(self, call: Call, size: int) -> None:
        if self._audit is not None and (refusal := self._audit.begin(call)):
            self.done(call.key, refusal)
            return
        if not self._running().submit(call, self, size):
            self.done(call.key, _CROWDED)

    def _running(self) -> Engine:
        if self._engine is None:
            from .serve.engine import Engine

            catalog, settings = self._catalog, self._settings
            self._engine = Engine(lambda: self._load(catalog, settings))
            self._wire.watch()
            from .serve.stdin_handoff import Lending  # behind the engine, of which it lends to

            self._lending = Lending(self._engine, self._wire, self._inbox, self._take)
        return self._engine

    def _load(self, catalog: Catalog, settings: Settings | None) -> execution.Caller:
        """In the engine's thread: the HTTP side, which takes ten times as long as all of the above."""
        try:
            from .calls.execution import Caller
            from .serve import preload
        except ModuleNotFoundError as problem:
            from .core import log
            from .serve import libraries

            if advice := libraries.advise(problem):
                log.event("error", "not_installed", reason=advice)
            raise
        from .settings.settings import load

        settings = settings or load(catalog, {})
        if self._caller is not None:
            self._caller = self._caller.following(catalog, settings)
        else:
            self._caller = Caller(catalog, settings)
            self._caller.report()
            preload.load(catalog, settings)
            _settle()
        return self._caller

    # What the engine tells of calls (engine.Listener).

    def attended(self) -> bool:
        """Whether anybody waits for answers."""
        return self._wire.attended()

    def done(self, key: int, outcome: Outcome) -> None:
        """That call is over: record it and answer."""
        if self._audit is not None:
            self._audit.end(key, outcome)
        with self._lock:
            line = self._protocol.finished(key, outcome)
            if line is not None:
                self._tell(line)

    def _tell(self, line: bytes) -> None:
        """Write what became of a call, or hold it while more may be ready in the same turn of the loop."""
        if not self._may_hold():
            self._outbox.write(line)
        elif self._outbox.hold(line):
            self._running().soon(self._flush)

    def _may_hold(self) -> bool:
        """Whether that is worth it, and waits for nothing long: other calls are at work, no code of the user's runs in
        them, which takes any time, and where something else holds up the loop, the main thread notices.
        """
        if self._lending is None or self._engine is None or self._caller is None:
            return False
        return self._lending.lent and self._engine.others and not self._caller.hooked

    def _flush(self) -> None:
        with self._lock:
            self._outbox.flush()

    def ask(self, key: int, question: str | None) -> bool:
        """Put its question to the client, or take it back; whether there was a line to be written."""
        with self._lock:
            line = self._protocol.withdraw(key) if question is None else self._protocol.ask(key, question)
            if line is not None:
                self._outbox.write(line)
            return line is not None

    def progress(self, key: int, done: float, message: str) -> None:
        """So much of it is done, if the client wants to know. It leaves now, so that no answer leaves with it."""
        with self._lock:
            line = self._protocol.progress(key, done, None, message)
            if line is not None:
                self._outbox.write(line)


def _cut(call: Call | None) -> Result:
    """What is said of a call that will not finish any more; from here on it sends nothing."""
    return _CUT if call is None or call.span is None or call.span.end() else _UNSENT


def _settle() -> None:
    """What was loaded stays until the end, so cycles of garbage are not looked for in it, and elsewhere more seldom: a
    call leaves hardly any. And the memory of an answer is kept for the next.
    """
    import gc  # late, since nothing is worth it before the first call

    bytes(_KEPT)
    gc.freeze()
    gc.set_threshold(*_COLLECTED)


def main() -> int:
    """Serve, or do what the command line says. The exit code."""
    gaps = fill_gaps()
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(_signal, name) and not (name == "SIGHUP" and _is_ignored(name)):  # nohup
            # A handler, since the default does nothing to process 1 of a container.
            _signal.signal(getattr(_signal, name), lambda number, frame: leave_by_signal(128 + number))
    try:
        catalog = Catalog.load(_PACKAGE, held="--reload" in sys.argv)
    except CatalogError as problem:
        complain(str(problem))
        return EXIT_CONFIG
    settings = None
    if len(sys.argv) > 1:
        from .serve.commands import run

        outcome = run(sys.argv[1:], catalog)
        if isinstance(outcome, int):
            return outcome
        settings = outcome
    elif catalog.roles or any(name.startswith(f"{catalog.prefix}_") for name in os.environ):
        from .settings.settings import load

        settings = load(catalog, os.environ)
    if settings is not None and not _settled(settings, catalog):
        return EXIT_CONFIG
    server = _server(catalog, settings)
    if settings is not None and settings.audit:
        try:
            server.record(_audit(settings.audit, settings, catalog, gaps))
        except OSError:
            complain(f"{settings.prefix}_AUDIT must name a file that can be made and appended to, or stderr.")
            return EXIT_CONFIG
    server.serve()
    return leave(0)  # at once: a thread that looks up a host name would hold up an orderly end


# Decision 0004: SIGHUP stays ignored where it was ignored.
def _is_ignored(name: str) -> bool:
    """Return whether whoever started the server had that signal ignored, which programs inherit."""
    return bool(_signal.getsignal(getattr(_signal, name)) == _signal.SIG_IGN)


def _audit(path: str, settings: Settings, catalog: Catalog, gaps: list[int]) -> Audit:
    """Where calls are recorded; `gaps` are the descriptors that nobody has given us. Raises OSError."""
    from .core.audit import STDERR, Audit  # most operators keep none

    if path == STDERR and 2 in gaps:
        raise OSError
    return Audit(path, catalog, lambda: _secrets(settings, catalog), settings.audit_arguments)


def _secrets(settings: Settings, catalog: Catalog) -> list[str]:
    from .settings.credentials import sensitive  # part of the caller, and not to be waited for

    return sensitive(catalog.security, settings)


def _server(catalog: Catalog, settings: Settings | None) -> Server:
    """The server; with --reload, it is told of the tables that come."""
    if settings is None or settings.again is None:
        return Server(catalog, Wire(), settings)
    from .core.subscriptions import Subscriptions  # as above
    from .serve.reload import Watch  # late, since few ask for it

    server = Server(catalog, Wire(), settings, Subscriptions())
    Watch(_PACKAGE, catalog, settings.again, server.renew).start()
    return server


def _settled(settings: Settings, catalog: Catalog) -> bool:
    """Whether the server can start with these settings; if not, what is wrong has been said, a sentence a line."""
    for problem in settings.problems:
        complain(problem)
    settings.apply(catalog)
    return not settings.problems
