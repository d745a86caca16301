"""SIGINT, SIGTERM and SIGHUP end a run like any other end: what is open is closed, and what is temporary removed.

The first one raises `Stopped` where the run is; later ones are not obeyed, so that nothing breaks off the tidying up.
Inside `held` it is noted instead, and raised at the end.
"""

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
NUMBERS = tuple(getattr(signal, name) for name in _NAMES if hasattr(signal, name))
"""Those that this system has."""


class Stopped(BaseException):
    """The run was told to end. Not an Exception: nothing that goes on after a failure may go on after this."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.exit_code = 128 + number


class Stop:
    """What has come so far: the number of the first signal, None as long as there was none."""

    def __init__(self) -> None:
        self.number: int | None = None
        self.held = False
        self._listener: Callable[[], None] | None = None

    def tell(self, listener: Callable[[], None]) -> None:
        """Call `listener` at each signal while they are held, and now if one has come."""
        self._listener = listener
        if self.number is not None:
            listener()

    def receive(self, number: int, _frame: FrameType | None) -> None:
        """The handler."""
        first = self.number is None
        self.number = self.number or number
        if not self.held and first:
            raise Stopped(number)
        if self.held and self._listener is not None:
            self._listener()


_current = Stop()


@contextlib.contextmanager
def obeyed() -> Iterator[None]:
    """Handle the signals, but for those that whoever started us had ignored (`nohup`)."""
    global _current
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _current = Stop()
    before = {number: signal.getsignal(number) for number in NUMBERS}
    changed = {number: handler for number, handler in before.items() if handler not in (signal.SIG_IGN, None)}
    try:
        for number in changed:
            signal.signal(number, _current.receive)
        yield
    finally:
        for number, handler in changed.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def held() -> Iterator[Stop]:
    """For what must not be broken off: a signal is noted in what this gives, and ends the run once it is left."""
    stop = _current
    stop.held = True
    try:
        yield stop
    finally:
        stop.held = False
    if stop.number is not None:
        raise Stopped(stop.number)
