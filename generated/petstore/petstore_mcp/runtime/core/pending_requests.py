# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Pending requests: the ids that one client is using, each for a call, a stream, or an answer of an unfinished batch.

A client may reuse an id as soon as the request is answered or cancelled, while the old call is still ending. So each
call also has a key, a number assigned by the server.

The answers to a batch (several messages in one line, only in revision 2025-03-26) are sent together. A batch of more
than jsonrpc.MAX_BATCH messages is not served: each request in it gets an error.
"""

from __future__ import annotations

from itertools import count

from .jsonrpc import MAX_LINE
from .wire_formats import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .effects import Call
    from .jsonrpc import Id

#: Values in `InFlight.ids` for requests that are not running calls. STREAM: the request opened a stream. ANSWERED: the
#: answer is ready, and waits until the other answers of its batch are ready.
STREAM, ANSWERED = 0, -1
_NO_PROGRESS = float("-inf")
_CUT = Result.error("The server was stopped before the upstream answered. The request may have taken effect.")
_UNSENT = Result.error("The server was stopped before it was the request's turn. Nothing was sent.")


class Answers:
    """Answers to a batch, sent together once all of them are ready."""

    __slots__ = ("awaited", "ids", "lines")

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.ids: list[Id] = []
        # number of missing answers, plus 1 until the whole batch is read: nothing is sent before that
        self.awaited = 1

    def arrays(self) -> bytes:
        """Return the answers as a JSON array on one line, or as several arrays if the line would exceed MAX_LINE."""
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
    """A call between its request and its answer.

    `effect`: the Call that `Protocol.receive` returned to start it, or None if the call sends nothing upstream.
    """

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
    """Running calls, and the ids of pending requests. `calls` maps the key of each call to the call. `ids` maps each id
    to the key of its call, or to one of the constants STREAM and ANSWERED.
    """

    __slots__ = ("_keys", "calls", "ids")

    def __init__(self, keys: Iterator[int] | None = None) -> None:
        """Create an empty collection. `keys` yields positive keys of calls that are unique within the process."""
        self.calls: dict[int, Running] = {}
        self.ids: dict[Id, int] = {}
        self._keys = keys or count(1)

    def begin(self, id: Id, revision: str, token: Id | None = None) -> Running:  # noqa: A002
        """Register a call for the request with this id, under a new key."""
        key = next(self._keys)
        call = self.calls[key] = Running(key, id, revision, token)
        self.ids[id] = key
        return call

    def finish(self, key: int) -> Running | None:
        """Remove a call that has ended, and return it. Return None if it was removed before, for example cancelled."""
        call = self.calls.pop(key, None)
        if call is not None:
            del self.ids[call.id]
        return call

    def cancel(self, id: Id) -> int | None:  # noqa: A002
        """Forget the pending request with this id.

        Return the key (number) of the request's call, STREAM if it opened a stream, or None if it is not pending.
        """
        if self.ids.get(id, ANSWERED) == ANSWERED:
            return None
        return self.ids.pop(id)

    def hold(self, answers: Answers, id: Id | None, line: bytes) -> None:  # noqa: A002
        """Store an answer of a batch until the other answers are ready. Until then, its request's id stays in use."""
        answers.lines.append(line)
        if id is not None and id not in self.ids:
            self.ids[id] = ANSWERED
            answers.ids.append(id)

    def settle(self, answers: Answers) -> bytes:
        """Record that one more answer of the batch is ready, or will never come.

        Return the lines to send if it was the last answer of the batch, else b"".
        """
        answers.awaited -= 1
        if answers.awaited:
            return b""
        for id in answers.ids:  # noqa: A001
            del self.ids[id]
        return answers.arrays()


def cut_short(call: Call | None) -> Result:
    """End a call because the server stops. Return a result which says whether the call's request may have been sent."""
    return _CUT if call is None or call.span is None or call.span.end() else _UNSENT
