"""Test server.py: one lock guards the protocol and its output, and only whole lines are written."""

from __future__ import annotations

import contextlib
import json
import os
import threading
from collections.abc import Callable
from typing import Any, cast

import pytest
from package.runtime import server
from package.runtime.core.catalog import Catalog
from package.runtime.core.jsonrpc import parse
from package.runtime.core.stdio import OutputRoom, Wire
from package.runtime.core.wire_formats import Result
from package.runtime.server import Server

from tests.runtime.conversation import TABLE
from tests.runtime.process import fill
from tests.runtime.revisions import R4
from tests.runtime.test_protocol import call, request


class Watched:
    """Fake of stdin, stdout and the event loop. It checks whether the server's lock is held."""

    def __init__(self, said: list[bytes]) -> None:
        self.said = said
        self.written: list[bytes] = []
        self.asked: list[bool] = []
        self.answers: list[object] = []
        self.server = cast(Any, Server(Catalog.load(str(TABLE)), cast(Any, self), None))
        self.server._engine = self
        receive = self.server._protocol.receive
        self.server._protocol.receive = lambda message: self.locked(lambda: receive(message))

    def locked(self, action: Callable[[], Any]) -> Any:
        assert self.server._lock.locked()
        return action()

    def read(self) -> bytes:
        assert not self.server._lock.locked()
        return self.said.pop(0) if self.said else b""

    def write(self, lines: bytes) -> None:
        self.locked(lambda: self.written.append(lines))

    def attended(self) -> bool:
        return True

    def submit(self, call: Any, listener: Any, size: int) -> bool:
        """Check that `_lock` is free: a submit may wait for the end of a call, which needs `_lock` in another thread.

        Also check that `_turn` is held, so that `renew` cannot change the tools while a `tools/call` is handled.
        """
        assert not self.server._lock.locked()
        assert self.server._turn.locked()
        key = call.key
        for report in (
            lambda: listener.progress(key, 1, "sent"),
            lambda: self.asked.append(listener.ask(key, "May I?")),
            lambda: self.asked.append(listener.ask(key, None)),
            lambda: listener.done(key, Result.text("done")),
        ):
            thread = threading.Thread(target=report)
            thread.start()
            thread.join()
        return True

    def answer(self, key: int, reply: object) -> None:
        assert not self.server._lock.locked()
        self.answers.append(reply)

    def drain(self, seconds: float) -> None:
        assert not self.server._lock.locked()

    def hurry(self, seconds: float) -> None:
        assert seconds > 0


def test_the_lock_covers_the_protocol_and_what_it_answers() -> None:
    watched = Watched([f"{line}\n".encode() for line in (request(1, "tools/list"), call(2), call(3), "nonsense")])
    watched.server.serve()
    assert len(watched.written) == 4


def test_another_table_comes_between_two_messages() -> None:
    watched = Watched([])
    renewed: list[bool] = []

    def renew(catalog: Catalog) -> bytes:
        watched.locked(lambda: renewed.append(watched.server._turn.locked()))
        return b"changed"

    watched.server._engine = None
    watched.server._protocol.renew = renew
    watched.server.renew(Catalog.load(str(TABLE)), None)
    assert (renewed, watched.written) == ([True], [b"changed"])
    assert not watched.server._turn.locked()


def test_a_question_is_put_and_taken_back_under_the_lock_and_answered_without_it() -> None:
    hello = request(0, "initialize", R4, protocolVersion=R4, capabilities={"elicitation": {}})
    watched = Watched([f"{line}\n".encode() for line in (hello, call(1, revision=R4))])
    watched.server.serve()
    assert watched.asked == [True, True]
    assert [json.loads(line)["method"] for line in watched.written[1:3]] == [
        "elicitation/create",
        "notifications/cancelled",
    ]
    assert watched.answers == []


class Busy(Watched):
    """Fake event loop (engine) that reads stdin while calls run. Its calls end on command.

    It records the callbacks that are passed to the loop.
    """

    def __init__(self, calls: int) -> None:
        super().__init__([])
        self.others = self.lent = True  # True: several calls are running, and the event loop reads stdin
        self.hooked = False
        self.later: list[Callable[[], None]] = []
        self.keys: list[int] = []
        self.at_loan: Callable[[], None] | None = None
        self.server._lending = self.server._caller = self
        for id_ in range(1, calls + 1):
            self.take(id_)

    def take(self, id_: int, **arguments: str) -> None:
        self.server._take(call(id_, **arguments).encode())

    def submit(self, call: Any, listener: Any, size: int) -> bool:
        self.keys.append(call.key)
        return True

    def soon(self, action: Callable[[], None]) -> None:
        self.later.append(action)

    def lend(self) -> bool:
        """Run the callback `at_loan` once if a test has set it, and return True, as if the loop had read stdin.

        Without a callback, return False, as if the loop could not read stdin.
        """
        if self.at_loan is None:
            return False
        happen, self.at_loan = self.at_loan, None
        happen()
        self.lent = False
        return True

    def end(self, *ids: int) -> None:
        for id_ in ids:
            self.server.done(self.keys[id_ - 1], Result.text("done"))

    @property
    def answered(self) -> list[list[int]]:
        """Return the ids of the responses, in one list for each write to stdout."""
        return [[json.loads(line)["id"] for line in lines.splitlines()] for lines in self.written]


