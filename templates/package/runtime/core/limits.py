# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Limits on what one call, each caller and all calls together may use: time, work, places, memory and file descriptors.

The budget of one call has seconds and steps of work on its arguments and its result. Hooks and the HTTP request share
the seconds. Time spent waiting for the user's answer is not counted. A step is about one microsecond of work during
which no other call can run, so steps limit how long other calls wait. One timer serves all deadlines (`Deadlines`): it
is set for the earliest one, and set again when it fires. A timer per call would be created, sorted in and removed for
every call, although few ever fire. That would be a tenth of a small call's cost in the HTTP library.

No single caller may take all places, keep the others waiting, or fill a store. `Places` limits how many calls, streams,
connections or request bytes are in use. In `FairQueue`, callers take turns, and the calls of one caller keep their
order. `FairPool` gives out equal places, such as worker processes, by turns. A full store drops the oldest entries of
the caller that has most (`displaced`), so a caller displaces its own first.

API responses that the server holds share memory, and large ones share files (`Shares`). Without a common limit, 64
responses of 8 MB would take half a gigabyte of memory. Each file takes one of the process's file descriptors, whose
number the operator limits, and from which the number of requests at a time follows (`plan_descriptors`). No caller
takes all of the memory, nor all files.
"""

from __future__ import annotations

import asyncio
import os
from _thread import allocate_lock
from collections.abc import Callable
from itertools import count
from types import TracebackType
from typing import Generic, TypeVar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Protocol

    class Expiring(Protocol):
        """Interface of an object with a deadline. It must be hashed by identity."""

        def expire(self) -> None:
            """Do what is due now, such as cancelling an asyncio task.

            `Deadlines` calls this once, after the deadline.
            """


SHARE = 3 / 4
"""Largest fraction of all places for one caller. It is large, since all callers behind a proxy may look like one.

Over stdio, the only client is named "" and may take all.
"""


class Places:
    """Limit on how many places are in use. A place is a call, a stream, a connection or a byte.

    The places in use are counted and limited both in total and per caller.
    """

    __slots__ = ("_most", "_of", "_share", "_taken")

    def __init__(self, most: int, share: float = SHARE) -> None:
        self._most = most
        self._share = most * share
        self._taken = 0
        self._of: dict[str, int] = {}

    def has(self, caller: str, many: int = 1) -> bool:
        """Return True if `caller` can take `many` more places (calls, streams, connections or bytes) without exceeding
        the limit per caller or the limit for all callers together.
        """
        of_all, of_one = self._taken + many, self._of.get(caller, 0) + many
        return of_all <= self._most and (of_one <= self._share or not caller)

    def take(self, caller: str, many: int = 1) -> None:
        """Count `many` more places (calls or bytes, for example) as in use by `caller`, without checking the limit."""
        self._taken += many
        self._of[caller] = self._of.get(caller, 0) + many

    def give(self, caller: str, many: int = 1) -> None:
        """Count `many` places (calls or bytes, for example) as no longer in use by `caller`."""
        self._taken -= many
        left = self._of.pop(caller, 0) - many
        if left:
            self._of[caller] = left

    @property
    def is_full(self) -> bool:
        """Return True if all places are in use."""
        return self._taken >= self._most

    def largest(self) -> str:
        """Return the caller with most places in use."""
        return max(self._of, key=lambda caller: self._of[caller], default="")


Waiting = TypeVar("Waiting")


class FairQueue(Generic[Waiting]):
    """Fair queue of waiting calls, in which callers take turns."""

    def __init__(self) -> None:
        self._of: dict[str, dict[int, Waiting]] = {}
        self._callers: dict[int, str] = {}

    def __bool__(self) -> bool:
        """Return whether any call waits."""
        return bool(self._callers)

    def __len__(self) -> int:
        """Return how many calls wait."""
        return len(self._callers)

    def has(self, caller: str) -> bool:
        """Return True if any call of `caller` waits."""
        return caller in self._of

    def add(self, caller: str, key: int, waiting: Waiting) -> None:
        """Add a call to the queue, after the other calls of its caller."""
        self._of.setdefault(caller, {})[key] = waiting
        self._callers[key] = caller

    def remove(self, key: int) -> Waiting | None:
        """Remove and return the call with this key, or return None if the queue does not contain this call."""
        caller = self._callers.pop(key, None)
        if caller is None:
            return None
        found = self._of[caller].pop(key)
        if not self._of[caller]:
            del self._of[caller]
        return found

    def next(self, may: Callable[[str], bool]) -> Waiting | None:
        """Remove and return the first call of the next caller for whom `may(caller)` is True.

        This caller then goes behind all other callers. Return None if no waiting call may run.
        """
        for caller in self._of:
            if may(caller):
                found = self.remove(next(iter(self._of[caller])))
                if caller in self._of:
                    self._of[caller] = self._of.pop(caller)
                return found
        return None


class FairPool:
    """Pool of `most` places. At most `most_waiting` tasks wait for a place, and callers take turns.

    No caller takes all places, nor all places of the queue (`places.SHARE`). Use a pool in one event loop only.
    """

    def __init__(self, most: int, most_waiting: int) -> None:
        self._places = Places(most)
        self._queued = Places(most_waiting)
        self._waiting: FairQueue[tuple[str, asyncio.Future[None]]] = FairQueue()
        self._keys = count()

    async def enter(self, caller: str, seconds: float | None) -> None:
        """Take a place for `caller`, who must call `leave` afterwards.

        Raise TimeoutError if no place is free within `seconds` (None: wait without limit), or at once if too many tasks
        wait.
        """
        if self._places.has(caller) and not self._waiting.has(caller):
            self._places.take(caller)
            return
        if not self._queued.has(caller):
            raise TimeoutError
        key, given = next(self._keys), asyncio.get_running_loop().create_future()
        self._queued.take(caller)
        self._waiting.add(caller, key, (caller, given))
        try:
            async with asyncio.timeout(seconds):
                await given
        except (TimeoutError, asyncio.CancelledError):
            self._waiting.remove(key)
            if not given.cancelled():  # `leave` gave a place just before this task was cancelled
                self.leave(caller)
            raise
        finally:
            self._queued.give(caller)

    def leave(self, caller: str) -> None:
        """Give a place of `caller` back, and give it to the next task that waits."""
        self._places.give(caller)
        while found := self._waiting.next(self._places.has):
            if not found[1].cancelled():
                self._places.take(found[0])
                found[1].set_result(None)


# When the oldest result was evicted first, one caller's results displaced those of all others
# (docs/decisions/results.md).
def displaced(held: Iterable[tuple[str, str, int]], latest: str, most: int, most_bytes: int) -> list[str]:
    """Return the names of the entries to drop, so that at most `most` entries and `most_bytes` bytes are left.

    `held` has name, caller and size in bytes of each entry, oldest first. `latest` is the name of the new entry. As
    long as there are too many bytes, the caller with most bytes loses its oldest entry; then, as long as there are too
    many entries, the caller with most entries. In a tie, the caller of the new entry loses. The new entry is not
    counted for its caller, and is dropped only if it does not even fit alone.
    """
    older = {name: (caller, size) for name, caller, size in held}
    own, new = older.pop(latest)
    entries: dict[str, int] = {}
    sizes: dict[str, int] = {}
    for caller, size in older.values():
        entries[caller] = entries.get(caller, 0) + 1
        sizes[caller] = sizes.get(caller, 0) + size
    total, dropped = new + sum(sizes.values()), []
    while older and (total > most_bytes or len(older) >= most):
        shares = sizes if total > most_bytes else entries
        largest = max(shares, key=lambda caller: (shares[caller], caller == own))
        oldest = next(name for name, (caller, _) in older.items() if caller == largest)
        size = older.pop(oldest)[1]
        entries[largest] -= 1
        sizes[largest] -= size
        total -= size
        dropped.append(oldest)
    return [*dropped, latest] if total > most_bytes else dropped


STEPS = 50_000
"""Steps of work that one call may take.

