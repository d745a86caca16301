"""Read the `console` blocks of a page, run their commands in one shell, and compare what the page shows.

A line that begins with `$ ` is a command, and the lines below show its output. `…` stands for omitted text: alone on a
line for any lines, else for any text of one line. A command without lines below may print anything. A YAML block
below the words "`FILE` and add:" is text that the reader adds to FILE. Other blocks show files, and nobody runs them.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

ROOT = Path(__file__).parents[2]
SHOWN_ONLY = ("text",)
"""Languages of blocks that a reader neither runs nor writes."""

_BLOCK = re.compile(r"^([^\n]*)\n\n^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ADDITION = re.compile(r"`([^`]+)` and add:$")
_COMMAND = re.compile(r"^\$ ([^\n]+)\n((?:(?!\$ )[^\n]*\n)*)", re.MULTILINE)
_END = re.compile(r"(?s)(.*)\x1e(\d+)\n\Z")


@dataclass(frozen=True, slots=True)
class Command:
    """A command of a page, with the output that the page shows."""

    line: str
    shown: str


@dataclass(frozen=True, slots=True)
class Addition:
    """Text that the reader adds to a file."""

    file: str
    text: str


def section(page: str, title: str, *, to: str = "\n## ") -> str:
    """Return the text of a page below the heading `title`, up to the text `to`."""
    text = (ROOT / page).read_text(encoding="utf-8")
    assert text.count(f"\n## {title}\n") == 1
    return text.split(f"\n## {title}\n", 1)[1].split(to, 1)[0]


def steps(text: str) -> Iterator[Command | Addition]:
    """Yield the commands and additions of a text, in their order. Fail for a block of another kind."""
    blocks = _BLOCK.findall(text)
    assert len(blocks) * 2 == len(re.findall(r"^ *```", text, re.MULTILINE)), "a block needs an empty line before it"
    for before, language, inner in blocks:
        if language == "console":
            assert inner.startswith("$ "), inner
            yield from (Command(*found) for found in _COMMAND.findall(inner))
        elif addition := _ADDITION.search(before):
            yield Addition(addition[1], inner)
        else:
            assert language in SHOWN_ONLY, f"A reader cannot tell what to do with:\n{inner}"


def is_shown(shown: str, printed: str) -> bool:
    """Return True if a command that printed `printed` may be shown as `shown` on a page."""
    lines = ("(?:.*\n)*?" if line == "…\n" else re.escape(line).replace("…", ".*") for line in shown.splitlines(True))
    return not shown or re.fullmatch("".join(lines), printed) is not None


class Shell:
    """A shell in which a reader enters the commands of a page. At the end, all processes that it started are killed."""

    def __init__(self, folder: Path, environ: Mapping[str, str]) -> None:
        self._folder = folder
        self._process = subprocess.Popen(
            ["/bin/bash"],
            cwd=folder,
            env=environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            encoding="utf-8",
        )

    def __enter__(self) -> Shell:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.communicate()

    def carry_out(self, step: Command | Addition) -> tuple[int, str]:
        """Carry out a step. Return its exit code and what it printed, as a terminal shows it.

        A command in the background has printed what the page shows when this method returns.
        """
        if isinstance(step, Addition):
            with (self._folder / step.file).open("a", encoding="utf-8") as file:
                file.write(step.text)
            return 0, ""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{{ {step.line}\n}} </dev/null; printf '\\036%d\\n' $?\n")
        self._process.stdin.flush()
        printed, code = "", -1
        while code < 0 or (step.line.endswith(" &") and not is_shown(step.shown, printed)):
            line = self._process.stdout.readline()
            assert line, f"{step.line}: the shell has ended after:\n{printed}"
            printed += line
            if end := _END.fullmatch(printed):
                printed, code = end[1], int(end[2])
        return code, printed
