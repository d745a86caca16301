"""Let SIGINT, SIGTERM and SIGHUP end a run in order: open files are closed, temporary files are removed.

The first signal raises `StoppedBySignal`. Later signals are ignored, so that they do not interrupt the clean-up. Inside
`held` a signal is recorded, and raised when `held` ends.
"""

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
NUMBERS = tuple(getattr(signal, name) for name in _NAMES if hasattr(signal, name))
"""The numbers of SIGINT, SIGTERM and SIGHUP, if this system has them."""


class StoppedBySignal(BaseException):
    """Raised when a signal ends the run. It is not an Exception, so that `except Exception` does not catch it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.exit_code = 128 + number


class ReceivedSignals:
    """The signals that this run has received. `number`: the first one, or None."""

    def __init__(self) -> None:
        self.number: int | None = None
        self.held = False
        self._listener: Callable[[], None] | None = None

    def tell(self, listener: Callable[[], None]) -> None:
        """From now on, call `listener` for each signal that arrives inside `held`, which only records signals. If a
        signal has arrived already, call `listener` now.
        """
        self._listener = listener
        if self.number is not None:
            listener()

    def receive(self, number: int, _frame: FrameType | None) -> None:
        """Handle a signal: raise StoppedBySignal, or record the signal while signals are held."""
        first = self.number is None
        self.number = self.number or number
        if not self.held and first:
            raise StoppedBySignal(number)
        if self.held and self._listener is not None:
            self._listener()


_current = ReceivedSignals()


@contextlib.contextmanager
def obeyed() -> Iterator[None]:
    """Handle SIGINT, SIGTERM and SIGHUP inside the context.

    A signal that the parent process ignores (`nohup`) stays ignored.
    """
    global _current
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _current = ReceivedSignals()
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
def held() -> Iterator[ReceivedSignals]:
    """Delay signals while the context lasts, for work that must not be interrupted.

    Yields the object that records them. Raises StoppedBySignal at the end if a signal has arrived.
    """
    stop = _current
    stop.held = True
    try:
        yield stop
    finally:
        stop.held = False
    if stop.number is not None:
        raise StoppedBySignal(stop.number)
