"""Run an mcpgen command within the process of the test: same code, streams and exit code, but no new Python process.

A test about the process itself (its limits, signals, descriptors, environment at start) must start a real process.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import NamedTuple

import pytest

from mcpgen.cli import main


class Done(NamedTuple):
    """Result of a command: its exit code, and what it has printed."""

    returncode: object
    stdout: str
    stderr: str


def mcpgen(*arguments: str, folder: Path | None = None, given: str = "", **environ: str) -> Done:
    """Run an mcpgen command.

    `folder`: its working directory. `given`: its stdin. `environ`: additional environment variables.
    """
    streams = {name: io.TextIOWrapper(io.BytesIO(), "utf-8") for name in ("stdin", "stdout", "stderr")}
    streams["stdin"].buffer.write(given.encode())
    streams["stdin"].seek(0)
    with pytest.MonkeyPatch.context() as patch:
        for name, stream in streams.items():
            patch.setattr(f"sys.{name}", stream)
        for variable, value in environ.items():
            patch.setenv(variable, value)
        if folder is not None:
            patch.chdir(folder)
        with pytest.raises(SystemExit) as ended:
            main([*arguments])
    return Done(ended.value.code, *(_printed(streams[name]) for name in ("stdout", "stderr")))


def _printed(stream: io.TextIOWrapper) -> str:
    stream.flush()
    return bytes(stream.buffer.getvalue()).decode() if isinstance(stream.buffer, io.BytesIO) else ""