An ordinary call takes some hundreds of steps. 50,000 steps together take less than 0.1 seconds.
"""


class Exhausted(Exception):
    """Raised when the steps or the seconds of a call are used up."""


class Budget:
    """Seconds, and steps of work, that one call may use. `left`: the seconds that remain of `total`, by `clock`.

    `setting`: what sets the seconds, such as an environment variable; "" if unknown.
    """

    __slots__ = ("_clock", "_since", "_steps", "left", "setting", "total")

    def __init__(self, total: float, clock: Callable[[], float], steps: int = STEPS, setting: str = "") -> None:
        self.setting = setting
        self.total = total
        self.left = total
        self._clock = clock
        self._steps = steps

    def __enter__(self) -> float:
        """Count the seconds from here to the end of the `with` block. Return the seconds left in the call's budget."""
        self._since = self._clock()
        return self.left

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.left = max(0.0, self.left - (self._clock() - self._since))

    def start(self) -> float:
        """Begin to count seconds. Return the seconds of the budget that are left."""
        return self.__enter__()

    def stop(self) -> None:
        """Stop counting seconds until the next `start`, for example while a user answers."""
        self.__exit__(None, None, None)

    def apart(self) -> Budget:
        """Return a budget with all steps, for work without which the call still gets a good answer."""
        return Budget(self.left, self._clock)

    def spend(self, steps: int) -> None:
        """Count `steps` before the work is done. Raise Exhausted if too few steps are left."""
        self._steps -= steps
        if self._steps < 0:
            raise Exhausted


