# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Server over stdio: connects the transport, the protocol, and the event loop that runs calls (the engine).

Two threads use this module. The main thread reads lines and passes them to the protocol. The engine's thread reports
outcomes of calls, and reads stdin in place of the main thread while calls run (`serve/engine.py`). One lock
(`_lock`) is held while the protocol is used and its answers are written. So after a cancel has been received, nothing
more is sent about that call. Answers may be buffered briefly, to be written together (`stdio.Outbox`). They are
written before the next message is handled, and before any long work.

With --reload, a third thread may replace the tools between two messages. A second lock (`_turn`) is held while a
message is handled, including the submission of its calls, and while the tools are replaced. So they never overlap.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` without its enums, which take long to build
import os
import sys
import time
from _thread import allocate_lock

from .core.catalog import Catalog, CatalogError
from .core.effects import Call, Cancel, PollResources, Preload, ReadResource, RejectedCall, Send, UserAnswer
from .core.jsonrpc import parse
from .core.protocol import Protocol, cut_short
from .core.stdio import (
    EXIT_CONFIG,
    LAST_SECONDS,
    Inbox,
    Outbox,
    Wire,
    before_leaving,
    complain,
    fill_gaps,
    leave,
    leave_by_signal,
)
from .core.wire_formats import Contents, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .audit.audit import Audit
    from .calls import execution
    from .core.effects import Effect
    from .core.stdio import Line
    from .core.wire_formats import Asked, Outcome
    from .http_server.listening import Listening
    from .serve.engine import Engine, StdinHandoff
    from .settings.settings import Settings
    from .telemetry.recorder import Recorder
    from .telemetry.reporter import Reporter
    from .watching.poller import Poller
    from .watching.subscriptions import Subscriptions

#: Minimum seconds for writing the last answers when the server ends, however long it waited for running calls.
_A_MOMENT = 0.4
#: Size in bytes from which parsing a message takes long. Buffered answers are written before such a message is parsed.
_LONG = 64 * 1024

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_CROWDED = Result.error("The server was stopped before it came to this call. Nothing was sent.")


class Server:
    """Server for one client over stdio, until the client closes stdin."""

    def __init__(
        self, catalog: Catalog, wire: Wire, settings: Settings | None, subscriptions: Subscriptions | None = None
    ) -> None:
        """Create a server. If `settings` is None, the settings are loaded on first use.

        `subscriptions`: registry of clients' subscriptions to changes, given only if the tools can change (--reload).
        """
        self._catalog = catalog
        self._wire = wire
        self._settings = settings
        self._protocol = Protocol(catalog, subscriptions)
        self._turn = allocate_lock()
        self._lock = allocate_lock()
        self._engine: Engine | None = None
        self._inbox = Inbox()
        self._outbox = Outbox(wire.write, time.monotonic)
        self._lending: StdinHandoff | None = None
        self._caller: execution.ToolExecutor | None = None
        self._audit: Audit | None = None
        self._recorder: Recorder | None = None
        self._poller: Poller | None = None

    def measure(self, reporter: Reporter) -> None:
        """Measure every request from now on, and let `reporter` report the measurements."""
        recorder = self._recorder = reporter.recorder
        self._protocol.observe(recorder)
        reporter.reads_calls(lambda: (0, 0) if self._engine is None else self._engine.numbers)
        before_leaving(reporter)
        reporter.start()

    def record(self, audit: Audit) -> None:
        """Write every call to the audit log `audit` from now on."""
        self._audit = audit
        before_leaving(audit)

    def serve(self) -> None:
        """Read and answer messages. At the end of stdin, finish the running calls."""
        inbox = self._inbox
        while True:
            while inbox.first is not None:
                self._take(inbox.pop())
            if inbox.ended:
                break
            if self._lending is not None and self._lending.lend():
                self._flush()  # write buffered answers here: the event loop, which would write them, may be blocked
            else:
                inbox.feed(self._wire.read())
        with self._lock:
            unanswered = self._protocol.closed()
        for effect in unanswered:
            self._do(effect)
        if self._engine is not None:
            self._drain(self._engine)
        for answer in self._protocol.cut(cut_short):
            self._outbox.write(answer)

    def _drain(self, engine: Engine) -> None:
        """Wait for the running calls, with a time limit. Return with `_lock` held, so that no outcome is sent later."""
        end = time.monotonic() + LAST_SECONDS
        engine.drain(LAST_SECONDS)
        left = max(end - time.monotonic(), _A_MOMENT)
        self._wire.hurry(left)
        if not self._lock.acquire(timeout=left):
            leave(0)  # end the process now: a thread holds `_lock`, stuck in a write that the client does not read

    def renew(self, catalog: Catalog, settings: Settings) -> None:
        """Use the tools of `catalog` from the next message on. Calls that have begun still use the old tools."""
        with self._turn:
            self._catalog, self._settings = catalog, settings
            if self._audit is not None:
                from .audit.recording import secrets  # imported late: few operators keep an audit log

                self._audit.renew(catalog, lambda: secrets(settings, catalog))
            if self._recorder is not None:
                self._recorder.renew(catalog)
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
                self._outbox.flush()  # send buffered answers first: none may follow the cancellation of its call
                effects = self._protocol.receive(message)
                for effect in effects:
                    if isinstance(effect, Send):
                        for piece in effect.pieces:
                            self._outbox.write(piece)
            for effect in effects:  # without the lock: a submit may wait for the end of a call, which needs the lock
                self._do(effect, size)

    def _do(self, effect: Effect, size: int = 0) -> None:
        if isinstance(effect, Call):
            self._begin(effect, size)
        elif isinstance(effect, RejectedCall):
            if self._audit is not None:
                self._audit.reject(effect)
        elif isinstance(effect, ReadResource):
            caller = self._caller  # None before the first call: no results are stored yet
            found = Contents(effect.uri, None) if caller is None else caller.resources.look_up(effect.uri)
            self.done(effect.key, found)
        elif isinstance(effect, Cancel):
            if self._audit is not None:
                self._audit.end(effect.key, "cancelled")
            if self._recorder is not None:
                self._recorder.ended(effect.key, "cancelled")
            self._running().cancel(effect.key)
        elif isinstance(effect, UserAnswer):
            self._running().answer(effect.key, effect.reply)
        elif isinstance(effect, Preload):
            self._running()
        elif isinstance(effect, PollResources):
            self._running().tell(self._poll)

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
            from .serve.engine import StdinHandoff  # late import, so that the loop's longer imports begin first

            self._lending = StdinHandoff(self._engine, self._wire, self._inbox, self._take)
        return self._engine

    def _poll(self) -> None:
        """Poll the resources that the client watches. Runs in the event loop's thread."""
        if self._poller is None:
            from .watching.poller import over_stdio  # imported here: few clients watch resources

            self._poller = over_stdio(self._protocol, self._lock, self._outbox, lambda: self._caller)
        self._poller.wake()

    def _load(self, catalog: Catalog, settings: Settings | None) -> execution.ToolExecutor:
        """Load the modules that call the API, and return the tool executor. Runs in the event loop's thread.

        Loading takes ten times as long as the rest of the start, so it is put off until the event loop is needed.
        """
        try:
            from .serve import preload
            from .tuning import memory
        except ModuleNotFoundError as problem:
            from .commands import libraries
            from .core import log

            if advice := libraries.advise(problem):
                log.event("error", "not_installed", reason=advice)
            raise
        from .settings.settings import load

        settings = settings or load(catalog, {})
        if self._caller is not None:
            self._caller = self._caller.following(catalog, settings)
        else:
            self._caller = preload.executor(catalog, settings)
            self._caller.lasting.record = self._audit
            memory.settle()
        return self._caller

    # Methods by which a call reports its outcome, progress, log messages and questions (work.Listener)

    def attended(self) -> bool:
        """Return True if the client is still connected and waits for answers."""
        return self._wire.attended()

    def done(self, key: int, outcome: Outcome) -> None:
        """Report the outcome of a finished call to the audit log and telemetry, if they are on. Send the response."""
        if self._audit is not None:
            self._audit.end(key, outcome)
        if self._recorder is not None:
            self._recorder.ended(key, outcome)
        with self._lock:
            line = self._protocol.finished(key, outcome)
            if line is not None:
                self._tell(line)

    def _tell(self, line: bytes) -> None:
        """Write the answer of a call. Buffer it instead if other calls may end in the same turn of the event loop."""
        if not self._may_hold():
            self._outbox.write(line)
        elif self._outbox.hold(line):
            self._running().soon(self._flush)

    def _may_hold(self) -> bool:
        """Return True if an answer may be buffered.

        That is so if other calls are running, no user hooks are installed, and the main thread can write the answer if
        the loop stalls.
        """
        if self._lending is None or self._engine is None or self._caller is None:
            return False
        return self._lending.lent and self._engine.others and not self._caller.hooked

    def _flush(self) -> None:
        with self._lock:
            self._outbox.flush()

    def ask(self, key: int, question: Asked | None) -> bool:
        """Send the client a call's question to the user, or cancel the open question if `question` is None.

        Return True if a line was written.
        """
        with self._lock:
            return self._write(self._protocol.withdraw(key) if question is None else self._protocol.ask(key, question))

    def log(self, key: int, level: str, content: object) -> None:
        """Send a log message about a call to the client."""
        with self._lock:
            self._write(self._protocol.log(key, level, content))

    def progress(self, key: int, done: float, message: str, total: float | None = None) -> None:
        """Send progress of a call, if the client wants progress.

        Progress is written at once and never buffered, so that it cannot follow the answer of its call.
        """
        with self._lock:
            self._write(self._protocol.progress(key, done, total, message))

    def _write(self, line: bytes | None) -> bool:
        """Write a line to the client without buffering, and return True. If `line` is None, return False."""
        if line is not None:
            self._outbox.write(line)
        return line is not None


def main() -> int:
    """Run the server, or the command or flag in the command line. Return the exit code.

    If a library or a part of the server is missing, print a sentence that says how to get it.
    """
    try:
        return _run()
    except ModuleNotFoundError as problem:
        from .commands import libraries

        if not (advice := libraries.advise(problem)):
            raise
        complain(advice)
        return EXIT_CONFIG


def _run() -> int:
    gaps = fill_gaps()
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(_signal, name) and not (name == "SIGHUP" and _is_ignored(name)):
            # Set handlers: process 1 of a container ignores signals without one. After nohup, SIGHUP stays ignored.
            _signal.signal(getattr(_signal, name), lambda number, frame: leave_by_signal(128 + number))
    try:
        catalog = Catalog.load(_PACKAGE, held="--reload" in sys.argv)
    except CatalogError as problem:
        complain(str(problem))
        return EXIT_CONFIG
    _tell_lack(catalog)
    settings = None
    if len(sys.argv) > 1:
        from .commands.commands import run

        outcome = run(sys.argv[1:], catalog)
        if isinstance(outcome, int):
            return outcome
        settings = outcome
    # Without such a variable, no setting can be wrong, and no check delays the first answer.
    elif catalog.roles or any(name.startswith((f"{catalog.prefix}_", "OTEL_")) for name in os.environ):
        from .settings.settings import load

        settings = load(catalog, os.environ)
    if settings is not None and not _settled(settings, catalog):
        return EXIT_CONFIG
    audit = None
    if settings is not None and settings["AUDIT"]:
        from .audit.recording import open_audit  # imported late: few operators keep an audit log

        opened = open_audit(settings["AUDIT"], settings, catalog, gaps)
        if isinstance(opened, str):
            complain(opened)
            return EXIT_CONFIG
        audit = opened
    if settings is not None and settings.listening is not None:
        return leave(_over_http(catalog, settings, settings.listening, audit))
    server = _server(catalog, settings)
    if audit is not None:
        server.record(audit)
    server.serve()
    return leave(0)  # exit at once: a normal exit would wait for threads, such as one that looks up a host name


def _tell_lack(catalog: Catalog) -> None:
    """Print a sentence if the server was generated to run models' programs, but the sandbox library is missing."""
    if catalog.listing is not None and catalog.listing.lacking:
        complain(catalog.listing.lack)


# Whoever uses nohup wants the program to survive the end of the terminal session.
def _is_ignored(name: str) -> bool:
    """Return True if the parent process has set the signal to be ignored, as nohup does."""
    return bool(_signal.getsignal(getattr(_signal, name)) == _signal.SIG_IGN)


def _over_http(catalog: Catalog, settings: Settings, listening: Listening, audit: Audit | None) -> int:
    """Serve HTTP instead of stdio. Return the exit code."""
    try:
        from .http_server.over_http import serve  # imported late: stdio needs neither this module nor its libraries
    except ModuleNotFoundError as problem:
        from .commands import libraries

        complain(libraries.advise(problem) or f"--http needs {problem.name}, which is not installed.")
        return EXIT_CONFIG
    if audit is not None:
        before_leaving(audit)
    return serve(_PACKAGE, catalog, settings, listening, audit)


def _server(catalog: Catalog, settings: Settings | None) -> Server:
    """Create the server. With --reload, also start the watch that replaces its tools when their files change."""
    if settings is None:
        return Server(catalog, Wire(), settings)
    if settings.again is None:
        server = Server(catalog, Wire(), settings)
    else:
        from .reload.reload import Watch  # imported late: few servers run with --reload
        from .watching.subscriptions import Subscriptions  # imported late: few servers run with --reload

        server = Server(catalog, Wire(), settings, Subscriptions())
        Watch(_PACKAGE, catalog, settings.again, server.renew).start()
    if settings.telemetry is not None:
        from .telemetry.reporter import reporter  # imported late: few servers send telemetry

        server.measure(reporter(settings.telemetry, catalog, over_http=False))
    return server


def _settled(settings: Settings, catalog: Catalog) -> bool:
    """Return True if the server can start with these settings. Otherwise print a sentence for each problem."""
    for problem in settings.problems:
        complain(problem)
    settings.apply(catalog)
    return not settings.problems
