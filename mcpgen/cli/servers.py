"""Run generated servers from a temporary folder, for the duration of a command."""

import contextlib
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mcpgen.cli import signals
from mcpgen.pipeline import Compiled
from mcpgen.regenerate.publish import plan, publish

PATIENCE = 3.0
"""Seconds that a server may take to end after a signal, before it is killed; usually it ends at once."""


@dataclass(frozen=True, slots=True)
class Temporary:
    """A generated server in a temporary folder. If this process gets a signal, it also ends the server."""

    package: str
    directory: Path
    stop: signals.ReceivedSignals

    def run(self, *flags: str) -> int:
        """Run the server with these flags until it ends: over stdio, when the client closes the connection. Return its
        exit code.
        """
        server = subprocess.Popen([sys.executable, "-m", self.package, *flags], cwd=self.directory)
        self._end_at_signal(server)
        return server.wait()

    def ask(self, *flags: str) -> tuple[int, str, str]:
        """Run the server with command-line flags and without input. Return its exit code, stdout and stderr."""
        server = subprocess.Popen(
            [sys.executable, "-X", "utf8", "-m", self.package, *flags],
            cwd=self.directory,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="backslashreplace",
        )
        self._end_at_signal(server)
        out, err = server.communicate()
        return server.returncode, out, err

    def _end_at_signal(self, server: "subprocess.Popen[str] | subprocess.Popen[bytes]") -> None:
        """Terminate `server` when this process gets a signal, and kill it after PATIENCE seconds."""

        def end() -> None:
            server.terminate()
            last = threading.Timer(PATIENCE, server.kill)  # kill it if its hooks.py ignores SIGTERM
            last.daemon = True
            last.start()

        self.stop.tell(end)


def run_command(package: str, folder: Path, arguments: Sequence[str], *, quiet: bool = False) -> int:
    """Run a command of the server whose package is in `folder`, with the standard streams of this process.

    Return its exit code. `quiet`: True if its results are not printed, only its errors.
    """
    path = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, "-P", "-m", package, *arguments]
    shown = subprocess.DEVNULL if quiet else None
    return subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, stdout=shown, check=False).returncode


@contextlib.contextmanager
def emitted(compiled: Compiled) -> Iterator[Temporary]:
    """Write the server of `compiled` to a temporary folder, and yield it. The folder is removed when the context
    ends.
    """
    identity = compiled.catalog.identity
    with signals.held() as stop, tempfile.TemporaryDirectory(prefix="mcpgen-") as folder:
        target = Path(folder) / identity.name
        publish(plan(target, compiled.tree, (), None), compiled.tree)
        yield Temporary(identity.package, target, stop)