class Deadlines:
    """All deadlines of one event loop. Create and use it inside that loop."""

    __slots__ = ("_due", "_loop", "_running", "_timer")

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._running: dict[Expiring, float] = {}
        self._due = float("inf")
        self._timer: asyncio.TimerHandle | None = None

    def within(self, seconds: float) -> Deadline:
        """Return a deadline for a `with` block of the current asyncio task.

        The asyncio task is cancelled `seconds` after the block begins, and the block raises TimeoutError.
        """
        return Deadline(self, seconds)

    def begin(self, deadline: Expiring, seconds: float) -> None:
        """Start a deadline, or restart it: it expires `seconds` from now."""
        due = self._running[deadline] = self._loop.time() + seconds
        if due < self._due:
            self._set(due)

    def end(self, deadline: Expiring) -> None:
        """Stop a deadline. The timer stays as it is: when it fires, it checks which deadlines have passed."""
        self._running.pop(deadline, None)

    def _set(self, due: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._due, self._timer = due, self._loop.call_at(due, self._ring)

    def _ring(self) -> None:
        self._due, self._timer = float("inf"), None
        now = self._loop.time()
        for deadline in [each for each, due in self._running.items() if due <= now]:
            del self._running[deadline]
            deadline.expire()
        if self._running:
            self._set(min(self._running.values()))


class Deadline:
    """Context manager that cancels its asyncio task if the `with` block lasts past the deadline.

    `expired`: True if the deadline passed during the block, even if the block raised no TimeoutError.
    """

    __slots__ = ("_cancelling", "_deadlines", "_seconds", "_task", "expired")

    def __init__(self, deadlines: Deadlines, seconds: float) -> None:
        self._deadlines = deadlines
        self._seconds = seconds
        self.expired = False

    def expire(self) -> None:
        """Mark the deadline as passed, and cancel the asyncio task that runs the `with` block."""
        self.expired = True
        self._task.cancel()

    def __enter__(self) -> Deadline:
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a deadline is for a task")
        self._task = task
        self._cancelling = task.cancelling()
        self._deadlines.begin(self, self._seconds)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._deadlines.end(self)
        # Raise TimeoutError only if this deadline alone cancelled the task. If other code has cancelled the task as
        # well, the CancelledError must propagate.
        if self.expired and self._task.uncancel() <= self._cancelling and kind is asyncio.CancelledError:
            raise TimeoutError from problem


# Many large responses at the same time must not use up all memory (docs/decisions/requests.md).
MEMORY = 32 * 1024 * 1024
"""Bytes of large responses that are held in memory at a time. Further bytes go to files."""

FILES = 192
"""Maximum number of open files: responses being received, and responses stored for `resources/read`."""


class Shares:
    """Counts of the bytes of memory and of the files that large responses use, also by caller. Thread-safe."""

    __slots__ = ("_files", "_lock", "_memory")

    def __init__(self, memory: int = MEMORY, files: int = FILES) -> None:
        self._memory = Places(memory)
        self._files = Places(files)
        self._lock = allocate_lock()

    def take_memory(self, caller: str, size: int) -> bool:
        """Reserve `size` bytes for `caller`. Return False if fewer are free."""
        return self._take(self._memory, caller, size)

    def give_memory(self, caller: str, size: int) -> None:
        """Release the reservation of `size` bytes."""
        with self._lock:
            self._memory.give(caller, size)

    def take_file(self, caller: str) -> bool:
        """Reserve one open file for a large response. Return False if the limit on open files is reached."""
        return self._take(self._files, caller, 1)

    def give_file(self, caller: str) -> None:
        """Release the reservation of one open file (`take_file`)."""
        with self._lock:
            self._files.give(caller)

    def _take(self, places: Places, caller: str, many: int) -> bool:
        with self._lock:
            found = places.has(caller, many)
            if found:
                places.take(caller, many)
            return found


SPARE = 8
"""File descriptors left free for DNS lookups, for files that arguments name, and for hooks."""

_OPEN = "/proc/self/fd"
_left: int | None = None  # descriptors that are left for requests and files if clients take all of theirs


# If few file descriptors are free, the server becomes slower, but no call fails (docs/decisions/requests.md).
def plan_descriptors(wanted: int, origins: int) -> tuple[int, int]:
    """Return how many requests may be pending at a time (at most `wanted`), and how many files may be open.

    Each of the `origins` may have as many kept connections as there are pending requests.
    """
    free = _free() if _left is None else _left
    if free is None:
        return wanted, FILES
    files = min(FILES, free // 3)
    return max(1, min(wanted, (free - files) // max(1, origins))), max(1, files)


def reserve_descriptors(wanted: int) -> int:
    """Reserve file descriptors for connections of clients. Return how many connections may be open, at most `wanted`.

    Call this once, before `plan`. A quarter of the free descriptors is left for requests and files.
    """
    global _left
    free = _free()
    if free is None:
        return wanted
    found = max(1, min(wanted, free * 3 // 4))
    _left = max(0, free - found)
    return found


def _free() -> int | None:
    """Return how many file descriptors can still be opened; None if that is unknown or unlimited."""
    try:
        import resource  # imported here: not available on every system

        limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    except (ImportError, AttributeError, OSError):
        return None
    if limit == resource.RLIM_INFINITY:
        return None
    return max(0, limit - _taken(limit) - SPARE)


def _taken(limit: int) -> int:
    """Return how many file descriptors are open."""
    try:
        return len(os.listdir(_OPEN))
    except OSError:
        return sum(map(_is_open, range(min(limit, 256))))


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True