def test_answers_that_are_ready_together_leave_together() -> None:
    busy = Busy(4)
    busy.end(1, 3)
    assert busy.answered == []
    [flush] = busy.later
    flush()
    assert busy.answered == [[1, 3]]
    busy.end(2)
    busy.others = False
    busy.end(4)  # no other call is running, so buffered responses are written at once
    assert busy.answered == [[1, 3], [2, 4]]


@pytest.mark.parametrize("why", ["lent", "others", "hooked"])
def test_nothing_is_held_that_could_wait_for_long_or_in_vain(why: str) -> None:
    busy = Busy(2)
    setattr(busy, why, not getattr(busy, why))
    busy.end(1)
    assert (busy.answered, busy.later) == ([[1]], [])


def test_whatever_else_is_said_comes_behind_what_is_held() -> None:
    busy = Busy(4)
    served, key = busy.server, busy.keys[3]
    served._protocol.renew = lambda catalog: b"changed\n"
    served._protocol.ask = lambda key, question: b"asked\n"
    served._protocol.withdraw = lambda key: b"withdrawn\n"
    served._engine.renew = lambda load: None
    says: dict[bytes, Callable[[], object]] = {
        b"changed\n": lambda: served.renew(served._catalog, None),
        b"asked\n": lambda: served.ask(key, "May I?"),
        b"withdrawn\n": lambda: served.ask(key, None),
    }
    for id_, (line, say) in enumerate(says.items(), 1):
        busy.end(id_)
        busy.written.clear()
        say()
        assert json.loads(busy.written[0].splitlines()[0])["id"] == id_
        assert b"".join(busy.written).endswith(b"\n" + line)


def test_progress_leaves_behind_what_is_held_and_with_no_answer_behind_it() -> None:
    busy = Busy(3)
    busy.server._protocol.progress = lambda *given: b'{"id":0}\n'
    busy.end(1)
    busy.server.progress(busy.keys[1], 1, "sent")
    assert busy.answered == [[1, 0]]
    busy.end(2)
    busy.take(4)
    assert busy.answered == [[1, 0], [2]]


def test_what_is_held_leaves_before_another_message_is_looked_at() -> None:
    """Write a buffered response before the next message is processed, since that could cancel the response's call."""
    busy = Busy(1)
    receive = busy.server._protocol.receive
    written: list[int] = []

    def look(message: Any) -> Any:
        written.append(len(busy.written))
        return receive(message)

    busy.server._protocol.receive = look
    busy.end(1)
    busy.take(2)
    assert (written, busy.answered) == ([1], [[1]])


def test_what_is_held_does_not_wait_for_the_parsing_of_a_long_message(monkeypatch: pytest.MonkeyPatch) -> None:
    busy = Busy(1)
    written: list[int] = []

    def look(line: Any) -> Any:
        written.append(len(busy.written))
        return parse(line)

    monkeypatch.setattr(server, "parse", look)
    busy.end(1)
    busy.take(2, text="x" * 100_000)
    assert written == [1]


def test_what_is_held_leaves_when_the_loop_is_not_waited_for_any_more() -> None:
    """Check that the server writes a buffered response before the main thread reads stdin again, since reading may wait
    long for the client.
    """
    busy = Busy(2)
    busy.at_loan = lambda: busy.end(1)
    before: list[list[int]] = []

    def read() -> bytes:
        before.extend(busy.answered)
        busy.end(2)
        return b""

    busy.read = read  # type: ignore[method-assign]
    busy.server.serve()
    assert (before, busy.answered) == ([[1]], [[1], [2]])


def test_a_client_that_leaves_answers_what_is_open() -> None:
    hello = request(0, "initialize", R4, protocolVersion=R4, capabilities={"elicitation": {}})
    watched = Watched([f"{hello}\n".encode()])
    engine: Any = watched
    engine.submit = lambda call, listener, size: listener.ask(call.key, "May I?")
    watched.said.append(f"{call(1, revision=R4)}\n".encode())
    watched.server.serve()
    assert watched.answers == [None]


def test_a_line_is_written_whole_however_little_the_system_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    read, write = os.pipe()
    system_write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: system_write(descriptor, bytes(data)[:7]))
    wire = object.__new__(Wire)
    wire._out, wire._fits, wire._room = write, 99, None
    wire.write(b"a line that is longer than seven bytes\n")
    monkeypatch.undo()
    os.close(write)
    with open(read, "rb") as out:
        assert out.read() == b"a line that is longer than seven bytes\n"


@pytest.mark.parametrize("left", [False, True], ids=["stays", "leaves"])
def test_only_a_client_that_has_left_must_make_room_in_time(monkeypatch: pytest.MonkeyPatch, left: bool) -> None:
    said, stdin = os.pipe()
    read, write = os.pipe()
    ended: list[int] = []

    def end(code: int) -> None:
        ended.append(code)
        raise SystemExit

    def wait() -> None:
        with contextlib.suppress(SystemExit):
            room.wait(1)

    monkeypatch.setattr(os, "_exit", end)
    room = OutputRoom(said, write, 0.001)
    fill(write)
    waiting = threading.Thread(target=wait)
    waiting.start()
    if left:
        os.close(stdin)
        waiting.join()
    else:
        waiting.join(0.1)
        assert waiting.is_alive()
        os.read(read, 65536)
        waiting.join()
        os.close(stdin)
    assert ended == [0] * left
    for descriptor in (said, read, write):
        os.close(descriptor)
