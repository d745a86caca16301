"""Run the API of an example as a process, with only the standard library."""

from __future__ import annotations

import signal
import subprocess
import sys
from threading import Timer
from types import TracebackType

from tests.examples.conversations import EXAMPLES
from tests.runtime.process import PATIENCE


class Api:
    """Process of an example's API. It prints each request on stderr."""

    def __init__(self, name: str, *arguments: str) -> None:
        # -I and -S: the API can import neither modules of its folder nor installed packages.
        command = [sys.executable, "-I", "-S", str(EXAMPLES / name / "api.py"), *arguments]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().rstrip("\n")

    def __enter__(self) -> Api:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()

    def heard(self, count: int) -> list[str]:
        """Return the next `count` requests. An item is "" if no request arrives within PATIENCE."""
        assert self._process.stderr is not None
        impatience = Timer(PATIENCE, self._process.kill)
        impatience.start()
        try:
            return [self._process.stderr.readline().rstrip("\n") for _ in range(count)]
        finally:
            impatience.cancel()

    def end(self) -> tuple[int, str]:
        """Send SIGTERM. Return the exit code, and all output that was not read before."""
        self._process.send_signal(signal.SIGTERM)
        rest = self._process.communicate(timeout=PATIENCE)
        return self._process.returncode, "".join(rest)
