# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""The ids of one client that are taken, and by what: a call, a stream, or an answer that its batch holds back.

A client may use an id again as soon as it is answered or cancelled, while the old call is still on its way out; so a
call also has a key, a number of ours.

The answers to several messages of one line, which 2025-03-26 alone has, leave together. No more than jsonrpc.MAX_BATCH
messages are served of one line; of more, none is, and each request gets an error.
"""

from __future__ import annotations

from .jsonrpc import MAX_LINE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .effects import Call
    from .jsonrpc import Id

#: What an id stands for where it is the key of no call.
STREAM, ANSWERED = 0, -1
_NO_PROGRESS = float("-inf")


class Answers:
    """The answers to a batch, which leave together once the last one is there."""

    __slots__ = ("awaited", "ids", "lines")

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.ids: list[Id] = []
        self.awaited = 1  # the reading of the batch itself

    def arrays(self) -> bytes:
        """One array; several only where one would be longer than a client reads."""
        arrays: list[list[bytes]] = []
        room = 0
        for line in self.lines:
            room -= len(line)
            if room < 0:
                arrays.append([])
                room = MAX_LINE - len(line)
            arrays[-1].append(line[:-1])
        return b"".join(b"[%b]\n" % b",".join(array) for array in arrays)


class Running:
    """A call between its request and its answer. `effect` is what began it; None where nothing is sent for it."""

    __slots__ = ("batch", "effect", "id", "key", "last_progress", "revision", "token")

    def __init__(self, key: int, id: Id, revision: str, token: Id | None) -> None:  # noqa: A002
        self.key = key
        self.id = id
        self.revision = revision
        self.token = token
        self.last_progress = _NO_PROGRESS
        self.batch: Answers | None = None
        self.effect: Call | None = None


class InFlight:
    """`calls` are by key; `ids` have the key of a call, STREAM or ANSWERED."""

    __slots__ = ("_last_key", "calls", "ids")

    def __init__(self) -> None:
        self.calls: dict[int, Running] = {}
        self.ids: dict[Id, int] = {}
        self._last_key = 0

    def begin(self, id: Id, revision: str, token: Id | None = None) -> Running:  # noqa: A002
        """The call that the request with this id begins, under a key that no other has had."""
        key = self._last_key = self._last_key + 1
        call = self.calls[key] = Running(key, id, revision, token)
        self.ids[id] = key
        return call

    def finish(self, key: int) -> Running | None:
        """That call, which is over; None where it was cancelled, or is over already."""
        call = self.calls.pop(key, None)
        if call is not None:
            del self.ids[call.id]
        return call

    def cancel(self, id: Id) -> int | None:  # noqa: A002
        """The key that stood for an id which the client gives up, or STREAM; None where nothing can be cancelled."""
        if self.ids.get(id, ANSWERED) == ANSWERED:
            return None
        return self.ids.pop(id)

    def hold(self, answers: Answers, id: Id | None, line: bytes) -> None:  # noqa: A002
        """Keep an answer, and its id, until the others are there."""
        answers.lines.append(line)
        if id is not None and id not in self.ids:
            self.ids[id] = ANSWERED
            answers.ids.append(id)

    def settle(self, answers: Answers) -> bytes:
        """One of those awaited is here or will never come; the lines to send, once that was the last."""
        answers.awaited -= 1
        if answers.awaited:
            return b""
        for id in answers.ids:  # noqa: A001
            del self.ids[id]
        return answers.arrays()
